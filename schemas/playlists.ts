/** Playlists and new albums. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, findable, limit, pageFromOne, pageFromZero, ref, skipped } from './common.ts'
import { elementError } from './errors.ts'
import { trackFields, unplayable } from './song.ts'

export const allPlaylists = 10000000

const categoryIdRange = { minimum: 0, maximum: 1_000_000_000 }
const sortId = (): ReturnType<typeof Type.Integer> =>
  Type.Integer({
    minimum: 1,
    maximum: 5,
    description:
      'Order: 5 recommended, 2 newest, 3 most listened, 4 best rated (the upstream treats 3 and 4 much like 5), 1 default (category 10000000 only).'
  })

export const GetSongListsQuery = Type.Object({
  categoryId: defaulted(
    Type.Integer({ ...categoryIdRange, description: 'Category, from /getSongListCategories; 10000000 = all.' }),
    allPlaylists
  ),
  sortId: defaulted(sortId(), 5),
  limit: limit(20),
  page: pageFromZero()
})

export const PlaylistSummary = Type.Object({
  dissid: Type.String({ description: 'Playlist id, digits as text; the disstid of /getSongListDetail.' }),
  dissname: Type.String({ description: 'Name.' }),
  creator: Type.String({ description: 'Nickname of its creator; "" when unknown.' }),
  listen_num: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  imgurl: Type.String({ description: 'Address of its picture; "" when there is none.' })
}, { $id: 'PlaylistSummary', description: 'A playlist without its songs.' })

export const PlaylistPage = Type.Object({
  categoryId: Type.Integer({ description: 'The requested category.' }),
  sum: Type.Integer({ description: 'Number of playlists in the category; 0 when unknown.' }),
  playlists: Type.Array(ref(PlaylistSummary), { description: 'Playlists of the page; empty beyond the last page and for an unknown category.' }),
  skipped
}, { $id: 'PlaylistPage', description: 'One page of the playlists of a category.' })

export const GetSongListCategoriesQuery = Type.Object({})

export const PlaylistCategory = Type.Object({
  id: Type.Integer({ description: 'Category id, for /getSongLists.' }),
  name: Type.String({ description: 'Name.' }),
  group: Type.String({ description: 'Name of the group it belongs to, such as language or mood; "" when it has none.' })
}, { $id: 'PlaylistCategory', description: 'A category of playlists.' })

export const PlaylistCategories = Type.Object({
  categories: Type.Array(ref(PlaylistCategory), { description: 'Categories in the order of their groups.' }),
  skipped
}, { $id: 'PlaylistCategories', description: 'All categories of playlists.' })

export const GetSongListDetailQuery = Type.Object({
  disstid: Type.String({ ...findable, pattern: '^[0-9]{1,19}$', 'x-allowed': 'a playlist id: 1 to 19 digits', description: 'Playlist id: 1 to 19 digits.' }),
  offset: defaulted(Type.Integer({ minimum: 0, maximum: 100_000, description: 'First song, counted from 0.' }), 0),
  limit: limit(1000, 1000)
})

export const PlaylistSong = Type.Object({
  songid: Type.Integer({ description: 'Number of the song; 0 when unknown.' }),
  songmid: Type.String({ description: 'MID of the song; "" when unknown.' }),
  songname: Type.String({ description: 'Title; "" for a deleted song.' }),
  singer: Type.String({ description: 'Singers, joined by "/".' }),
  albumid: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  albummid: Type.String({ description: 'MID of the album; "" when it has none.' }),
  albumname: Type.String({ description: 'Name of the album; "" when it has none.' }),
  interval: Type.Integer({ description: 'Length in seconds; 0 when unknown.' }),
  ...trackFields,
  media_mid: Type.String({ description: 'MID of its media files, the mediaId of /getMusicPlay; "" when unknown.' }),
  vid: Type.String({ description: 'vid of its MV; "" when there is none.' }),
  unplayable
}, { $id: 'PlaylistSong', description: 'A song of a playlist.' })

export const PlaylistDetail = Type.Object({
  disstid: Type.String({ description: 'Playlist id.' }),
  dissname: Type.String({ description: 'Name.' }),
  desc: Type.String({ description: 'Description, with newlines; "" when there is none.' }),
  creator: Type.String({ description: 'Nickname of its creator; "" when unknown.' }),
  listen_num: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  imgurl: Type.String({ description: 'Address of its picture; "" when there is none.' }),
  songnum: Type.Integer({ description: 'Number of songs in all.' }),
  songlist: Type.Array(ref(PlaylistSong), { description: 'Songs from offset on, at most limit, in the order of the playlist.' }),
  skipped
}, { $id: 'PlaylistDetail', description: 'A playlist with its songs.' })

export const GetNewDisksQuery = Type.Object({
  limit: limit(20),
  page: pageFromOne()
})

export const NewAlbum = Type.Object({
  albumID: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  albumMID: Type.String({ description: 'MID of the album, the albummid of /getAlbumInfo; "" when unknown.' }),
  albumName: Type.String({ description: 'Name.' }),
  singerName: Type.String({ description: 'Singers, joined by "/".' }),
  publicTime: Type.String({ description: 'Day of publication, YYYY-MM-DD; "" when unknown.' }),
  albumPic: Type.String({ description: 'Address of its picture; "" when there is none.' })
}, { $id: 'NewAlbum', description: 'A new album.' })

export const NewAlbums = Type.Object({
  total: Type.Integer({ description: 'Number of new albums in all; 0 when unknown.' }),
  albums: Type.Array(ref(NewAlbum), { description: 'Albums of the page, as the upstream orders them.' }),
  skipped
}, { $id: 'NewAlbums', description: 'One page of new albums.' })

/** Maximum elements of one batch, categories and ids together. */
export const mostElements = 50

