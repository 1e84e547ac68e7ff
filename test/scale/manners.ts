/** Two ways in which a listener's player comes: OpenSubsonic with a login, or the endpoints without one. */
import { queryOf, usual } from '../support/opensubsonicPlayer.ts'
import type { Ask } from './sessions.ts'

/** `store`: whether instances share answers. What a login was answered stays in the instance that it asked. */
export interface Manner { readonly name: string, readonly store: boolean, readonly pathOf: (ask: Ask) => string | undefined }

const idOf = ({ parameters }: Ask): string => String([parameters['id']].flat()[0] ?? '').replace(/^\w\w-/, '')
const album = (ask: Ask): string => `/getAlbumInfo?albummid=${idOf(ask)}`
const singer = (ask: Ask): string => `/getSingerDesc?singermid=${idOf(ask)}`
const similar = (ask: Ask): string => `/getSimilarSongs?songmid=${idOf(ask)}`
const search = ({ parameters }: Ask): string => `/getSearchByKey?${queryOf({ key: parameters['query'] })}`

/** The endpoint that has what a method of OpenSubsonic has. Others are of the library, or ask nothing. */
const endpoints: Readonly<Record<string, (ask: Ask) => string>> = {
  getAlbum: album, getAlbumInfo: album, getAlbumInfo2: album, getArtistInfo: singer, getArtistInfo2: singer, search2: search, search3: search,
  getSong: (ask) => `/getSongInfo?songmid=${idOf(ask)}`,
  getArtist: (ask) => `/getSingerAlbum?singermid=${idOf(ask)}`,
  getPlaylist: (ask) => `/getSongListDetail?disstid=${idOf(ask)}`,
  getLyricsBySongId: (ask) => `/getLyric?songmid=${idOf(ask)}`,
  stream: (ask) => `/getMusicPlay?songmid=${idOf(ask)}`,
  getSimilarSongs: (ask) => ask.kind === 'song' ? similar(ask) : `/getSimilarSinger?singermid=${idOf(ask)}`,
  getSimilarSongs2: (ask) => `/getSimilarSinger?singermid=${idOf(ask)}`
}

export const manners: readonly Manner[] = [
  { name: 'Players with a login', store: false, pathOf: ({ method, parameters }) => `/rest/${method}?${queryOf({ ...usual, ...parameters })}` },
  { name: 'Apps without a login', store: true, pathOf: (ask) => endpoints[ask.method]?.(ask) }
]
