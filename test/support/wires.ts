/** Names of the upstream's calls as the demo knows them: module and method of the gateway, or a classic path. */
const search = 'music.search.SearchCgiService/DoSearchForQQMusic'
const comment = 'music.globalComment.CommentRead'
const relation = 'music.recommend.TrackRelationServer'
const album = 'music.musichallAlbum'
const mv = 'MvService.MvInfoProServer'

// Songs and their files
export const songDetail = 'music.pf_song_detail_svr/get_song_detail_yqq'
export const songTracks = 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo'
export const songClassic = '/v8/fcg-bin/fcg_play_single_song.fcg'
export const vkey = 'vkey.GetVkeyServer/CgiGetVkey'
export const newerVkey = 'music.vkey.GetVkey/UrlGetVkey'
export const dispatch = 'music.audioCdnDispatch.cdnDispatch/GetCdnDispatch'
export const lyricClassic = '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'
export const lyricGateway = 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo'
export const otherVersions = 'music.musichallSong.OtherVersionServer/GetOtherVersionSongs'
export const similarSongs = `${relation}/GetSimilarSongs`
export const similarSongsOlder = 'rcmusic.similarSongRadioServer/get_simsongs'
export const relatedMvs = `${mv}/GetSongRelatedMv`
export const relatedPlaylists = `${relation}/GetRelatedPlaylist`

// Albums
export const albumDetail = `${album}.AlbumInfoServer/GetAlbumDetail`
export const albumSongs = `${album}.AlbumSongList/GetAlbumSongList`
export const albumClassic = '/v8/fcg-bin/fcg_v8_album_info_cp.fcg'
export const albumTables = '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg'
export const newAlbums = 'newalbum.NewAlbumServer/get_new_album_info'
export const shop = '/v8/fcg-bin/musicmall.fcg'

// Charts
export const chart = 'music.musicToplist.Toplist/GetDetail'
export const chartOlder = 'musicToplist.ToplistInfoServer/GetDetail'
export const chartClassic = '/v8/fcg-bin/fcg_v8_toplist_cp.fcg'
export const charts = 'music.musicToplist.Toplist/GetAll'
export const chartsOlder = 'musicToplist.ToplistInfoServer/GetAll'
export const chartsClassic = '/v8/fcg-bin/fcg_myqq_toplist.fcg'

// Playlists
export const playlistsByTag = '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg'
export const playlistsSquare = 'playlist.PlayListPlazaServer/get_playlist_by_tag'
export const tagConf = '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg'
export const gatewayTags = 'playlist.PlaylistAllCategoriesServer/get_all_categories'
export const playlist = 'music.srfDissInfo.DissInfo/CgiGetDiss'
export const playlistSibling = 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo'
export const playlistWhole = '/v8/fcg-bin/fcg_v8_playlist_cp.fcg'
export const playlistClassic = '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'
/** The same in another folder, for the caller's own lists only. */
export const playlistOwn = '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'

// Comments
export const recComments = `${comment}/GetRecCommentList`
export const newComments = `${comment}/GetNewCommentList`
export const hotComments = `${comment}/GetHotCommentList`
export const replies = `${comment}/GetReplyCommentList`
export const shortReplies = 'music.globalComment.CommentReadServer/GetReplyCommentList'
export const commentsClassic = '/base/fcgi-bin/fcg_global_comment_h5.fcg'

// MVs
export const mvList = `${mv}/GetAllocMvInfo`
export const mvTags = `${mv}/GetAllocTag`
export const mvByTag = '/mv/fcgi-bin/getmv_by_tag'
export const mvUrls = 'music.stream.MvUrlProxy/GetMvUrls'
export const mvUrlsOlder = 'gosrf.Stream.MvUrlProxy/GetMvUrls'
export const mvInfo = 'video.VideoDataServer/get_video_info_batch'

// Singers
export const singers = 'music.musichallSinger.SingerList/GetSingerListIndex'
export const singersOlder = 'Music.SingerListServer/get_singer_list'
export const singersWhole = 'music.musichallSinger.SingerList/GetSingerList'
export const singerDetail = 'music.musichallSinger.SingerInfoInter/GetSingerDetail'
export const singerWiki = '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg'
export const similarSingers = 'music.SimilarSingerSvr/GetSimilarSingerList'
export const similarSingersClassic = '/v8/fcg-bin/fcg_v8_simsinger.fcg'
export const fans = '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg'
export const singerPage = 'music.web_singer_info_svr/get_singer_detail_info'
export const singerHome = 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader'
export const singerTab = 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail'
export const singerSongs = 'musichall.song_list_server/GetSingerSongList'
export const singerSongsOther = 'music.musichallSong.SongListInter/GetSingerSongList'
export const singerAlbums = `${album}.AlbumListServer/GetAlbumList`
export const singerAlbumsOlder = 'music.web_singer_info_svr/get_singer_album'
export const singerAlbumsClassic = '/v8/fcg-bin/fcg_v8_singer_album.fcg'
export const singerMvs = `${mv}/GetSingerMvList`
export const singerMvsClassic = '/mv/fcgi-bin/fcg_singer_mv.fcg'

// Search
export const siteSearch = '/soso/fcgi-bin/client_search_cp'
export const pagesSearch = '/soso/fcgi-bin/search_for_qq_cp'
export const listSearch = '/soso/fcgi-bin/client_music_search_songlist'
export const lite = `${search}Lite`
export const desktop = `${search}Desktop`
export const signed = `signed/${desktop}`
export const phone = `${search}Mobile`
export const smartbox = '/splcloud/fcgi-bin/smartbox_new.fcg'
export const hotkeyClassic = '/splcloud/fcgi-bin/gethotkey.fcg'
export const hotkeyPhone = 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile'
export const hotkeyDesktop = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'

// The home page and what an account gets
export const feed = 'music.recommend.RecommendFeed/get_recommend_feed'
export const feedOlder = 'recommend.RecommendFeedServer/get_recommend_feed'
export const lightDaily = 'music.qqmusiclite.MtRecommendSvr/GetDaily30'
export const square = 'music.playlist.PlaylistSquare/GetRecommendFeed'
export const newSongs = 'newsong.NewSongServer/get_new_song_info'
export const focus = 'QQMusic.MusichallServer/GetFocus'
export const radios = 'pf.radiosvr/GetRadiolist'
export const radiosClassic = '/v8/fcg-bin/fcg_v8_radiolist.fcg'
export const tickets = 'mall.ticket_index_page_svr/GetTicketIndexPage'
export const showTypes = 'mall.ticket_index_page_svr/GetShowTypeList'
export const macPage = '/node/musicmac/v6/index.html'
export const personalRadio = 'music.radioProxy.MbTrackRadioSvr/get_radio_track'
export const personalRadioOlder = 'mb_track_radio_svr/get_radio_track'
export const radar = `${relation}/GetRadarSong`

// Accounts
export const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
export const accountPlaylists = 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin'
export const collectedPlaylists = 'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo'
export const collectedAlbums = 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo'
