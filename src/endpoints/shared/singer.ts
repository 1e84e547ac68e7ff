/** What several endpoints about one singer share. */
import { notFound, upstreamEmpty } from '../../errors.ts'
import type { CodeTable } from '../../provider/codes.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'

/** The newer lists of one singer answer 104400 for a MID that nobody has, with and without a cookie (2026-09). */
export const unknownSinger: CodeTable = { 104400: 'not found' }

/**
 * The old page of a singer: songs, number of fans and who it is in one answer (seen 2019 to 2026-09, anonymous).
 * At most 60 songs, most popular first. `read` gets the whole data once the singer is known to exist.
 */
export function singerPage<T> (name: string, singermid: string, sin: number, num: number, read: (data: Answer) => T): MusicuCall<T> {
  return {
    name,
    ask: { module: 'music.web_singer_info_svr', method: 'get_singer_detail_info', param: { sort: 5, singermid, sin, num: Math.min(60, num) } },
    sometimes: ['songlist[].songInfo'],
    read: (data) => {
      const mid = maybe.text(data, 'singer_info.mid')
      if ((data.reach('singer_info') ?? null) === null) throw upstreamEmpty(name, 'the singer')
      // An unknown singer has an empty name card, and a success code.
      if (mid === undefined) throw notFound(name, `The singer ${singermid}`)
      return read(data)
    }
  }
}
