/** Every failure of the upstream, for what an account collected and whom it follows. */
import t from 'tap'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { testMatrix } from '../faults/matrix.ts'

const cookie = demoAccounts().find(({ name }) => name === 'member')?.cookie ?? ''

testMatrix(t, [
  {
    name: 'getUserFollowedSingers',
    path: '/user/getUserFollowedSingers?limit=3',
    cookie,
    ask: async (relay) => await relay.getUserFollowedSingers({ limit: 3 }, { cookie }),
    links: ['music.concern.RelationList/GetFollowSingerList'],
    beside: 0
  },
  {
    name: 'getUserCollectedAlbums',
    path: '/user/getUserCollectedAlbums?limit=3',
    cookie,
    ask: async (relay) => await relay.getUserCollectedAlbums({ limit: 3 }, { cookie }),
    links: ['music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg'],
    beside: 0
  }
])
