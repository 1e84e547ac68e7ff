/**
 * What changes while a mood of the demo is on: for each request of moodAsks.ts the sources that answer instead, and the
 * parts of the answer that are not the same. A request that is not named answers as on a good day, from the same
 * source.
 */
type Changes = Readonly<Record<string, string>>
type Table = Readonly<Record<string, Changes>>

/** The moods of one subject. `hows`: all ways to be ill that look the same, with commas. */
const moods = (subject: string, ways: Readonly<Record<string, Changes>>): Table =>
  Object.fromEntries(Object.entries(ways)
    .flatMap(([hows, changes]) => hows.split(',').map((how) => [`${subject}-${how}`, changes])))

/** The same change for everybody and for somebody logged in. */
const both = (changes: Changes): Changes =>
  ({ ...changes, ...Object.fromEntries(Object.entries(changes).map(([name, change]) => [`${name} (member)`, change])) })

/** Nobody notices while the calls before this one are well. */
const unnoticed: Changes = {}

const broken = '500,404,html'
/** All ways in which a program does not answer. */
const refused = `${broken},empty,2001,filter2,filter9,filter12`
/** The albums and singers of programs. */
const named = (...programs: string[]): string =>
  ['albums', 'singers'].flatMap((kind) => programs.map((program) => `search.${kind}.${program}`)).join(', ')
const otherProgram = { ...both({ search: `by ${named('signed')}` }), 'second page of a search': `by ${named('signed')}` }
/** The suggestions know two albums and two singers, and no second page. */
const few = 'by search.suggestions; albums 2; singers 2'
const fewBeside = { ...both({ search: few }), 'second page of a search': `without ${named('lite')}; albums 0; singers 0` }
const siteSearch = (by: string): Changes => ({ ...both({ 'search': by, 'MVs by a word': 'by mv.search.lite' }), 'second page of a search': by })
const unplayable = (change: string): Changes => both({ play: change, download: change })
const refusedPlay = (reason: string): Changes => unplayable(`without play.vkey; address ; reason ${reason}; quality `)
/** Each broken answer has its own error. */
const errors = (changes: (error: string) => Changes): Readonly<Record<string, Changes>> =>
  ({ 500: changes('502 UPSTREAM_UNREACHABLE'), 404: changes('502 UPSTREAM_REFUSED'), html: changes('502 UPSTREAM_UNREADABLE') })

const sibling = { ...both({ playlist: 'by playlist.detail.sibling' }), 'batch of playlists': 'by playlist.detail.sibling', 'daily songs (member)': 'by daily.page, daily.songs.sibling' }
const deadKey: Changes = {
  'play (member)': 'address ; reason COOKIE_EXPIRED; quality ',
  'download (member)': 'address ; reason COOKIE_EXPIRED; quality ',
  'followers (member)': 'status 0',
  'home page (member)': 'recomPlaylists 6; playlists 25',
  'playlists of an account (member)': '502 COOKIE_REJECTED',
  'liked songs (member)': '401 COOKIE_REJECTED',
  'collected playlists (member)': '401 COOKIE_REJECTED',
  'collected albums (member)': '401 COOKIE_REJECTED',
  'followed singers (member)': '401 COOKIE_REJECTED',
  'state of a login (member)': '401 COOKIE_REJECTED',
  'daily songs (member)': '401 COOKIE_REJECTED',
  'recommended (member)': '401 COOKIE_REJECTED',
  'radar (member)': 'without user.whoami; songs 3',
  'personal station (member)': '401 COOKIE_REJECTED'
}

