/**
 * The radio station with songs chosen for an account. Requires a login: code 1000 without one (measured 2026-08,
 * 2026-10).
 */
import type { Song } from '../../../schemas/song.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'
import { readSong } from './song.ts'

/** Returns the newer and the older call for station 99. */
export const personalRadio = <T>(read: (songs: Song[]) => T): MusicuCall<T>[] => [
  {
    name: 'radio.personal',
    request: { module: 'music.radioProxy.MbTrackRadioSvr', method: 'get_radio_track', param: { id: 99, num: 10, from: 0, scene: 0, song_ids: [] } },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(readTracks(answer))
  },
  {
    name: 'radio.personal.older',
    request: { module: 'mb_track_radio_svr', method: 'get_radio_track', param: { id: 99, firstplay: 1, num: 15 } },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(readTracks(answer))
  }
]

/** A track is plain or inside a wrapper. */
function readTracks (answer: Answer): Song[] {
  const songs = maybe.list(answer, 'tracks', (row) => readSong(maybe.at(row, 'track', 'Track') ?? row))
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
  return songs
}
