/**
 * Every failure of the upstream, for endpoints that use the gateway first: fallbacks, and one POST with two calls. The
 * rows are in test/faults/rows.ts.
 */
import t from 'tap'
import { testMatrix } from '../faults/matrix.ts'

testMatrix(t, [
  {
    name: 'getRanks',
    path: '/getRanks?topId=62&limit=3',
    ask: async (relay) => await relay.getRanks({ topId: 62, limit: 3 }),
    links: ['music.musicToplist.Toplist/GetDetail', 'musicToplist.ToplistInfoServer/GetDetail', '/v8/fcg-bin/fcg_v8_toplist_cp.fcg'],
    beside: 0
  },
  {
    name: 'getSongInfo',
    path: '/getSongInfo?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getSongInfo({ songmid: '00DemoSong0001' }),
    links: ['music.pf_song_detail_svr/get_song_detail_yqq', 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo', '/v8/fcg-bin/fcg_play_single_song.fcg'],
    beside: 0,
    mayBeMissing: true
  },
  {
    name: 'getSongListDetail',
    path: '/getSongListDetail?disstid=7700000001&limit=3',
    ask: async (relay) => await relay.getSongListDetail({ disstid: '7700000001', limit: 3 }),
    links: ['music.srfDissInfo.DissInfo/CgiGetDiss', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg', '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'],
    beside: 0,
    mayBeMissing: true
  },
  {
    name: 'getMvPlay',
    path: '/getMvPlay?vid=demoV000004',
    ask: async (relay) => await relay.getMvPlay({ vid: 'demoV000004' }),
    links: ['music.stream.MvUrlProxy/GetMvUrls', 'gosrf.Stream.MvUrlProxy/GetMvUrls'],
    beside: 0
  }
])
