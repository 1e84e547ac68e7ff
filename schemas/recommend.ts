/** Recommendations for an account, and similar songs. */
import { Type, type Static } from '@sinclair/typebox'
import { mid, ref, skipped } from './common.ts'
import { PlaylistSummary } from './playlists.ts'
import { Song } from './song.ts'

export const GetDailyRecommendQuery = Type.Object({})

export const DailyRecommend = Type.Object({
  dissid: Type.String({
    description:
      'Id of today\'s playlist, for /getSongListDetail with the same cookie; "" if there is none, as for the songs of the personal radio station.'
  }),
  dissname: Type.String({ description: 'Its name; "" without a playlist.' }),
  songs: Type.Array(ref(Song), { description: 'Its songs, usually thirty.' }),
  skipped
}, { $id: 'DailyRecommend', description: 'The songs that the upstream chose for an account today.' })

export const GetPersonalRecommendQuery = Type.Object({})

export const PersonalRecommend = Type.Object({
  songs: Type.Array(ref(Song), { description: 'Songs, usually ten; others at the next call.' }),
  hasMore: Type.Boolean({ description: 'Whether the upstream has more to recommend.' }),
  playlists: Type.Array(ref(PlaylistSummary), { description: 'Playlists; their creator is often unknown. Empty when the upstream shows none.' }),
  skipped
}, { $id: 'PersonalRecommend', description: 'Songs and playlists that the upstream recommends to an account.' })

export const GetSimilarSongsQuery = Type.Object({ songmid: mid('song') })

export const SimilarSongs = Type.Object({
  songid: Type.Integer({ description: 'Number of the requested song.' }),
  songmid: Type.String({ description: 'MID of the requested song.' }),
  songs: Type.Array(ref(Song), { description: 'Songs like it, no song twice; empty when the upstream knows none.' }),
  skipped
}, { $id: 'SimilarSongs', description: 'Similar songs.' })

export type DailyRecommend = Static<typeof DailyRecommend>
export type PersonalRecommend = Static<typeof PersonalRecommend>
export type SimilarSongs = Static<typeof SimilarSongs>
