/** Strawberry, unmodified: it copies the library, plays a song of it and shows the cover, in both ways that audio can take. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { desktopFor, enoughSeconds, versionOf, without } from './desktop.ts'
import { askedIn, hasLibrary, isWell, relayOfDemo, typableSinger, writeResult } from './playersDemo.ts'

const data = '.local/share/strawberry/strawberry'

/** Its settings, as its own dialog writes them. An address is a value of Qt: its kind (17), its length, its text. */
const settings = (address: string): string => [
  '[MainWindow]', 'current_tab=8',
  '[Subsonic]', 'enabled=true', `url=@Variant(\\0\\0\\0\\x11\\0\\0\\0\\x${address.length.toString(16)}${address})`,
  'username=demo', `password=@ByteArray(${Buffer.from('demo').toString('base64')})`, 'authmethod=1', 'serversidescrobbling=true',
  '[Scrobbler]', 'enabled=true',
  '[Backend]', 'engine=gstreamer', 'output=alsasink',
  '[Context]', 'SearchLyricsEnable=false', // on other hosts
  ''
].join('\n')

t.test('Strawberry copies the library, plays a song and shows the cover', { skip: without('strawberry') }, async (t) => {
  let count = 0
  for (const stream of ['redirect', 'relay'] as const) {
    await t.test(stream, async (t) => {
      const { server, liked } = await relayOfDemo(t, stream)
      count = liked.length
      const desktop = await desktopFor(t, { '.config/strawberry/strawberry.conf': settings(server.address) })
      const songs = (): Record<string, string>[] => desktop.rows(`${data}/strawberry.db`, 'select song_id, title, artist, albumartist, art_automatic from subsonic_songs')

      desktop.start('strawberry', ['--log-levels', '*:3'])
      // An empty list says: click here.
      await desktop.wait('it asks for the albums', () => askedIn(server, 'getAlbumList2').length > 0, () => {
        desktop.hands('mousemove', '160', '200', 'click', '1')
      })
      await desktop.wait('it stores the songs', () => songs().length > 0)
      const copied = songs()
      hasLibrary(t, copied.map(({ song_id: id, title, artist }) => [id, title, artist]), liked)
      const covers = readdirSync(join(desktop.home, data, 'subsonicalbumcovers'))
      t.same(
        [...new Set(copied.map(({ art_automatic: cover = '' }) => cover.slice(cover.lastIndexOf('/') + 1)))].sort(),
        covers.sort(), 'each has its cover'
      )
      t.ok(covers.every((file) => statSync(join(desktop.home, data, 'subsonicalbumcovers', file)).size > 100))
      t.ok(askedIn(server, 'getCoverArt').length >= covers.length)
      t.equal(askedIn(server, 'getAlbumList2').length, 1, 'a page that is not full is the last one')

      const { word, songs: own } = typableSinger(copied)
      const listed = (): number => desktop.rows(`${data}/strawberry.db`, 'select 1 from playlist_items').length
      await desktop.wait('the songs of a singer are in the playlist', () => listed() >= own.length, () => {
        desktop.hands('type', '--delay', '30', word)
        desktop.hands('sleep', '1', 'key', 'Return')
      })
      desktop.start('strawberry', ['--play-track', '0'])
      await desktop.wait('it is heard', () => desktop.heard().seconds > enoughSeconds && desktop.heard().loudest > 0.1)
      // When a song begins. It may have ended before its half is reported, too.
      await desktop.wait('it reports what it plays, since that is switched on', () => askedIn(server, 'scrobble').length > 0)
      // A stream is in the log once it has ended.
      await desktop.wait('it asks for each song in turn', () => askedIn(server, 'stream').length >= own.length)

      isWell(t, server, {
        stream: stream === 'redirect' ? [302] : [200, 206], getCoverArt: stream === 'redirect' ? [302] : [200]
      })
      t.same(desktop.said().split('\n').filter((line) => /ERROR\s+(?:Subsonic|Gst)/.test(line)), [])
    })
  }
  const tried = [`sync of ${count} songs`, 'covers', 'play, by redirect and through the relay', 'scrobble']
  writeResult(t, { client: 'Strawberry', version: versionOf('strawberry'), tried, notes: 'It looks for lyrics at other hosts only, never at the server.' })
})
