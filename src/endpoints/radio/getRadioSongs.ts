/**
 * Songs of a radio station, a few at each call. The upstream selects them again for each request and has no pages
 * (clients, 2026-08 to 2026-10). Its older call requires a login.
 */
import {
  InvalidInput, codeMsgData, endpoint, isUnknown, notFound, optional, type MusicuCall, type Upstream
} from '../kit.ts'
import { GetRadioSongsQuery, RadioSongs } from '../../../schemas/radio.ts'
import type { Song } from '../../../schemas/song.ts'
import { nextSongs } from './endless.ts'
import type { CountedRows } from '../shared/pages.ts'
import { personalStation, radioTracks } from '../shared/recommended.ts'
import { listedSong } from '../shared/song.ts'

/** `firstplay`: 1 begins, 0 continues. */
const stationOf = (id: number, firstplay: 0 | 1): MusicuCall<CountedRows<Song>> => ({
  name: 'radio.songs',
  request: { module: 'pf.radiosvr', method: 'GetRadiosonglist', param: { id, firstplay, num: 30 } },
  optionalFields: ['track_list[].track'],
  read: (answer) => radioTracks(answer, 'track_list', 'songlist', 'tracks')
})

const olderStationOf = (id: number, firstplay: 0 | 1): MusicuCall<CountedRows<Song>> => ({
  name: 'radio.songs.older',
  request: { module: 'mb_track_radio_svr', method: 'get_radio_track', param: { id, firstplay, num: 15 } },
  optionalFields: ['tracks[].track'],
  read: (answer) => radioTracks(answer, 'tracks')
})

async function songsOf (id: number, begins: boolean, upstream: Upstream): Promise<CountedRows<Song>> {
  const firstplay = begins ? 1 : 0
  const chain = [stationOf(id, firstplay), ...upstream.loggedIn ? [olderStationOf(id, firstplay)] : []]
  const songs = await optional(upstream.firstOf(chain), isUnknown)
  if (songs === undefined) throw notFound('radio.songs', `The radio station ${id}`)
  return songs
}

export const getRadioSongs = endpoint({
  method: 'GET',
  path: '/getRadioSongs',
  tag: 'radio',
  summary: 'Songs of a radio station, a few at each call',
  summaryInChinese: '电台的歌曲，每次几首，不重复，直到上游没有新的',
  description: 'Pass nextCursor of an answer as cursor to get more: no song repeats within one session. A station ends: an answer without nextCursor means that the upstream has only repetitions, often after 50 to 100 songs. Then begin again without a cursor. The relay stores nothing: the cursor contains the previous songs. Each call returns other songs, so nothing is cached. A station without songs is 404, like an unknown one, because the upstream sends the same answer.',
  example: { radioId: 199, limit: 3 },
  probe: () => [{ radioId: 199, limit: 1 }],
  songs: ({ songs }) => songs.map(listedSong),
  input: GetRadioSongsQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'optional',

  async run ({ radioId, ...page }, context) {
    if (radioId === personalStation) throw new InvalidInput('radioId: 99 is the personal station, whose songs /getPersonalRadio has.')
    return await nextSongs(page, {
      name: `radio ${radioId}`,
      fetch: async (_round, begins) => await songsOf(radioId, begins, context.upstream)
    }, context)
  }
})
