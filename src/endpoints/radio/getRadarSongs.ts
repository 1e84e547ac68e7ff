/**
 * Songs of the upstream's radar, as an endless list: general, or chosen for an account. Each page has ten songs,
 * different from the other pages (recorded 2026-08, observed 2026-09).
 */
import { codeMsgData, endpoint } from '../kit.ts'
import { GetRadarSongsQuery, RadioSongs } from '../../../schemas/radio.ts'
import { nextSongs } from './endless.ts'
import { radarSongs } from '../shared/recommended.ts'
import { sessionCheck } from '../shared/accountCalls.ts'
import { listedSong } from '../shared/song.ts'

export const getRadarSongs = endpoint({
  method: 'GET',
  path: '/getRadarSongs',
  tag: 'radio',
  summary: 'New discoveries of the upstream, a few at each call',
  summaryInChinese: '雷达推荐的歌曲，每次几首，不重复，直到上游没有新的',
  description: 'With a login, the songs are chosen for the account. Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The list ends, too: without nextCursor the upstream has only repetitions; begin again without a cursor. An expired cookie counts as none, with x-relay-warning.',
  example: { limit: 3 },
  probe: () => [{ limit: 1 }],
  songs: ({ songs }) => songs.map(listedSong),
  input: GetRadarSongsQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'optional',

  async run (page, context) {
    const { upstream } = context
    const fetch = async (round: number): ReturnType<Parameters<typeof nextSongs>[1]['fetch']> => {
      const call = radarSongs(round + 1, ({ songs: rows, skipped }) => ({ rows, skipped }))
      return upstream.loggedIn ? await upstream.firstOf([sessionCheck(call)]) : await upstream.send(call)
    }
    return await nextSongs(page, { name: 'radar', fetch }, context)
  }
})
