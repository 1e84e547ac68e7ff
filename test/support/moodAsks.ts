/** One request or more for each endpoint, and the parts of an answer that a mood of the demo may take away. */
import type { RelayFunctions } from '../../src/library/types.ts'
import type { registry } from '../../src/endpoints/index.ts'
import { song } from './helper.ts'

type Name = keyof typeof registry
type RecordOf<K extends Name> = Awaited<ReturnType<RelayFunctions[K]>>

export interface MoodAsk {
  readonly endpoint: Name
  readonly input: Readonly<Record<string, unknown>>
  /** The parts by which answers of different sources are compared. Default: the whole record. */
  readonly parts?: (record: any) => Readonly<Record<string, unknown>>
}

/** `parts` is typed by the record of the endpoint: a misspelt field would be absent, hence equal, in all answers. */
const ask = <K extends Name>(
  endpoint: K, input: MoodAsk['input'], parts?: (record: RecordOf<K>) => Readonly<Record<string, unknown>>
): MoodAsk =>
  ({ endpoint, input, ...(parts === undefined ? {} : { parts }) })

const found = (
  { song: { list }, album, singer, zhida }: RecordOf<'getSearchByKey'>
): Readonly<Record<string, unknown>> => ({
  songs: list.map(({ mid }) => mid), albums: album.list.map(({ albumMID }) => albumMID),
  singers: singer.list.map(({ singerMID }) => singerMID), zhida: zhida?.type
})

/** Addresses hold random numbers and the account; what they lead to does not. */
const played = ({ url, reason, quality, availableQualities }: Pick<
  RecordOf<'getMusicPlay'>, 'url' | 'reason' | 'quality' | 'availableQualities'
>): Readonly<Record<string, unknown>> =>
  ({ address: url.split('?', 1)[0], reason, quality, availableQualities })

const tracks = (records: readonly RecordOf<'getSongInfo'>[]): Readonly<Record<string, unknown>> => ({
  tracks: records.map(({ songinfo: { data } }) => data.track_info),
  info: records.flatMap(({ songinfo: { data } }) => Object.keys(data.info))
})

const comments = (reqtype: number): MoodAsk => ask('getComments', {
  id: '5000001', biztype: 1, reqtype, pagesize: 3
}, ({ comment: { total, list } }) => ({ total, rows: list.length }))

const random = (): Readonly<Record<string, unknown>> => ({})

