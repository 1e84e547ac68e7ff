/** The npm package subsonic-api, unmodified: every method that it has, by query and by form. What the answers say, test/relay/opensubsonic.test.ts knows better. */
import { readFileSync } from 'node:fs'
import SubsonicAPI from 'subsonic-api'
import t from 'tap'
import { askedIn, relayOfDemo, writeResult } from '../players/playersDemo.ts'

const [so, al, ar, pl] = ['so-00DemoSong0001', 'al-00DemoAlbu0001', 'ar-00DemoSing0001', 'pl-7700000001']
const singer = 'The Paper Lanterns'
const firstLight = {
  id: so, title: 'First Light', album: 'Harbour Lights & Other Rooms', albumId: al, artist: singer, artistId: ar,
  duration: 113, isDir: false, type: 'music', suffix: 'flac', contentType: 'audio/flac'
}
const songs = [{
  id: /^so-/, title: /./, artist: /./, duration: Number, size: Number, suffix: /^(?:flac|mp3)$/,
  contentType: /^audio\/(?:flac|mpeg)$/
}]
const ok = { status: 'ok', type: 'music-relay', openSubsonic: true, error: undefined }
const about = { smallImageUrl: /150x150/, largeImageUrl: /800x800/ }

type Method = Exclude<keyof SubsonicAPI, 'custom' | 'customJSON' | 'baseURL' | 'navidromeSession'>

/** Of each method: what it is given, and what the answer must have. */
const bodies: { readonly [M in Method]?: readonly [Parameters<SubsonicAPI[M]>[0], object] } = {
  ping: [undefined, ok], getVideos: [undefined, ok], scrobble: [{ id: [so, 'so-00DemoSong0002'] }, ok],
  reportPlayback: [{ mediaId: so, mediaType: 'song', positionMs: 0, state: 'playing' }, ok],
  createBookmark: [{ id: so, position: 0 }, ok], deleteBookmark: [{ id: so }, ok],
  getOpenSubsonicExtensions: [undefined, { openSubsonicExtensions: [{ name: 'formPost', versions: [1] }] }],
  getLicense: [undefined, { license: { valid: true, licenseExpires: /Z$/ } }],
  getUser: [
    { username: 'demo' },
    { user: { username: 'demo', streamRole: true, downloadRole: true, playlistRole: false, folder: [1] } }
  ],
  getMusicFolders: [undefined, { musicFolders: { musicFolder: [{ id: 1 }] } }],
  getScanStatus: [undefined, { scanStatus: { scanning: false, count: 140 } }],
  getGenres: [undefined, { genres: { genre: [{ value: '每日推荐 Daily songs', songCount: 30 }] } }],
  getIndexes: [undefined, { indexes: { index: [{ name: 'A', artist: [{ id: /^ar-/, name: 'Anouk Tanglewick' }] }] } }],
  getArtists: [undefined, {
    artists: { index: [{ name: 'A', artist: [{ id: /^ar-/, name: 'Anouk Tanglewick', albumCount: 1 }] }] }
  }],
  getMusicDirectory: [{ id: al }, { directory: { id: al, parent: ar, child: [firstLight] } }],
  getArtist: [{ id: ar }, { artist: { id: ar, name: singer, album: [{ id: /^al-/, artist: singer }] } }],
  getAlbum: [{ id: al }, { album: { id: al, songCount: 10, song: [{ ...firstLight, track: 1 }] } }],
  getSong: [{ id: so }, { song: firstLight }], getArtistInfo: [{ id: ar, count: 2 }, { artistInfo: about }],
  getArtistInfo2: [{ id: ar, count: 2 }, { artistInfo2: { ...about, similarArtist: { length: 2 } } }],
  getAlbumInfo: [{ id: al }, { albumInfo: about }], getAlbumInfo2: [{ id: al }, { albumInfo: about }],
  getAlbumList: [
    { type: 'newest', size: 2 },
    { albumList: { album: [{ id: /^la-/, isDir: true, title: /./, name: /./ }, { id: /^la-/ }] } }
  ],
  getAlbumList2: [
    { type: 'alphabeticalByName', size: 2 },
    { albumList2: { album: [{ id: /^la-/, name: /./, songCount: Number }, { id: /^la-/ }] } }
  ],
  getRandomSongs: [{ size: 2 }, { randomSongs: { song: songs } }],
  getSongsByGenre: [{ genre: '每日推荐 Daily songs', count: 2 }, { songsByGenre: { song: songs } }],
  getSimilarSongs: [{ id: so, count: 2 }, { similarSongs: { song: songs } }],
  getSimilarSongs2: [{ id: ar, count: 2 }, { similarSongs2: { song: songs } }],
  getTopSongs: [{ artist: singer, count: 2 }, { topSongs: { song: songs } }],
  getStarred: [undefined, { starred: { song: songs } }], getStarred2: [undefined, { starred2: { song: songs } }],
  search2: [{ query: 'First Light' }, { searchResult2: { song: [firstLight] } }],
  search3: [{ query: 'First Light' }, { searchResult3: { song: [firstLight] } }],
  getPlaylists: [undefined, { playlists: { playlist: [
    { id: 'li-liked', owner: 'demo', songCount: 140 }, { id: 'li-daily' }, { id: 'li-radar' },
    { id: /^pl-/, name: /./, songCount: Number }
  ] } }],
  getPlaylist: [{ id: pl }, { playlist: { id: pl, name: 'Demo "favourites" & <friends> 🎶', songCount: 55, entry: [
    { id: /^so-/, title: /./, duration: Number }
  ] } }],
  // The package's type leaves out the object between the two.
  getLyricsBySongId: [{ id: so }, { lyricsList: { structuredLyrics: [{
    synced: true, displayArtist: singer, displayTitle: 'First Light', line: [{ start: 0, value: /First Light/ }]
  }] } }],
  getLyrics: [
    { artist: singer, title: 'First Light' },
    { lyrics: { artist: singer, title: 'First Light', value: /One for the ferry/ } }
  ],
  getNowPlaying: [undefined, { nowPlaying: { entry: [] } }], getShares: [undefined, { shares: { share: [] } }],
  getPodcasts: [{ includeEpisodes: false }, { podcasts: { channel: [] } }],
  getNewestPodcasts: [undefined, { newestPodcasts: { episode: [] } }],
  getChatMessages: [undefined, { chatMessages: { chatMessage: [] } }],
  getBookmarks: [undefined, { bookmarks: { bookmark: [] } }], getPlayQueue: [undefined, { playQueue: { entry: [] } }],
  savePlayQueue: [{ id: [so, 'so-00DemoSong0002'], current: so, position: 1000 }, ok],
  getInternetRadioStations: [undefined, {
    internetRadioStations: { internetRadioStation: [{ id: 'ra-199', streamUrl: /^http:.*\/radio\/199\.mp3\?/ }] }
  }]
}

