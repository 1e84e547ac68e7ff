/** Chains of calls by what they answer: the calls of an endpoint and their fallbacks, in the order in which they are sent. */
import { queryOf } from '../support/asks.ts'
import { endpoints } from '../support/helper.ts'
import type { RelayFunctions } from '../../src/library/types.ts'

type Name = keyof RelayFunctions
type RecordOf<K extends Name> = Awaited<ReturnType<RelayFunctions[K]>>

interface More<Facts> {
  /** The part of an answer that is the same for all alternatives, if one knows less or sorts differently. Default: everything. */
  readonly facts?: Facts
  readonly login?: true
  /** The first two links are one call, sent as the phone program and as the web. */
  readonly twice?: true
  /** Number of requests that a broken host fails. Lower if another alternative in between uses the same host. */
  readonly broken?: number
  /** Failures that look like a regular answer if all calls have them, with the status and the source. */
  readonly allDead?: Readonly<Record<string, readonly [status: number, source: string | null]>>
}

export interface Chain extends More<unknown> {
  readonly endpoint: Name
  readonly input: object
  readonly path: string
  /** The upstream names of the calls, by their names in this project. */
  readonly links: Readonly<Record<string, string>>
  readonly facts: (body: unknown) => unknown
}

/** `facts` is typed by the record: a misspelt field would be absent, hence equal, in all answers. */
function chain<K extends Name> (
  endpoint: K, input: object, links: Chain['links'], { facts, ...more }: More<(record: RecordOf<K>) => unknown> = {}
): Chain {
  const { path, envelope } = endpoints[endpoint] as (typeof endpoints)[string]
  return {
    endpoint, input, links, path: `${path}?${queryOf(input)}`,
    facts: (body) => facts === undefined ? body : facts(envelope.unwrap(body) as RecordOf<K>), ...more
  }
}

/** The protocol has no other form for "there is none": see docs/decisions.md#0009. */
const unknownLooksBlocked = { 'is blocked without a word': [404, null] } as const

