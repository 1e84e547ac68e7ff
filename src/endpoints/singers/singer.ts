/** Code that several endpoints about one singer share. */
import { maybe, notFound, upstreamEmpty, type Answer, type CodeTable, type MusicuCall } from '../kit.ts'

/** The newer lists of one singer answer 104400 for a MID that does not exist, with and without a cookie (2026-09). */
export const unknownSinger: CodeTable = { 104400: 'missing.code' }

/** Number of rows in one response of the lists of one singer; the requested number is ignored (2026-08). */
export const mostRows = 30

/** Maximum number of songs in one response of the old page of a singer. */
export const singerPageRows = 60

/**
 * The old page of a singer: songs, number of fans and profile in one response (seen 2019 to 2026-09, anonymous). At
 * most 60 songs, most popular first. `read` gets the whole data after the singer is known to exist; the call fails with
 * NOT_FOUND for an unknown singer.
 */
export function singerPage<T> (
  name: string,
  singermid: string,
  sin: number,
  num: number,
  read: (data: Answer) => T
): MusicuCall<T> {
  return {
    name,
    request: {
      module: 'music.web_singer_info_svr',
      method: 'get_singer_detail_info',
      param: { sort: 5, singermid, sin, num: Math.min(singerPageRows, num) }
    },
    optionalFields: ['songlist[].songInfo'],
    read: (data) => {
      const mid = maybe.text(data, 'singer_info.mid')
      if ((data.reach('singer_info') ?? null) === null) throw upstreamEmpty(name, 'the singer')
      // For an unknown singer the upstream sends an empty name card and a success code.
      if (mid === undefined) throw notFound(name, `The singer ${singermid}`)
      return read(data)
    }
  }
}
