/** Items related to a song or a singer: other versions, MVs and playlists with the song, songs written by a singer. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, mid, pageFromOne, ref, skipped, wordOf } from './common.ts'
import { Mv } from './mv.ts'
import { PlaylistSummary } from './playlists.ts'
import { Song } from './song.ts'

const songid = Type.Integer({ description: 'Number of the requested song.' })
const songmid = Type.String({ description: 'MID of the requested song.' })

/** Maximum number of playlists that a cursor can name. */
export const mostShown = 60

const cursor = (pattern: string): ReturnType<typeof Type.String> =>
  Type.String({
    pattern,
    'x-allowed': 'nextCursor of an earlier answer',
    description: 'nextCursor of the previous answer, for the same song. If omitted: from the start.'
  })

const nextCursor = Type.Optional(Type.String({ description: 'Pass it as cursor for more; absent when there are no more.' }))

export const GetOtherVersionsQuery = Type.Object({ songmid: mid('song') })

export const SongVersion = Type.Object({
  tag: Type.String({ description: 'Kind of version, in the upstream\'s words; "" when unknown.' }),
  song: ref(Song)
}, { $id: 'SongVersion', description: 'Another version of a song.' })

export const OtherVersions = Type.Object({
  songmid,
  versions: Type.Array(ref(SongVersion), { description: 'At most ten; empty when there are none.' }),
  skipped
}, { $id: 'OtherVersions', description: 'Other versions of a song: live, covers, remixes.' })

export const GetRelatedMvQuery = Type.Object({
  songmid: mid('song'),
  cursor: Type.Optional(cursor('^[1-9][0-9]{0,14}$'))
})

export const RelatedMvs = Type.Object({
  songid,
  songmid,
  list: Type.Array(ref(Mv), { description: 'MVs, usually three. Their length is unknown (0).' }),
  nextCursor,
  skipped
}, { $id: 'RelatedMvs', description: 'MVs related to a song.' })

export const GetRelatedPlaylistsQuery = Type.Object({
  songmid: mid('song'),
  cursor: Type.Optional(cursor(`^[1-9][0-9]{0,14}(\\.[1-9][0-9]{0,14}){0,${mostShown - 1}}$`))
})

export const RelatedPlaylists = Type.Object({
  songid,
  songmid,
  playlists: Type.Array(ref(PlaylistSummary), { description: 'Playlists: some ten in the first answer, usually three in each further one.' }),
  nextCursor,
  skipped
}, { $id: 'RelatedPlaylists', description: 'Playlists related to a song.' })

const tabs = ['song_sing', 'song_composing', 'song_lyric', 'producer', 'arranger', 'musician'] as const

export const GetSingerTabQuery = Type.Object({
  singermid: mid('singer'),
  tab: defaulted(
    wordOf(tabs, {
      description:
        'Role of the singer: song_sing sang, song_composing composed, song_lyric wrote the words, producer produced, arranger arranged, musician played. Albums, MVs and the description have their own endpoints.'
    }),
    'song_sing'
  ),
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 30, description: 'Number of rows, 1 to 30.' }), 10),
  page: pageFromOne()
})

export const SingerTab = Type.Object({
  singerMid: Type.String({ description: 'MID of the requested singer.' }),
  tab: Type.String({ description: 'The requested tab.' }),
  hasMore: Type.Boolean({ description: 'Whether there is a next page.' }),
  songs: Type.Array(ref(Song), { description: 'Songs of the page; empty when there are none.' }),
  skipped
}, { $id: 'SingerTab', description: 'One page of the songs that a singer sang, wrote or made.' })

export type OtherVersions = Static<typeof OtherVersions>
export type RelatedMvs = Static<typeof RelatedMvs>
export type RelatedPlaylists = Static<typeof RelatedPlaylists>
export type SingerTab = Static<typeof SingerTab>
