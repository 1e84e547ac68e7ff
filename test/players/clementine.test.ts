/** Clementine, unmodified, which asks in XML and with its password in hexadecimal digits: it copies the library and plays a song of it with its cover. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { desktopFor, enoughSeconds, versionOf, without } from './desktop.ts'
import { askedIn, hasLibrary, isWell, relayOfDemo, typableSinger, writeResult } from './playersDemo.ts'

/** Counts the files below a folder that have a picture in them. */
const pictures = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile()
    && readFileSync(join(file.path, file.name)).includes('\x89PNG', 0, 'latin1')).length : 0

const database = '.config/Clementine/clementine.db'

t.test('Clementine copies the library and plays a song with its cover', { skip: without('clementine') }, async (t) => {
  const { server, liked } = await relayOfDemo(t, 'redirect')
  const desktop = await desktopFor(t, { '.config/Clementine/Clementine.conf': `[Subsonic]\nserver=${server.address}\nusername=demo\npassword=demo\n` })
  const songs = (): Record<string, string>[] => desktop.rows(database, 'select filename, title, artist, albumartist, art_automatic from subsonic_songs')

  desktop.start('clementine', ['--log-levels', '*:3'])
  await desktop.wait('it logs in', () => askedIn(server, 'ping').length > 0)
  // The page of services, and there the one of this name, which it reads when it is opened.
  await desktop.wait('it asks for the albums', () => askedIn(server, 'getAlbumList2').length > 0, () => {
    desktop.hands('mousemove', '35', '235', 'click', '1', 'sleep', '1', 'mousemove', '160', '550', 'click', '1')
    desktop.hands('type', '--delay', '30', 'Subsonic')
    desktop.hands('sleep', '0.5', 'key', 'Right')
  })
  await desktop.wait('it stores the songs', () => songs().length > 0)
  const copied = songs()
  hasLibrary(
    t, copied.map(({ filename: address, title, artist }) => [/so-\w+$/.exec(address ?? '')?.[0], title, artist]), liked
  )
  t.ok(
    copied.every(({ art_automatic: cover }) => /\/rest\/getCoverArt\.view\?.*id=al-/.test(cover ?? '')),
    'each has a cover'
  )

  await desktop.wait('it plays the songs of a singer', () => askedIn(server, 'stream').length > 0, () => {
    desktop.hands('type', '--delay', '30', typableSinger(copied).word)
    desktop.hands('sleep', '1.5', 'key', 'Return')
  })
  await desktop.wait('it is heard', () => desktop.heard().seconds > enoughSeconds && desktop.heard().loudest > 0.01)
  await desktop.wait('it keeps the cover', () => pictures(join(desktop.home, '.cache/Clementine')) > 0)
  t.ok(askedIn(server, 'getCoverArt').length > 0)
  isWell(t, server, { stream: [302], getCoverArt: [302] })
  t.same(desktop.said().split('\n').filter((line) => /Subsonic (?:parsing )?error/.test(line)), [])
  const tried = [`sync of ${liked.length} songs`, 'play', 'cover']
  writeResult(t, { client: 'Clementine', version: versionOf('clementine'), tried, notes: 'It looks for lyrics at other hosts only, never at the server.' })
})
