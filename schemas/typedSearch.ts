/** The search for one type of item. */
import { Type, type Static } from '@sinclair/typebox'
import { limit, pageFromOne, ref, skipped, typeName, wordOf } from './common.ts'
import { Mv } from './mv.ts'
import { PlaylistSummary } from './playlists.ts'
import { FoundAlbum, FoundSinger, searchKey } from './search.ts'
import { Song } from './song.ts'

const searchTypes = ['song', 'album', 'singer', 'playlist', 'mv', 'lyric'] as const

const type = wordOf(searchTypes, { [typeName]: 'SearchType', description: 'Kind to search. lyric: songs by words of their lyric.' })

export const SearchQuery = Type.Object({
  // No default: apps of another relay that send their own parameters to /search get an error.
  type,
  key: searchKey(),
  limit: limit(20),
  page: pageFromOne()
})

export const FoundPlaylist = Type.Object({
  ...PlaylistSummary.properties,
  songnum: Type.Integer({ description: 'Number of songs; 0 when unknown.' })
}, { $id: 'FoundPlaylist', description: 'A playlist that a search found.' })

export const FoundLyric = Type.Object({
  song: ref(Song),
  text: Type.String({ description: 'The words around the hit, without times; "" when the upstream sends none.' })
}, { $id: 'FoundLyric', description: 'A song whose lyric contains the words.' })

export const TypedSearchResult = Type.Object({
  keyword: Type.String({ description: 'The search words.' }),
  type,
  total: Type.Integer({ description: 'Number of hits as the upstream reports it; it may send fewer.' }),
  skipped,
  songs: Type.Array(ref(Song), { description: 'Songs of the page, best first; empty with another type.' }),
  albums: Type.Array(ref(FoundAlbum), { description: 'Albums of the page, best first; empty with another type.' }),
  singers: Type.Array(ref(FoundSinger), { description: 'Singers of the page, best first; empty with another type.' }),
  playlists: Type.Array(ref(FoundPlaylist), { description: 'Playlists of the page, best first; empty with another type.' }),
  mvs: Type.Array(ref(Mv), { description: 'MVs of the page, best first; empty with another type.' }),
  lyrics: Type.Array(ref(FoundLyric), { description: 'Songs of the page by their lyric, best first; empty with another type.' })
}, { $id: 'TypedSearchResult', description: 'One page of results of one kind.' })

export type SearchType = Static<typeof type>
export type FoundPlaylist = Static<typeof FoundPlaylist>
export type FoundLyric = Static<typeof FoundLyric>
export type TypedSearchResult = Static<typeof TypedSearchResult>
