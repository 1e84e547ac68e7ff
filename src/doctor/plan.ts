/**
 * What each endpoint is asked for, so that all of its calls are sent: little, and about things that the upstream itself
 * has just named. So the same plan fits the real upstream and the demo.
 */
import type { RelayFunctions } from '../relay.ts'

export type Name = keyof RelayFunctions
type InputOf<K extends Name> = NonNullable<Parameters<RelayFunctions[K]>[0]>
export type RecordOf<K extends Name> = Awaited<ReturnType<RelayFunctions[K]>>

/** What to ask about. */
export interface Subjects {
  song?: { readonly id: string, readonly mid: string, readonly title: string }
  singer?: string
  album?: string
  playlist?: string
  /** `word`: what it is found by. */
  mv?: { readonly vid: string, readonly word: string }
  /** Account of the cookie. */
  account?: string
  mainCode?: string
  altCode?: string
}

/** Endpoints that need nothing to ask about, and tell something for the others. They come first. */
export const teachers: { readonly [K in Name]?: (record: RecordOf<K>, subjects: Subjects) => void } = {
  getRanks ({ songInfoList }, subjects) {
    const song = songInfoList.find(({ mid, songId }) => mid !== undefined && songId > 0)
    if (song?.mid !== undefined) subjects.song = { id: String(song.songId), mid: song.mid, title: song.songName }
  },
  getSingerList ({ singers: [singer] }, subjects) {
    if (singer !== undefined) subjects.singer = singer.singerMID
  },
  getNewDisks ({ albums: [album] }, subjects) {
    if (album !== undefined && album.albumMID !== '') subjects.album = album.albumMID
  },
  getSongLists ({ playlists: [playlist] }, subjects) {
    if (playlist !== undefined) subjects.playlist = playlist.dissid
  },
  getMv ({ list: [mv] }, subjects) {
    if (mv !== undefined) subjects.mv = { vid: mv.vid, word: mv.singers[0]?.name ?? mv.title }
  },
  getMainLoginQr ({ qrsig }, subjects) {
    subjects.mainCode = qrsig
  },
  getAltLoginQr ({ uuid }, subjects) {
    subjects.altCode = uuid
  }
}

/** Inputs for an endpoint; empty when there is nothing to ask about. */
export const plan: { readonly [K in Name]: (subjects: Subjects) => readonly InputOf<K>[] } = {
  getRanks: () => [{ limit: 1 }],
  getSingerList: () => [{ limit: 1 }],
  getNewDisks: () => [{ limit: 1 }],
  getSongLists: () => [{ limit: 1 }],
  getMv: () => [{ limit: 1 }],
  getMainLoginQr: () => [{}],
  getAltLoginQr: () => [{}],
  getSongInfo: ({ song }) => about(song, ({ mid }) => [{ songmid: mid }]),
  getMusicPlay: ({ song }) => about(song, ({ mid }) => [{ songmid: mid }]),
  getLyric: ({ song }) => about(song, ({ mid }) => [{ songmid: mid }]),
  getAlbumInfo: ({ album }) => about(album, (albummid) => [{ albummid }]),
  batchGetSongInfo: ({ song }) => about(song, ({ mid }) => [{ songs: [[mid]] }]),
  downloadProviderMusic: ({ song }) => about(song, ({ mid }) => [{ songmid: mid }]),
  getSearchByKey: ({ song }) => about(song, ({ title }) => [{ key: title, limit: 1 }]),
  getSmartbox: ({ song }) => about(song, ({ title }) => [{ key: title }]),
  getHotkey: () => [{}],
  getSongListCategories: () => [{}],
  getSongListDetail: ({ playlist }) => about(playlist, (disstid) => [{ disstid, limit: 1 }]),
  batchGetSongLists: ({ playlist }) => about(playlist, (disstid) => [{ disstid, categoryIds: [10000000], limit: 1 }]),
  getSingerDesc: ({ singer }) => about(singer, (singermid) => [{ singermid }]),
  getSingerHotsong: ({ singer }) => about(singer, (singermid) => [{ singermid, limit: 1 }]),
  getSingerAlbum: ({ singer }) => about(singer, (singermid) => [{ singermid, limit: 1 }]),
  getSingerMv: ({ singer }) => about(singer, (singermid) => [{ singermid, limit: 1 }]),
  getSimilarSinger: ({ singer }) => about(singer, (singermid) => [{ singermid }]),
  getSingerStarNum: ({ singer }) => about(singer, (singermid) => [{ singermid }]),
  getMvPlay: ({ mv }) => about(mv, ({ vid }) => [{ vid }]),
  // A region is a list, a word is searched for.
  getMvByTag: ({ mv }) => [{ tag: 'all', limit: 1 }, ...about(mv, ({ word }) => [{ tag: [...word].slice(0, 64).join(''), limit: 1 }])],
  getImageUrl: () => [],
  getDigitalAlbumLists: () => [{ limit: 1 }],
  getRadioLists: () => [{}],
  getRecommend: () => [{}],
  getTicketInfo: () => [{}],
  getComments: ({ song, album }) => [
    ...about(song, ({ id, mid }) => [{ id: mid, reqtype: 1 as const, pagesize: 1 }, { id, reqtype: 2 as const, pagesize: 1 }, { id, reqtype: 3 as const, pagesize: 1 }]),
    ...about(album, (id) => [{ id, biztype: 2 as const, pagesize: 1 }])
  ],
  getUserPlaylists: ({ account }) => about(account, (uin) => [{ uin, limit: 1 }]),
  getUserAvatar: () => [],
  getUserLikedSongs: ({ account }) => about(account, () => [{ limit: 1 }]),
  getCookie: () => [],
  getDailyRecommend: ({ account }) => about(account, () => [{}]),
  getPersonalRecommend: ({ account }) => about(account, () => [{}]),
  getSimilarSongs: ({ song }) => about(song, ({ mid }) => [{ songmid: mid }]),
  checkMainLoginQr: ({ mainCode }) => about(mainCode, (qrsig) => [{ qrsig }]),
  checkAltLoginQr: ({ altCode }) => about(altCode, (uuid) => [{ uuid }])
}

function about<S, I> (subject: S | undefined, inputs: (subject: S) => readonly I[]): readonly I[] {
  return subject === undefined ? [] : inputs(subject)
}
