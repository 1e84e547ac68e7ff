/** What several phases of the benchmark ask. */

/** One question: its path here and at the published relay, and at the anchor. */
export interface Question { readonly about: string, readonly ours: string, readonly anchor: string, readonly peer?: string }

export const chart: Question = { about: 'a chart of 20 songs, 43 KB from the upstream', ours: '/getRanks?topId=62&limit=20', anchor: '/chart?topId=62&limit=20' }
export const search: Question = { about: 'a search; the anchor sends three upstream requests, the relay two', ours: '/getSearchByKey?key=a&limit=10', anchor: '/search?key=a&limit=10' }
export const song: Question = { about: 'a song, 3 KB from the upstream', ours: '/getSongInfo?songmid=00DemoSong0001', anchor: '/song?songmid=00DemoSong0001' }
/** Nine of ten requests are repeats. */
export const mixedPaths = [
  '/getHotkey', chart.ours, song.ours, '/getLyric?songmid=00DemoSong0005', '/getRanks?topId=4&limit=100', search.ours, '/getSingerList', '/getSongListCategories', '/getMusicPlay?songmid=00DemoSong0001',
  '/getSearchByKey?limit=10&key=a{n}'
]
