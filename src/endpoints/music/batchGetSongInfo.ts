/** Details of many songs, twenty per POST. A failed element is replaced by its error. */
import { InvalidInput, elementsOf, endpoint, responseCodeData } from '../kit.ts'
import { midPattern, type Filled } from '../../../schemas/common.ts'
import { BatchGetSongInfoBody, SongInfoBatch } from '../../../schemas/music.ts'
import { holdsNumber } from '../../relay/validate.ts'
import { getSongInfo, readWhole, songKeyOf } from './getSongInfo.ts'
import { eachSong } from '../shared/song.ts'

const mid = new RegExp(midPattern)

/** Converts an element: [song_mid] or [song_mid, song_id]. The upstream accepts only one of the two. */
function inputOf ([songmid, songid = '']: readonly (string | number)[], at: number): Filled<typeof getSongInfo.input> {
  if (typeof songmid !== 'string') throw new InvalidInput(`songs[${at}][0]: must be a MID; the number of a song is the second value.`)
  const isNumber = /^\d{1,16}$/.test(String(songid)) && Number(songid) > 0 && Number.isSafeInteger(Number(songid))
  if (songid !== '' && !isNumber) throw new InvalidInput(`songs[${at}][1]: must be the number of a song.`)
  if (holdsNumber(songmid)) throw new InvalidInput(`songs[${at}][0]: is a number, not a MID; the number of a song is the second value: ["", number].`)
  if (mid.test(songmid)) return { songmid }
  if (isNumber) return { songid: Number(songid) }
  throw new InvalidInput(`songs[${at}]: must have a MID, or the number of a song as second value.`)
}

export const batchGetSongInfo = endpoint({
  method: 'POST',
  path: '/batchGetSongInfo',
  tag: 'music',
  summary: 'Up to a hundred songs in detail',
  summaryInChinese: '批量获取歌曲详情，最多 100 首',
  description: 'Each element is the record of /getSongInfo, in the requested order. A song that cannot be fetched is {error, code, song_mid} instead; the whole request fails only if the upstream was down for all songs.',
  example: { songs: [['00DemoSong0001'], ['00DemoSong0002', '5000002']] },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songs: [[mid]] })),
  input: BatchGetSongInfoBody,
  record: SongInfoBatch,
  envelope: responseCodeData,
  cache: 'slow',

  async run ({ songs }, context) {
    const found = await context.elements(
      getSongInfo,
      songs.map(inputOf),
      async (missing) => await eachSong(context.upstream, missing.map(songKeyOf), readWhole(context))
    )
    return elementsOf(
      found,
      context,
      ({ message, code }, at) => ({ error: message, code, song_mid: String(songs[at]?.[0]) })
    )
  }
})