export const moodAnswers: Table = {
  ...moods('search', { [broken]: siteSearch('by search.songs.classic.other'), empty: siteSearch('by search.songs.lite') }),
  ...moods('search-for', { [`${broken},empty`]: unnoticed }),
  ...moods('lite', { [refused]: otherProgram }),
  ...moods('signed', { [refused]: unnoticed }),
  ...moods('desktop', { [refused]: unnoticed }),
  ...moods('phone', { [refused]: unnoticed }),
  ...moods('programs', { [refused]: fewBeside }),
  ...moods('suggestions', { ...errors((error) => ({ suggestions: error })), empty: {
    suggestions: 'by search.songs.classic; albums 0; singers 0'
  } }),
  ...moods('hotwords-desktop', { [`${broken},empty`]: { 'hot words': 'by hotkeys.classic' } }),
  ...moods('hotwords', { [`${broken},empty`]: unnoticed }),
  ...moods('hotwords-phone', { [`${broken},empty`]: unnoticed }),
  ...moods('play', { ...errors(unplayable), empty: refusedPlay('UNKNOWN'), 104009: refusedPlay('RISK_CONTROL') }),
  ...moods('lyrics', { [broken]: { lyric: 'by lyric.musicu' } }),
  ...moods('lyrics-program', { [`${broken},empty`]: unnoticed }),
  // A list of liked songs without a song looks like that of an account that likes none.
  ...moods('playlist', { [broken]: { ...sibling, 'liked songs (member)': 'by user.liked.sibling, user.playlists' }, empty: { ...sibling, 'liked songs (member)': 'total 0; songs 0' } }),
  ...moods('daily', { [`${broken},empty`]: { 'daily songs (member)': 'by daily.page, daily.songs' } }),
  // Which part spoils a POST of several modules is known only after HTTP 5xx, so all that have a stand-in are replaced.
  ...moods('feed', {
    500: { ...both({ 'home page': 'by recommend.playlists.square; recomPlaylists 25' }), 'recommended (member)': 'by recommend.playlists.square; playlists 25' },
    '404,html': { ...both({ 'home page': 'by home.charts.older, recommend.playlists.square; recomPlaylists 25' }), 'recommended (member)': 'by recommend.playlists.square; playlists 25' }
  }),
  ...moods('song', { [broken]: {
    ...both({ 'play': 'by song.tracks', 'download': 'by song.tracks', 'similar songs': 'by song.tracks' }),
    'MVs of a song': 'by song.tracks', 'playlists of a song': 'by song.tracks', song: 'by song.tracks; info 0',
    songs: 'by song.tracks; info 0'
  } }),
  ...moods('chart', { [broken]: { 'charts': 'by chart.detail.older', 'past chart': 'by chart.detail.older', 'chart': 'by chart.detail.older', 'chart with MIDs': 'by chart.detail.older' } }),
  ...moods('album', { [broken]: { album: 'by album.classic' } }),
  ...moods('singer', { [broken]: { singer: 'by singer.desc.classic' } }),
  ...moods('comments', { [broken]: { 'best comments': 'by comments.classic', 'recommended comments': 'by comments.classic; total 127', 'newest comments': 'by comments.classic; total 127' } }),
  ...moods('mv-play', errors((error) => both({ 'files of an MV': error }))),
  'key-expired': deadKey,
  'key-rotated': deadKey,
  'risk-control': { ...fewBeside, ...refusedPlay('RISK_CONTROL') },
  ...moods('renewal', { 'refused,mistyped,busy,500,lost,forgiving,web-only,phone-only,site-only': unnoticed })
}

/** The same for several moods at once, of the requests that are named: what becomes of a call that usually nobody notices. */
export const secondLines: Table = {
  ...moods('search-500 + search-for', { [`${broken},empty`]: both({ search: 'by search.songs.lite' }) }),
  ...moods('search-empty + search-for', { 'empty,404': both({ search: 'by search.songs.lite' }) }),
  ...moods('lite-500 + signed', { [refused]: both({ search: `by ${named('phone')}` }) }),
  // The unsigned desktop program answers nobody without a login.
  ...moods('lite-500 + signed-500 + phone', {
    [refused]: { 'search': few, 'search (member)': `by ${named('desktop')}` }
  }),
  ...moods('lite-500 + signed-500 + phone-500 + desktop', { [refused]: both({ search: few }) }),
  ...moods('hotwords-desktop-500 + hotwords', { [`${broken},empty`]: { 'hot words': 'by hotkeys.phone' } }),
  ...moods('hotwords-desktop-404 + hotwords-500 + hotwords-phone', { [broken]: { 'hot words': '502 UPSTREAM_REFUSED' }, empty: { 'hot words': '502 UPSTREAM_EMPTY' } }),
  ...moods('lyrics-404 + lyrics-program', { [broken]: { lyric: '502 UPSTREAM_REFUSED' } }),
  'search-500 + search-for-500 + programs-500': both({ search: few }),
  'search-500 + search-for-500 + programs-2001': both({ search: few }),
  'search-empty + search-for-empty + programs-2001': both({ search: few }),
  ...moods('search-500 + search-for-404 + suggestions-html + programs', { '2001,filter2,filter9,filter12': both({ search: '502 UPSTREAM_REFUSED' }) })
}