export const chains = {
  'a chart': chain('getRanks', { topId: 62, limit: 3 },
    { 'chart.detail': 'music.musicToplist.Toplist/GetDetail', 'chart.detail.older': 'musicToplist.ToplistInfoServer/GetDetail',
      'chart.classic': '/v8/fcg-bin/fcg_v8_toplist_cp.fcg' },
    { facts: ({ songInfoList, topList }) => [songInfoList, topList?.id] }),
  'the list of charts': chain('getRanks', { limit: 1 },
    { 'chart.all': 'music.musicToplist.Toplist/GetAll', 'chart.all.older': 'musicToplist.ToplistInfoServer/GetAll', 'chart.all.classic': '/v8/fcg-bin/fcg_myqq_toplist.fcg' },
    { facts: ({ topLists }) => topLists?.map(({ id }) => id).sort() }),
  'a past chart': chain('getRanks', { topId: 5, limit: 3, period: '2026_30' },
    { 'chart.detail': 'music.musicToplist.Toplist/GetDetail', 'chart.detail.older': 'musicToplist.ToplistInfoServer/GetDetail' }),
  'the issues of a chart': chain('getRankPeriods', { topId: 5 },
    { 'chart.all': 'music.musicToplist.Toplist/GetAll', 'chart.all.older': 'musicToplist.ToplistInfoServer/GetAll' }),
  'a song': chain('getSongInfo', { songmid: '00DemoSong0001' },
    { 'song.detail': 'music.pf_song_detail_svr/get_song_detail_yqq', 'song.tracks': 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo',
      'song.classic': '/v8/fcg-bin/fcg_play_single_song.fcg' }, { facts: ({ songinfo }) => songinfo.data.track_info }),
  'a play URL': chain('getMusicPlay', { songmid: '00DemoSong0001' },
    { 'play.vkey': 'vkey.GetVkeyServer/CgiGetVkey', 'play.vkey.newer': 'music.vkey.GetVkey/UrlGetVkey' },
    // with that as its reason
    { facts: ({ url }) => url.split('?')[0], allDead: { 'is refused by risk control': [200, 'song.detail'] } }),
  'a download URL': chain('downloadProviderMusic', { songmid: '00DemoSong0001' },
    { 'play.vkey': 'vkey.GetVkeyServer/CgiGetVkey', 'play.vkey.newer': 'music.vkey.GetVkey/UrlGetVkey' },
    { facts: ({ url }) => url.split('?')[0], allDead: { 'is refused by risk control': [200, 'song.detail'] } }),
  'a lyric': chain('getLyric', { songmid: '00DemoSong0001' },
    { 'lyric.classic': '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', 'lyric.musicu': 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo' },
    { allDead: { 'is blocked without a word': [200, 'song.detail'] } }), // how a song without a lyric looks
  'an album': chain('getAlbumInfo', { albummid: '00DemoAlbu0009' },
    { 'album.detail': 'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail', 'album.classic': '/v8/fcg-bin/fcg_v8_album_info_cp.fcg',
      'album.classic.detail': '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg' }, { allDead: unknownLooksBlocked }),
  'the songs of an album': chain('getAlbumInfo', { albummid: '00DemoAlbu0009' },
    { 'album.songs': 'music.musichallAlbum.AlbumSongList/GetAlbumSongList', 'album.classic': '/v8/fcg-bin/fcg_v8_album_info_cp.fcg',
      'album.classic.detail': '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg' }),
  'hot words': chain('getHotkey', {},
    { 'hotkeys.desktop': 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC', 'hotkeys.classic': '/splcloud/fcgi-bin/gethotkey.fcg',
      'hotkeys.phone': 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile' }),
  'playlists': chain('getSongLists', { limit: 3 },
    { 'playlists.classic': '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg', 'playlists.square': 'playlist.PlayListPlazaServer/get_playlist_by_tag' }, { broken: 1 }),
  // A further call answers the owner of a playlist only: see playlists.test.ts.
  'a playlist': chain('getSongListDetail', { disstid: '7700000001', limit: 3 },
    { 'playlist.detail': 'music.srfDissInfo.DissInfo/CgiGetDiss', 'playlist.detail.sibling': 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo',
      'playlist.detail.whole': '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', 'playlist.detail.classic': '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg' },
    { allDead: unknownLooksBlocked }),
  'singers': chain('getSingerList', { limit: 5 },
    { 'singer.list': 'music.musichallSinger.SingerList/GetSingerListIndex', 'singer.list.older': 'Music.SingerListServer/get_singer_list',
      'singer.list.whole': 'music.musichallSinger.SingerList/GetSingerList' },
    { facts: ({ singers }) => singers.map(({ singerMID }) => singerMID) }),
  'a singer': chain('getSingerDesc', { singermid: '00DemoSing0001' },
    { 'singer.detail': 'music.musichallSinger.SingerInfoInter/GetSingerDetail', 'singer.desc.classic': '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg' },
    { facts: (singer) => ({ ...singer, singerPic: '' }) }),
  'songs of a singer': chain('getSingerHotsong', { singermid: '00DemoSing0001', limit: 3 },
    { 'singer.songs': 'musichall.song_list_server/GetSingerSongList', 'singer.songs.other': 'music.musichallSong.SongListInter/GetSingerSongList',
      'singer.songs.older': 'music.web_singer_info_svr/get_singer_detail_info' }),
  'albums of a singer': chain('getSingerAlbum', { singermid: '00DemoSing0001', limit: 3 },
    { 'singer.albums': 'music.musichallAlbum.AlbumListServer/GetAlbumList', 'singer.albums.older': 'music.web_singer_info_svr/get_singer_album',
      'singer.albums.classic': '/v8/fcg-bin/fcg_v8_singer_album.fcg' },
    { facts: ({ singerMid, total, albumList }) => [singerMid, total, albumList.length] }),
  'MVs of a singer': chain('getSingerMv', { singermid: '00DemoSing0001', limit: 5 },
    { 'singer.mvs': 'MvService.MvInfoProServer/GetSingerMvList', 'singer.mvs.classic': '/mv/fcgi-bin/fcg_singer_mv.fcg' },
    { facts: ({ total, list }) => [total, list.map(({ vid }) => vid)] }),
  'similar singers': chain('getSimilarSinger', { singermid: '00DemoSing0001' },
    { 'singer.similar': 'music.SimilarSingerSvr/GetSimilarSingerList', 'singer.similar.classic': '/v8/fcg-bin/fcg_v8_simsinger.fcg' },
    { facts: ({ singers }) => singers.map(({ singerMID }) => singerMID) }),
  'fans of a singer': chain('getSingerStarNum', { singermid: '00DemoSing0001' },
    { 'singer.fans.page': 'music.web_singer_info_svr/get_singer_detail_info', 'singer.fans.classic': '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg',
      'singer.homepage': 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader' }),
  'the files of an MV': chain('getMvPlay', { vid: 'demoV000004' },
    { 'mv.urls': 'music.stream.MvUrlProxy/GetMvUrls', 'mv.urls.older': 'gosrf.Stream.MvUrlProxy/GetMvUrls' }, { facts: ({ urls }) => urls.length }),
  'MVs of a region': chain('getMvByTag', { tag: 'korea', limit: 3 },
    { 'mv.list': 'MvService.MvInfoProServer/GetAllocMvInfo', 'mv.tag.classic': '/mv/fcgi-bin/getmv_by_tag' }, { facts: ({ list }) => list.length }),
  'radios': chain('getRadioLists', {}, { radios: 'pf.radiosvr/GetRadiolist', 'radios.classic': '/v8/fcg-bin/fcg_v8_radiolist.fcg' }),
  'a station': chain('getRadioSongs', { radioId: 199, limit: 3 },
    { 'radio.songs': 'pf.radiosvr/GetRadiosonglist', 'radio.songs.older': 'mb_track_radio_svr/get_radio_track' },
    { login: true, facts: ({ songs }) => songs.length, allDead: unknownLooksBlocked }),
  'the personal station': chain('getPersonalRadio', { limit: 3 },
    { 'radio.personal': 'music.radioProxy.MbTrackRadioSvr/get_radio_track', 'radio.personal.older': 'mb_track_radio_svr/get_radio_track' },
    { login: true, facts: ({ songs }) => songs.length }),
  'comments': chain('getComments', { id: '5000001', reqtype: 3, pagesize: 3 },
    { 'comments.GetHotCommentList': 'music.globalComment.CommentRead/GetHotCommentList', 'comments.classic': '/base/fcgi-bin/fcg_global_comment_h5.fcg' },
    { facts: ({ comment }) => [comment.total, comment.list.map(({ nick, content }) => [nick, content])] }),
  'similar songs': chain('getSimilarSongs', { songmid: '00DemoSong0001' },
    { 'song.similar': 'music.recommend.TrackRelationServer/GetSimilarSongs', 'song.similar.web': 'music.recommend.TrackRelationServer/GetSimilarSongs',
      'song.similar.older': 'rcmusic.similarSongRadioServer/get_simsongs' },
    // how a song looks that nothing resembles
    { twice: true, facts: ({ songmid }) => songmid, allDead: { 'is blocked without a word': [200, 'song.detail'] } }),
  'collected playlists': chain('getUserCollectedPlaylists', { limit: 3 },
    { 'user.collected.playlists': 'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo', 'user.collected.playlists.classic': '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg' },
    { login: true, facts: ({ playlists }) => playlists }), // the classic total counts a reserved folder
  'collected albums': chain('getUserCollectedAlbums', { limit: 3 },
    { 'user.collected.albums': 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', 'user.collected.albums.classic': '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg' },
    { login: true }),
  'the daily playlist': chain('getDailyRecommend', {},
    { 'daily.folder': 'music.srfDissInfo.DissInfo/CgiGetDiss', 'daily.page': '/node/musicmac/v6/index.html',
      feed: 'music.recommend.RecommendFeed/get_recommend_feed', 'feed.older': 'recommend.RecommendFeedServer/get_recommend_feed', 'daily.light': 'music.qqmusiclite.MtRecommendSvr/GetDaily30',
      'radio.personal': 'music.radioProxy.MbTrackRadioSvr/get_radio_track', 'radio.personal.older': 'mb_track_radio_svr/get_radio_track' },
    { login: true, facts: ({ songs }) => songs.length > 0 })
} satisfies Readonly<Record<string, Chain>>