export const BatchGetSongListsBody = Type.Object({
  categoryIds: Type.Optional(Type.Array(Type.Integer(categoryIdRange), {
    maxItems: mostElements,
    description: `Categories; one element of the answer each, at most ${mostElements}. If omitted without disstid: [${allPlaylists}], which is all playlists.`
  })),
  page: pageFromZero(),
  limit: limit(19),
  sortId: defaulted(sortId(), 5),
  disstid: Type.Optional(Type.String({
    ...findable,
    pattern: `^\\s*[0-9]{1,19}\\s*(,\\s*[0-9]{1,19}\\s*){0,${mostElements - 1}}$`,
    'x-allowed': `1 to ${mostElements} playlist ids of 1 to 19 digits, separated by commas`,
    description: 'Playlist ids, separated by commas: their details, after the categories if both are given. page, limit and sortId do not apply to them.'
  }))
})

export const FailedCategory = Type.Object({
  ...elementError,
  categoryId: Type.Integer({ description: 'The category that failed.' })
}, { $id: 'FailedCategory', description: 'Replaces a page of playlists: why there is none.' })

export const FailedPlaylist = Type.Object({
  ...elementError,
  disstid: Type.String({ description: 'The playlist that failed.' })
}, { $id: 'FailedPlaylist', description: 'Replaces a playlist: why there is none.' })

export const PlaylistBatch = Type.Array(
  Type.Union([ref(PlaylistPage), ref(PlaylistDetail), ref(FailedCategory), ref(FailedPlaylist)]),
  { $id: 'PlaylistBatch', description: 'One element per category, then one per playlist id, in the requested order. An element with `error` failed.' }
)

export type PlaylistSummary = Static<typeof PlaylistSummary>
export type PlaylistPage = Static<typeof PlaylistPage>
export type PlaylistCategories = Static<typeof PlaylistCategories>
export type PlaylistCategory = Static<typeof PlaylistCategory>
export type PlaylistSong = Static<typeof PlaylistSong>
export type PlaylistDetail = Static<typeof PlaylistDetail>
export type NewAlbum = Static<typeof NewAlbum>
export type NewAlbums = Static<typeof NewAlbums>
export type PlaylistBatch = Static<typeof PlaylistBatch>