export const moodAsks: Readonly<Record<string, MoodAsk>> = {
  'charts': ask('getRanks', {}),
  'chart': ask('getRanks', { topId: 62, limit: 3 }),
  'chart with MIDs': ask('getRanks', { topId: 62, limit: 3, resolveMid: true }),
  'song': ask('getSongInfo', { songmid: song(1) }, (record) => tracks([record])),
  'songs': ask(
    'batchGetSongInfo', { songs: [[song(1)], [song(2)]] }, (list) => tracks(list as RecordOf<'getSongInfo'>[])
  ),
  'play': ask('getMusicPlay', { songmid: song(1) }, played),
  'download': ask('downloadProviderMusic', { songmid: song(1), quality: 'm4a' }, played),
  'lyric': ask('getLyric', { songmid: song(5), isFormat: 1 }),
  'album': ask('getAlbumInfo', { albummid: '00DemoAlbu0001' }),
  'search': ask('getSearchByKey', { key: 'paper', limit: 3 }, found),
  'second page of a search': ask('getSearchByKey', { key: 'paper', limit: 3, page: 2, catZhida: 1 }, found),
  'playlists by words': ask('search', { type: 'playlist', key: 'paper', limit: 3 }),
  'short link': ask('resolve', { text: 'https://c6.y.qq.com/base/fcgi-bin/u?__=s00DemoSong0001' }),
  'suggestions': ask('getSmartbox', { key: 'paper' }, ({ result: { songList, albumList, singerList } }) => ({
    songs: songList, albums: albumList, singers: singerList
  })),
  'hot words': ask('getHotkey', {}),
  'playlists': ask('getSongLists', { categoryId: 10000000, limit: 3 }),
  'categories': ask('getSongListCategories', {}),
  'playlist': ask('getSongListDetail', { disstid: '7700000001', limit: 3 }),
  'batch of playlists': ask('batchGetSongLists', { categoryIds: [10000000, 6], limit: 3, disstid: '7700000001' }),
  'new albums': ask('getNewDisks', { limit: 3 }),
  'singers': ask('getSingerList', { area: 3, sex: -1, page: 1, limit: 5 }),
  'singer': ask('getSingerDesc', { singermid: '00DemoSing0003' }, (record) => ({ ...record, singerPic: '' })),
  'songs of a singer': ask('getSingerHotsong', { singermid: '00DemoSing0001', limit: 3 }),
  'albums of a singer': ask('getSingerAlbum', { singermid: '00DemoSing0001', limit: 3 }),
  'MVs of a singer': ask('getSingerMv', { singermid: '00DemoSing0001', limit: 3 }),
  'similar singers': ask('getSimilarSinger', { singermid: '00DemoSing0001' }),
  'followers': ask('getSingerStarNum', { singermid: '00DemoSing0001' }, ({ num, status }) => ({ num, status })),
  'MVs': ask('getMv', { area_id: 15, version_id: 7, limit: 3 }),
  'files of an MV': ask('getMvPlay', { vid: 'demoV000004' }, ({ urls, playLists }) => ({
    urls: urls.length, playLists: Object.keys(playLists)
  })),
  'MVs of a region': ask('getMvByTag', { tag: 'korea', limit: 3 }),
  'MVs by a word': ask('getMvByTag', { tag: 'paper', limit: 3 }, ({ list }) => ({ vids: list.map(({ vid }) => vid) })),
  'picture': ask('getImageUrl', { id: '00DemoAlbu0001', size: '500x500' }),
  'digital albums': ask('getDigitalAlbumLists', { limit: 3 }),
  'radios': ask('getRadioLists', {}),
  'home page': ask('getRecommend', {}, (record) => ({ ...record })),
  'tickets': ask('getTicketInfo', {}, (record) => ({ ...record, timestamp: 0 })),
  'best comments': comments(3),
  'recommended comments': comments(1),
  'newest comments': comments(2),
  'playlists of an account': ask('getUserPlaylists', { uin: '1000000101', limit: 10 }),
  'avatar': ask('getUserAvatar', { uin: '1000000101', size: 140 }),
  'liked songs': ask(
    'getUserLikedSongs', { limit: 3 }, ({ total, songs }) => ({ total, songs: songs.map(({ mid }) => mid) })
  ),
  'collected playlists': ask('getUserCollectedPlaylists', { limit: 3 }),
  'collected albums': ask('getUserCollectedAlbums', { limit: 3 }),
  'followed singers': ask('getUserFollowedSingers', { limit: 3 }),
  'state of a login': ask('account', {}, ({ alive, vip }) => ({ alive, vip })),
  'cookie': ask('getCookie', {}),
  'daily songs': ask('getDailyRecommend', {}, ({ dissid, songs }) => ({ dissid, songs: songs.map(({ mid }) => mid) })),
  'recommended': ask('getPersonalRecommend', {}, ({ songs, playlists }) => ({
    songs: songs.map(({ mid }) => mid), playlists: playlists.map(({ dissid }) => dissid)
  })),
  'similar songs': ask('getSimilarSongs', { songmid: song(1) }),
  'periods of a chart': ask('getRankPeriods', { topId: 5 }),
  'past chart': ask('getRanks', { topId: 5, period: '2026_30', limit: 3 }),
  'other versions': ask('getOtherVersions', { songmid: song(1) }),
  'MVs of a song': ask('getRelatedMv', { songmid: song(1) }),
  'playlists of a song': ask('getRelatedPlaylists', { songmid: song(1) }),
  'tab of a singer': ask('getSingerTab', { singermid: '00DemoSing0001', limit: 3 }),
  // Other songs each time.
  'station': ask('getRadioSongs', { radioId: 199, limit: 3 }, ({ songs }) => ({ songs: songs.length })),
  'radar': ask('getRadarSongs', { limit: 3 }, ({ songs }) => ({ songs: songs.map(({ mid }) => mid) })),
  'personal station': ask('getPersonalRadio', { limit: 5 }, ({ songs }) => ({ songs: songs.length })),
  'main login code': ask('getMainLoginQr', {}, random),
  'main login check': ask('checkMainLoginQr', { qrsig: 'demo-unknown-qrsig' }, random),
  'alternative login code': ask('getAltLoginQr', {}, random),
  'alternative login check': ask('checkAltLoginQr', { uuid: 'demo-unknown-uuid' }, random)
}
