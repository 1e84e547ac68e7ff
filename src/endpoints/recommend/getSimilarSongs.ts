/**
 * Songs similar to a song. The upstream requires the song's number, so a MID is looked up first. Reported 2026-09,
 * without a login.
 */
import {
  endpoint, isEmpty, maybe, optional, statusBody, uniqueBy, upstreamEmpty, type Answer, type MusicuCall
} from '../kit.ts'
import { GetSimilarSongsQuery, SimilarSongs } from '../../../schemas/recommend.ts'
import type { Song } from '../../../schemas/song.ts'
import { readCounted, together, type CountedRows } from '../shared/pages.ts'
import { readSongRow, readWrappedSong, songFactsOf } from '../shared/song.ts'

/** Without the session of a phone, the upstream may refuse the phone program's form (2026-11). */
const phoneIssue = { verdict: 'risk-controlled', note: 'needs the session of a phone; song.similar.web answers without one', since: '2026-11' } as const

const similarOf = (name: string, songid: number, comm: 'mobile' | 'web'): MusicuCall<CountedRows<Song>> => ({
  name,
  request: { module: 'music.recommend.TrackRelationServer', method: 'GetSimilarSongs', param: { songid }, comm },
  optionalFields: ['vecSongNew', 'vecSong'],
  ...(comm === 'mobile' ? { knownIssue: phoneIssue } : {}),
  read: readSimilar
})

/** Returns at most five songs. */
const olderSimilarOf = (songid: number): MusicuCall<CountedRows<Song>> => ({
  name: 'song.similar.older',
  request: { module: 'rcmusic.similarSongRadioServer', method: 'get_simsongs', param: { songid } },
  read: (answer) => requireSongs(readCounted(answer, ['songInfoList'], readSongRow), answer.call)
})

/** The response has two lists, either of which may be missing: the newer one in groups, the older one plain. */
function readSimilar (answer: Answer): CountedRows<Song> {
  const track = (row: Answer): Song | undefined => readWrappedSong(row, 'need', 'track', 'Track')
  const grouped = maybe.list(answer, 'vecSongNew', (group) => readCounted(group, ['songs'], track))
  return requireSongs(together([...grouped, readCounted(answer, ['vecSong'], track)]), answer.call)
}

function requireSongs ({ rows, skipped }: CountedRows<Song>, call: string): CountedRows<Song> {
  if (rows.length === 0) throw upstreamEmpty(call, 'similar songs')
  return { rows: uniqueBy(rows, ({ mid, id }) => mid || id), skipped }
}

export const getSimilarSongs = endpoint({
  method: 'GET',
  path: '/getSimilarSongs',
  tag: 'recommend',
  summary: 'Similar songs',
  summaryInChinese: '相似歌曲',
  description: 'About thirty songs at most, as one list without pages. For a few songs there are none. Works without a login.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetSimilarSongsQuery,
  record: SimilarSongs,
  envelope: statusBody,
  login: 'optional',
  cache: 'lively',

  async run ({ songmid }, context) {
    const { upstream } = context
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    const found = await optional(
      upstream.firstOf([
        similarOf('song.similar', songid, 'mobile'),
        similarOf('song.similar.web', songid, 'web'),
        olderSimilarOf(songid)
      ]),
      isEmpty
    )
    return { songid, songmid, songs: found?.rows ?? [], skipped: found?.skipped ?? 0 }
  }
})
