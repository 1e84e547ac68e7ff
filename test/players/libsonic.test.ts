/** libsonic for Python, unmodified, with the calls that Kodi's add-on makes of it. PYTHONPATH names a folder that has it, such as `lib` of the add-on. */
import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { song } from '../support/helper.ts'
import { isWell, relayOfDemo, writeResult } from './playersDemo.ts'

const found = spawnSync('python3', ['-c', 'import libsonic; print(libsonic.__version__)'], { encoding: 'utf8' })
const version = found.stdout.trim()

const script = `
import json, sys, libsonic
c = libsonic.Connection('http://127.0.0.1', 'demo', 'demo', port=int(sys.argv[1]), appName='test', legacyAuth=sys.argv[2] == 'plain')
song, album, artist = 'so-${song(1)}', 'al-00DemoAlbu0001', 'ar-00DemoSing0001'
playlist = c.getPlaylists()['playlists']['playlist'][0]['id']
folder = c.getMusicFolders()['musicFolders']['musicFolder'][0]['id']
print(json.dumps([
  c.ping(), len(c.getPlaylist(playlist)['playlist']['entry']), folder, len(c.getGenres()['genres']['genre']),
  len(c.getStarred()['starred']['song']), len(c.getRandomSongs(7)['randomSongs']['song']), len(c.getAlbumList2('newest', 9)['albumList2']['album']),
  c.getIndexes()['indexes']['index'][0]['name'], c.getArtists()['artists']['index'][0]['name'], c.getArtist(artist)['artist']['name'],
  'biography' in c.getArtistInfo2(artist)['artistInfo2'], c.getAlbum(album)['album']['song'][0]['id'], c.getMusicDirectory(album)['directory']['child'][0]['id'],
  c.getSong(song)['song']['title'], c.search2('First Light')['searchResult2']['song'][0]['id'],
  c.download(song).read(4).decode('latin1'), c.stream(song, maxBitRate=128).headers['content-type'], c.getCoverArt(album).headers['content-type']
]))
`

t.test('libsonic browses, searches, plays and shows covers', { skip: version === '' ? 'libsonic is not installed' : false }, async (t) => {
  const { server, liked } = await relayOfDemo(t, 'redirect')
  for (const secret of ['token', 'plain']) {
    const python = spawn('python3', ['-c', script, new URL(server.address).port, secret])
    const [out, said] = await Promise.all([text(python.stdout), text(python.stderr)])
    const id = `so-${song(1)}`
    t.same(JSON.parse(out || 'null'), [
      true, liked.length, 1, 3, liked.length, 7, 9, 'A', 'A', 'The Paper Lanterns', true, id, id, 'First Light', id,
      'fLaC', 'audio/mpeg', 'image/png'
    ], said)
  }
  isWell(t, server, { stream: [302], download: [302], getCoverArt: [302] })
  const isOfKodi = version.startsWith('0.')
  writeResult(t, { client: isOfKodi ? 'libsonic of the Kodi add-on' : 'libsonic', version, tried: ['singers', 'albums', 'covers', 'play', 'download', 'search', 'folders'] })
})
