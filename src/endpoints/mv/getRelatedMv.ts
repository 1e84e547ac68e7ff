/**
 * MVs related to a song, three at once, without a login (observed 2026-09). The upstream accepts only the number of the
 * song, as text.
 */
import { GetRelatedMvQuery, RelatedMvs } from '../../../schemas/around.ts'
import { codeMsgData, endpoint, maybe, upstreamEmpty, type Answer, type MusicuCall } from '../kit.ts'
import { readMv } from './mvs.ts'
import { readCounted } from '../shared/pages.ts'
import { songFactsOf } from '../shared/song.ts'

type MvsAround = Pick<RelatedMvs, 'list' | 'nextCursor' | 'skipped'>

/** `lastmvid`: number of the last MV of the previous answer. */
const relatedOf = (songid: number, lastmvid: number): MusicuCall<MvsAround> => ({
  name: 'song.mvs',
  request: {
    module: 'MvService.MvInfoProServer',
    method: 'GetSongRelatedMv',
    param: { songid: String(songid), songtype: 1, lastmvid }
  },
  optionalFields: ['list[].duration', 'list[].subtitle', 'list[].pubdate', 'list[].pub_date'],
  read: readRelated
})

function readRelated (answer: Answer): MvsAround {
  if (answer.reach('list') === undefined && answer.reach('hasmore') === undefined) {
    throw upstreamEmpty(answer.call, 'MVs')
  }
  const { rows: list, skipped } = readCounted(answer, ['list'], readMv)
  const last = list.at(-1)?.mvid ?? 0
  return { list, skipped, ...(maybe.flag(answer, 'hasmore') === true && last > 0 ? { nextCursor: String(last) } : {}) }
}

export const getRelatedMv = endpoint({
  method: 'GET',
  path: '/getRelatedMv',
  tag: 'mv',
  summary: 'MVs related to a song',
  summaryInChinese: '与歌曲相关的 MV',
  description: 'The song\'s own MV and others, usually three at once; nextCursor fetches more. An unknown song is 404.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetRelatedMvQuery,
  record: RelatedMvs,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid, cursor }, context) {
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    return { songid, songmid, ...await context.upstream.send(relatedOf(songid, Number(cursor ?? 0))) }
  }
})