/** Methods that answer a failure, whatever they are given, and the failure. */
const failures: readonly (readonly [object, readonly Method[]])[] = [
  [{ code: 50, message: /^This relay / }, [
    'star', 'unstar', 'setRating', 'createPlaylist', 'updatePlaylist', 'deletePlaylist', 'createShare', 'updateShare', 'deleteShare', 'refreshPodcasts', 'createPodcastChannel', 'deletePodcastChannel',
    'deletePodcastEpisode', 'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation', 'addChatMessage', 'jukeboxControl'
  ]],
  [{ code: 50, message: /^Nothing is scanned/ }, ['startScan']],
  [{ code: 50, message: /music-relay accounts/ }, ['getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword']],
  [{ code: 0, message: /does not have this method/ }, ['getVideoInfo', 'getPodcastEpisode']]
]
const anything = {
  id: so, rating: 5, songId: [so], playlistId: pl, url: 'http://podcast.example/', streamUrl: 'http://radio.example/',
  name: 'Mine', message: 'hello', position: 0, action: 'get', username: 'a', password: 'b', email: 'c'
}

/** An answer of bytes, or of a body with a status that is not 200. */
const json = 'application/json; charset=utf-8'
const failed = /^\{"subsonic-response":\{"status":"failed"/
const media: { readonly [M in Method]?: readonly [
  Parameters<SubsonicAPI[M]>[0], http: number, type: string, begins: RegExp
] } = {
  stream: [{ id: so, maxBitRate: 128 }, 200, 'audio/mpeg', /^(?:ID3|\xff\xfb)/],
  download: [{ id: so }, 200, 'audio/flac', /^fLaC/],
  getCoverArt: [{ id: al, size: 300 }, 200, 'image/png', /^.PNG/],
  hls: [{ id: so }, 404, json, failed],
  getCaptions: [{ id: so }, 404, json, failed],
  downloadPodcastEpisode: [{ id: '1' }, 200, json, failed]
}
/** With those that are tried on their own below. */
const all = [
  ...Object.keys(bodies), ...failures.flatMap(([, names]) => names), ...Object.keys(media), 'custom', 'customJSON',
  'baseURL', 'navidromeSession', 'getAvatar'
]

t.test('every method of the package is tried here', async (t) => {
  t.same(all.sort(), Object.getOwnPropertyNames(SubsonicAPI.prototype).filter((name) => name !== 'constructor').sort())
})

for (const post of [false, true]) {
  t.test(`every method, by ${post ? 'form' : 'query'}`, async (t) => {
    const { server, liked } = await relayOfDemo(t, 'redirect')
    const asks = { url: server.address, auth: { username: 'demo', password: 'demo' }, post }
    const api = new SubsonicAPI(asks)
    const call = async (name: string, given: unknown): Promise<unknown> =>
      await (api as unknown as Record<string, (given: unknown) => Promise<unknown>>)[name]?.(given)
    for (const [name, [given, want]] of Object.entries(bodies)) {
      t.match(await call(name, given), { status: 'ok', ...want }, name)
    }
    for (const [error, names] of failures) {
      for (const name of names) t.match(await call(name, anything), { status: 'failed', error }, name)
    }
    for (const [name, [given, http, type, begins]] of Object.entries(media)) {
      const answer = await call(name, given) as Response
      t.match([
        answer.status, answer.headers.get('content-type'),
        Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 40)
      ], [http, type, begins], name)
    }
    t.match(await api.getPlayQueue(), {
      playQueue: { current: so, position: 1000, entry: [firstLight, { id: 'so-00DemoSong0002' }] }
    }, 'the queue that was saved')
    const { starred2 } = await api.getStarred2()
    t.same(
      starred2.song?.map(({ id, title, artist }) => [id, title, artist]),
      liked.map(({ mid, title, artist }) => [`so-${mid}`, title, artist]), 'the whole library'
    )
    t.match(await api.customJSON('getSong', { id: so }), { song: firstLight })
    t.match(await (await api.custom('getSong.view', { id: so, f: 'json' })).json(), {
      'subsonic-response': { song: firstLight }
    })
    t.equal(api.baseURL(), `${server.address}/`)
    await t.rejects(api.navidromeSession(), 'that is of another server')
    // Its address is not of the demo.
    const avatar = await new SubsonicAPI({
      ...asks, fetch: async (url, init) => await fetch(url, { ...init, redirect: 'manual' })
    }).getAvatar({ username: 'demo' })
    t.match([avatar.status, avatar.headers.get('location')], [302, /^https?:/])
    t.same(askedIn(server).filter(({ level }) => !['info', 'debug'].includes(level)), [], 'nothing in the log that needs attention')
  })
}

t.test('what goes wrong arrives as the package gives it', async (t) => {
  const { server } = await relayOfDemo(t, 'redirect')
  const asks = (password: string, more: object = {}): SubsonicAPI =>
    new SubsonicAPI({ url: `${server.address}/rest/`, auth: { username: 'demo', password }, ...more })
  for (const more of [{}, { post: true }, { salt: 'always' }, { reuseSalt: true }]) {
    t.match(await asks('demo', more).ping(), ok)
    t.match(await asks('wrong', more).getStarred2(), {
      status: 'failed', error: { code: 40, message: /^Wrong user or password/ }
    })
  }
  t.match(await new SubsonicAPI({ url: server.address, auth: { apiKey: 'mr_wrong' } }).ping(), {
    status: 'failed', error: { code: 44 }
  })
  const api = asks('demo')
  for (const answer of [
    api.getSong({ id: 'so-none' }), api.getAlbum({ id: 'la-00DemoAlbu9999' }), api.getArtist({ id: 'nonsense' }),
    api.getPlaylist({ id: 'pl-1' })
  ]) t.match(await answer, { status: 'failed', error: { code: 70 } })
  t.match([await api.customJSON('getSong', {}), await api.customJSON('getAlbumList2', { type: 'loudest' })], [
    { status: 'failed', error: { code: 10 } }, { status: 'failed', error: { code: 0 } }
  ])
  const gone = await api.stream({ id: 'so-none' })
  t.match([gone.status, await gone.json()], [404, { 'subsonic-response': { status: 'failed', error: { code: 70 } } }])
  t.equal((await asks('wrong').stream({ id: so })).status, 401)
})

t.teardown(() => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../node_modules/subsonic-api/package.json', import.meta.url), 'utf8')
  ) as { version: string }
  writeResult(t, { client: 'subsonic-api', version, tried: [`all ${all.length} methods, by query and by form`, 'errors'] })
})
