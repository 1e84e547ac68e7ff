/** Every failure of the upstream, for endpoints with classic calls. The rows are in test/faults/rows.ts. */
import t from 'tap'
import { testMatrix } from '../faults/matrix.ts'

const module = 'music.search.SearchCgiService/DoSearchForQQMusic'

testMatrix(t, [
  {
    name: 'getLyric',
    path: '/getLyric?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getLyric({ songmid: '00DemoSong0001' }),
    links: ['/lyric/fcgi-bin/fcg_query_lyric_new.fcg', 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'],
    beside: 0
  },
  {
    name: 'getSearchByKey',
    path: '/getSearchByKey?key=paper&limit=3',
    ask: async (relay) => await relay.getSearchByKey({ key: 'paper', limit: 3 }),
    links: ['/soso/fcgi-bin/client_search_cp', '/soso/fcgi-bin/search_for_qq_cp', `${module}Lite`, `signed/${module}Desktop`, `${module}Mobile`, `${module}Desktop`, '/splcloud/fcgi-bin/smartbox_new.fcg', 'c6.y.qq.com/splcloud/fcgi-bin/smartbox_new.fcg'],
    beside: 0,
    resting: 2
  }
])
