/** The lists of the Meting API: songs by song, album, singer, playlist or search, as its items. */
import { getSongInfo } from '../../endpoints/music/getSongInfo.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { getSongListDetail } from '../../endpoints/playlists/getSongListDetail.ts'
import { getSearchByKey } from '../../endpoints/search/getSearchByKey.ts'
import { getSingerHotsong } from '../../endpoints/singers/getSingerHotsong.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Call } from '../call.ts'

/** A song of a list. `picture`: id of its picture, "" if it has none. */
export interface Track { readonly mid: string, readonly name: string, readonly artist: string, readonly picture: string }

/** Number of songs of a singer and of a search, as on other servers of this interface. */
const artistSongs = 50
const searchSongs = 30

/** Each kind of list by its id. Throw RelayError: NOT_FOUND if the item does not exist. */
export const lists = {
  // A MID has 14 characters, so fewer digits are a number.
  song: async (id, call) => [trackOf((await call(getSongInfo, /^\d{1,13}$/.test(id) ? { songid: Number(id) } : { songmid: id })).songinfo.data.track_info)],
  album: async (id, call) => (await call(getAlbumInfo, { albummid: id })).songs.map(trackOf),
  artist: async (id, call) => (await call(getSingerHotsong, { singermid: id, limit: artistSongs })).songList.map(trackOf),
  playlist: async (id, call) => (await call(getSongListDetail, { disstid: id })).songlist.map(({ songmid, songname, singer, albummid }) =>
    ({ mid: songmid, name: songname, artist: singer.replaceAll('/', ' / '), picture: albummid })),
  search: async (id, call) => (await call(getSearchByKey, { key: id, limit: searchSongs, catZhida: 0 })).song.list.map(trackOf)
} satisfies Readonly<Record<string, (id: string, call: Call) => Promise<readonly Track[]>>>

/** Kind of a list. */
export type ListType = keyof typeof lists

const trackOf = ({ mid, name, title, singer, album }: Song): Track =>
  ({ mid, name: title || name, artist: singer.map((each) => each.name).join(' / '), picture: album.pmid || album.mid })
