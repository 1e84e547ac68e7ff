/** Songs like a song. The upstream asks by the song's number, so a MID is looked up first. Reported 2026-09, without a login. */
import { statusBody } from '../../../schemas/envelopes.ts'
import { GetSimilarSongsQuery, SimilarSongs } from '../../../schemas/recommend.ts'
import type { Song } from '../../../schemas/song.ts'
import { endpoint } from '../../endpoint.ts'
import { RelayError, upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'
import { eachOnce } from '../shared/eachOnce.ts'
import { readSong } from '../shared/song.ts'
import { songChain } from '../shared/songDetail.ts'

const similarOf = (songid: number): MusicuCall<Song[]> => ({
  name: 'song.similar',
  ask: { module: 'music.recommend.TrackRelationServer', method: 'GetSimilarSongs', param: { songid }, comm: 'mobile' },
  sometimes: ['vecSongNew', 'vecSong'],
  read: readSimilar
})

/** Five songs at most. */
const olderSimilarOf = (songid: number): MusicuCall<Song[]> => ({
  name: 'song.similar.older',
  ask: { module: 'rcmusic.similarSongRadioServer', method: 'get_simsongs', param: { songid } },
  read: (answer) => someOf(maybe.list(answer, 'songInfoList', readSong), answer.call)
})

/** Two lists, either of which may be missing: the newer in groups, the older plain. */
function readSimilar (answer: Answer): Song[] {
  const track = (row: Answer): Song => readSong(need.at(row, 'track', 'Track'))
  const grouped = maybe.list(answer, 'vecSongNew', (group) => maybe.list(group, 'songs', track)).flat()
  return someOf([...grouped, ...maybe.list(answer, 'vecSong', track)], answer.call)
}

function someOf (songs: readonly Song[], call: string): Song[] {
  if (songs.length === 0) throw upstreamEmpty(call, 'similar songs')
  return eachOnce(songs, ({ mid, id }) => mid || id)
}

export const getSimilarSongs = endpoint({
  method: 'GET',
  path: '/getSimilarSongs',
  tag: 'recommend',
  summary: 'Songs like a song',
  description: 'Up to some thirty songs, as one list without pages. Few songs have none. Works without a login.',
  example: { songmid: '00DemoSong0001' },
  input: GetSimilarSongsQuery,
  record: SimilarSongs,
  envelope: statusBody,
  login: 'optional',
  cache: 'lively',

  async run ({ songmid }, { upstream }) {
    const songid = await upstream.firstOf(songChain({ song_mid: songmid }, (track) => need.int(track, 'id')))
    try {
      return { songid, songmid, songs: await upstream.firstOf([similarOf(songid), olderSimilarOf(songid)]) }
    } catch (error) {
      if (error instanceof RelayError && error.code === 'UPSTREAM_EMPTY') return { songid, songmid, songs: [] }
      throw error
    }
  }
})
