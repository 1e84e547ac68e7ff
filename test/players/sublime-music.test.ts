/** Sublime Music, unmodified: it shows the singers of the library, plays an album of one, searches, and goes through folders. */
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { desktopFor, enoughSeconds, without } from './desktop.ts'
import { askedIn, isWell, relayOfDemo, writeResult } from './playersDemo.ts'

const database = '.local/share/sublime-music/relay/c/cache.db'

/** Its settings, as its own dialog writes them without a keyring. It does not fetch in advance what nobody plays. */
const settings = (address: string): string => JSON.stringify({
  version: 5,
  providers: {
    relay: {
      id: 'relay', name: 'relay', ground_truth_adapter_type: 'SubsonicAdapter',
      caching_adapter_type: 'FilesystemAdapter', caching_adapter_config: {},
      ground_truth_adapter_config: {
        server_address: address, username: 'demo', password: ['plaintext', 'demo'], verify_cert: true, salt_auth: true,
        sync_enabled: true
      }
    }
  },
  current_provider_id: 'relay', song_play_notification: false, prefetch_amount: 0
})

t.test('Sublime Music plays an album, searches and goes through folders', { skip: without('sublime-music') }, async (t) => {
  const { server } = await relayOfDemo(t, 'redirect')
  const desktop = await desktopFor(t, { '.config/sublime-music/config.json': settings(server.address) })
  const asked = (called: string) => () => askedIn(server, called).length > 0
  const click = (x: number, y: number, times = 1): void => {
    desktop.hands('mousemove', String(x), String(y), 'click', '--repeat', String(times), '--delay', '80', '1')
  }

  desktop.start('sublime-music', ['--loglevel', 'INFO'])
  await desktop.wait('it shows albums', asked('getCoverArt'))
  // The second of four pages, on it the first singer, and of that one the first song.
  await desktop.wait('it asks for the singers', asked('getArtists'), () => { click(614, 27) })
  await desktop.wait('it asks for one of them', asked('getArtist'), () => { click(80, 130) })
  await desktop.wait('it asks for an album', asked('getAlbum'))
  await desktop.wait('it plays a song', asked('stream'), () => { click(580, 467, 2) })
  await desktop.wait('it is heard', () => desktop.heard().seconds > enoughSeconds && desktop.heard().loudest > 0.1)
  await desktop.wait('it keeps the song', asked('download'))
  const { body } = await server.get('/rest/getArtists?f=json&u=demo&p=demo')
  const singers =
    body['subsonic-response'].artists.index.flatMap(({ artist }: { artist: { id: string, name: string }[] }) => artist)
  // It writes them once it has asked, in a transaction that lasts as long as its machine is busy.
  await desktop.wait('it has all singers', () => {
    const known = new Map(desktop.rows(database, 'select id, name from artist').map(({ id, name }) => [id, name]))
    return singers.every(({ id, name }: { id: string, name: string }) => known.get(id) === name)
  })

  await desktop.wait('it asks for the folders', asked('getIndexes'), () => { click(735, 27) })
  await desktop.wait('it opens one', asked('getMusicDirectory'), () => { click(80, 120) })
  await desktop.wait('it searches', asked('search3'), () => {
    click(100, 27)
    desktop.hands('type', '--delay', '30', 'First')
  })
  // Not ping, which a process asks that it forks while its threads run, and which hangs at times; nor getGenres, which
  // follows from it.
  for (const method of ['getPlaylists', 'getAlbumList2', 'getArtistInfo2', 'scrobble']) t.ok(asked(method)(), method)
  isWell(t, server, { stream: [302], download: [302], getCoverArt: [302] })
  t.same(desktop.said().split('\n').filter((line) => line.includes('is not the expected size')), [], 'a download has the size that the song says')
  writeResult(t, {
    client: 'Sublime Music',
    version: spawnSync('sublime-music', ['--version']).stdout.toString().trim().replace(/^\D+/, ''),
    tried: ['singers', 'albums', 'covers', 'play', 'download', 'search', 'folders', 'scrobble'],
    notes: 'It has no lyrics. Playlists were listed, but did not open: the build of Debian 12 stops with an error of its own when it compares its lists.'
  })
})
