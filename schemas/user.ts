/** Accounts: their playlists, liked songs and pictures, and the cookie in use. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, limit, numberOf, ref, skipped, skippedInAll } from './common.ts'
import { FoundAlbum } from './search.ts'
import { Song } from './song.ts'

const accountNumber = (
  description: string,
  more: { readonly 'x-unless'?: string } = {}
): ReturnType<typeof Type.String> =>
  Type.String({
    pattern: '^[oO]?0*[1-9][0-9]{0,18}$',
    maxLength: 40,
    'x-allowed': 'an account number: up to 19 digits, with or without a leading o',
    description: `${description} Digits; a leading "o" and zeros do not count.`,
    ...more
  })

const offset = (): ReturnType<typeof defaulted<ReturnType<typeof Type.Integer>>> =>
  defaulted(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Number of rows to skip.' }), 0)

export const GetUserPlaylistsQuery = Type.Object({
  uin: accountNumber('Whose playlists.'),
  offset: offset(),
  limit: limit(30)
})

export const UserPlaylist = Type.Object({
  dissid: Type.String({ description: 'Id of the playlist, for /getSongListDetail.' }),
  dissname: Type.String({ description: 'Name.' }),
  dirid: Type.Integer({ description: 'Number of the folder within the account: 201 is the liked songs; 0 when unknown.' }),
  songnum: Type.Integer({ description: 'Number of songs; 0 when unknown.' }),
  picurl: Type.String({ description: 'Address of its picture; "" when there is none.' })
}, { $id: 'UserPlaylist', description: 'A playlist that an account made.' })

export const UserPlaylists = Type.Object({
  playlists: Type.Array(ref(UserPlaylist), { description: 'The rows from offset on, at most limit of them.' }),
  total: Type.Integer({ description: 'Number of playlists in all.' }),
  skipped: skippedInAll
}, { $id: 'UserPlaylists', description: 'Playlists that an account made, including its liked songs.' })

export type UserPlaylist = Static<typeof UserPlaylist>
export type UserPlaylists = Static<typeof UserPlaylists>

export const GetUserLikedSongsQuery = Type.Object({
  uin: Type.Optional(accountNumber('Whose liked songs; left out: those of the account of the cookie.')),
  offset: offset(),
  limit: limit(30)
})

export const LikedSongs = Type.Object({
  total: Type.Integer({ description: 'Number of liked songs in all.' }),
  hasMore: Type.Boolean({ description: 'Whether there are songs after this page.' }),
  songs: Type.Array(ref(Song), { description: 'The songs of the page, latest first.' }),
  skipped
}, { $id: 'LikedSongs', description: 'One page of the songs that an account likes.' })

export type LikedSongs = Static<typeof LikedSongs>

/** One page of the items that an account likes or follows. */
const favourites = (what: string) => Type.Object({
  uin: Type.Optional(accountNumber(`Whose ${what}; left out: those of the account of the cookie.`)),
  offset: offset(),
  limit: limit(30)
})

const page = (what: string) => ({
  total: Type.Integer({ description: `Number of ${what} in all.` }),
  hasMore: Type.Boolean({ description: `Whether there are ${what} after this page.` }),
  skipped
})

const time = Type.Integer({ description: 'When the account collected it, Unix seconds; 0 when unknown.' })

export const GetUserCollectedPlaylistsQuery = favourites('collected playlists')

export const CollectedPlaylist = Type.Object({
  dissid: Type.String({ description: 'Id of the playlist, for /getSongListDetail.' }),
  dissname: Type.String({ description: 'Name.' }),
  creator: Type.String({ description: 'Nickname of its creator; "" when unknown.' }),
  songnum: Type.Integer({ description: 'Number of songs; 0 when unknown.' }),
  picurl: Type.String({ description: 'Address of its picture; "" when there is none.' }),
  time
}, { $id: 'CollectedPlaylist', description: 'A playlist of another user that an account collected.' })

export const CollectedPlaylists = Type.Object({
  ...page('collected playlists'),
  playlists: Type.Array(ref(CollectedPlaylist), { description: 'The playlists of the page, as the upstream orders them.' })
}, { $id: 'CollectedPlaylists', description: 'One page of the playlists that an account collected.' })

export type CollectedPlaylist = Static<typeof CollectedPlaylist>
export type CollectedPlaylists = Static<typeof CollectedPlaylists>

export const GetUserCollectedAlbumsQuery = favourites('collected albums')

export const CollectedAlbum = Type.Object({ ...FoundAlbum.properties, time }, {
  $id: 'CollectedAlbum',
  description: 'An album that an account collected.'
})

export const CollectedAlbums = Type.Object({
  ...page('collected albums'),
  albums: Type.Array(ref(CollectedAlbum), { description: 'The albums of the page, as the upstream orders them.' })
}, { $id: 'CollectedAlbums', description: 'One page of the albums that an account collected.' })

export type CollectedAlbum = Static<typeof CollectedAlbum>
export type CollectedAlbums = Static<typeof CollectedAlbums>

export const GetUserFollowedSingersQuery = favourites('followed singers')

export const FollowedSinger = Type.Object({
  singerName: Type.String({ description: 'Name.' }),
  singerMID: Type.String({ description: 'MID of the singer.' }),
  singerPic: Type.String({ description: 'Address of a picture; "" when there is none.' }),
  concernNum: Type.Integer({ description: 'Number of followers; 0 when unknown.' })
}, { $id: 'FollowedSinger', description: 'A singer that an account follows.' })

export const FollowedSingers = Type.Object({
  ...page('followed singers'),
  singers: Type.Array(ref(FollowedSinger), { description: 'The singers of the page, as the upstream orders them.' })
}, { $id: 'FollowedSingers', description: 'One page of the singers that an account follows.' })

export type FollowedSinger = Static<typeof FollowedSinger>
export type FollowedSingers = Static<typeof FollowedSingers>

const avatarSizes = [40, 100, 140, 640] as const

export const GetUserAvatarQuery = Type.Object({
  k: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Avatar key, the k parameter of an avatar address the provider gave. Required without uin; if k is given, uin is ignored.'
    })
  ),
  uin: Type.Optional(accountNumber('Whose avatar, when k is not given.', { 'x-unless': 'k' })),
  size: defaulted(numberOf(avatarSizes, { 'x-empty': 'error', 'description': 'Width and height in pixels: 40, 100, 140 or 640. An empty text is an error here.' }), 140)
})

export const UserAvatar = Type.Object({
  avatarUrl: Type.String({ description: 'Address of the picture. It is built without an upstream call; for an unknown account it shows a silhouette.' }),
  message: Type.String({ description: 'ok' })
}, { $id: 'UserAvatar', description: 'Address of an account\'s picture.' })

export type UserAvatar = Static<typeof UserAvatar>

export const GetCookieQuery = Type.Object({})

export const CookieInfo = Type.Object({
  code: numberOf([200], { description: '200 = success.' }),
  cookie: Type.String({ description: 'The cookie as text, pairs separated by "; "; "" without a cookie.' }),
  cookieList: Type.Array(Type.String(), { description: 'The pairs, each name=value.' }),
  cookieObject: Type.Record(Type.String(), Type.String(), { description: 'The pairs by name.' })
}, {
  $id: 'CookieInfo',
  description:
    'The cookie that this request uses, in the names of this interface. Values of the global cookie show as *** unless exposeGlobalCookie is on.'
})

export type CookieInfo = Static<typeof CookieInfo>
