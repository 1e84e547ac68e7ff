/**
 * The radio station with songs chosen for an account. Requires a login: code 1000 without one (measured 2026-08,
 * 2026-10).
 */
import type { Song } from '../../../schemas/song.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'
import { readSong } from './song.ts'

/** Number of the station. */
export const personalStation = 99

/** Returns the newer and the older call for station 99. */
export const personalRadio = <T>(read: (songs: Song[]) => T): MusicuCall<T>[] => [
  {
    name: 'radio.personal',
    request: {
      module: 'music.radioProxy.MbTrackRadioSvr',
      method: 'get_radio_track',
      param: { id: personalStation, num: 10, from: 0, scene: 0, song_ids: [] }
    },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(radioTracks(answer, 'tracks'))
  },
  {
    name: 'radio.personal.older',
    request: { module: 'mb_track_radio_svr', method: 'get_radio_track', param: { id: personalStation, firstplay: 1, num: 15 } },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(radioTracks(answer, 'tracks'))
  }
]

/** Reads the songs of a station, a list of one of these names. A track is plain or inside a wrapper. */
export function radioTracks (answer: Answer, ...names: string[]): Song[] {
  const songs = maybe.list(answer, names, (row) => readSong(maybe.at(row, 'track', 'Track') ?? row))
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
  return songs
}
