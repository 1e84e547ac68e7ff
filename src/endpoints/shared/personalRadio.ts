/** The station that plays what an account may like. Wants a login: 1000 without (measured 2026-08, 2026-10). */
import type { Song } from '../../../schemas/song.ts'
import { upstreamEmpty } from '../../errors.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'
import { readSong } from './song.ts'

/** The newer and the older call of station 99. */
export const personalRadio: readonly MusicuCall<Song[]>[] = [
  {
    name: 'radio.personal',
    ask: { module: 'music.radioProxy.MbTrackRadioSvr', method: 'get_radio_track', param: { id: 99, num: 10, from: 0, scene: 0, song_ids: [] } },
    sometimes: ['tracks[].track'],
    read: readTracks
  },
  {
    name: 'radio.personal.older',
    ask: { module: 'mb_track_radio_svr', method: 'get_radio_track', param: { id: 99, firstplay: 1, num: 15 } },
    sometimes: ['tracks[].track'],
    read: readTracks
  }
]

/** Tracks come plain or each in a wrapper. */
function readTracks (answer: Answer): Song[] {
  const songs = maybe.list(answer, 'tracks', (row) => readSong(maybe.at(row, 'track', 'Track') ?? row))
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
  return songs
}
