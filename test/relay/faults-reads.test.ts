/**
 * Every failure of the upstream, for reads around songs that have one call, or two of one shape. The rows are in
 * test/faults/rows.ts.
 */
import t from 'tap'
import { testMatrix } from '../faults/matrix.ts'

testMatrix(t, [
  {
    name: 'getRankPeriods',
    path: '/getRankPeriods?topId=5',
    ask: async (relay) => await relay.getRankPeriods({ topId: 5 }),
    links: ['music.musicToplist.Toplist/GetAll', 'musicToplist.ToplistInfoServer/GetAll'],
    beside: 0
  },
  {
    name: 'getRadarSongs',
    path: '/getRadarSongs?limit=3',
    ask: async (relay) => await relay.getRadarSongs({ limit: 3 }),
    links: ['music.recommend.TrackRelationServer/GetRadarSong'],
    beside: 0
  },
  {
    name: 'getOtherVersions',
    path: '/getOtherVersions?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getOtherVersions({ songmid: '00DemoSong0001' }),
    links: ['music.musichallSong.OtherVersionServer/GetOtherVersionSongs'],
    beside: 0
  },
  {
    name: 'getSingerTab',
    path: '/getSingerTab?singermid=00DemoSing0001&tab=song_composing&limit=3',
    ask: async (relay) => await relay.getSingerTab({ singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 }),
    links: ['music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail'],
    beside: 0
  }
])
