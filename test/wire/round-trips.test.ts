/**
 * How often the usual first questions of the front page and of a player wait for the upstream: once, because all that
 * one answer needs is asked at the same time or known from answers before. A search waits twice: a program is asked
 * only once the site has answered, because where the site fails one request to the program brings everything.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { testClock, type TestClock } from '../support/clock.ts'
import { demoFor, serverOnWire, song } from '../support/helper.ts'
import { playerFor } from '../support/opensubsonicPlayer.ts'
import { settled } from '../support/settled.ts'
import { listening } from '../support/listening.ts'

interface Gate { readonly origin: string, readonly trips: () => number, readonly clock: TestClock }

/** Stands before an upstream, and answers what came together only when nothing more comes, whatever the relay waits for: each time is one round trip. */
async function gateFor (t: Test, upstream: string): Promise<Gate> {
  const held: [IncomingMessage, ServerResponse][] = []
  const clock = testClock()
  let trips = 0
  async function open (): Promise<void> {
    for (let before = 0; before < held.length;) {
      before = held.length
      await settled()
      // A call may wait for others that could share its POST.
      await clock.advance(50)
      await settled()
    }
    trips++
    for (const [asked, answer] of held.splice(0)) {
      const { method, url = '', headers } = asked
      asked.pipe(request(upstream + url, { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers)
        answered.pipe(answer)
      }))
    }
  }
  const server = createServer((asked, answer) => { if (held.push([asked, answer]) === 1) void open() })
  return { origin: await listening(t, server), trips: () => trips, clock }
}

t.test('the front page: charts, a search, a song that is played', async (t) => {
  const gate = await gateFor(t, (await demoFor(t)).origin)
  const server = await serverOnWire(t, gate, { cache: true, ...gate.clock.options })
  for (const [path, trips] of [
    ['/getHotkey', 1],
    ['/getRanks', 1],
    ['/getRanks?topId=62&limit=50', 1],
    ['/getSearchByKey?key=paper&limit=20', 2],
    [`/getLyric?songmid=${song(1920)}&isFormat=1`, 1],
    [`/getSongInfo?songmid=${song(1)}`, 1],
    [`/getMusicPlay?songmid=${song(1)}`, 1], // known from its detail
    [`/getImageUrl?id=${song(1)}`, 0],
    ['/getSongLists', 1],
    // Its name in the store of files is in its detail.
    [`/getMusicPlay?songmid=${song(2)}`, 2]
  ] as const) {
    const before = gate.trips()
    t.strictSame([(await server.get(path)).status, gate.trips() - before], [200, trips], path)
  }
})

t.test('a player: its start, an album, a search, a song', async (t) => {
  const demo = await demoFor(t)
  const gate = await gateFor(t, demo.origin)
  const player = await playerFor(t, { upstreamOrigin: gate.origin, imageOrigin: gate.origin, ...gate.clock.options })
  for (const [method, parameters, trips] of [
    ['ping', {}, 0],
    ['getLicense', {}, 1],
    ['getMusicFolders', {}, 0],
    // Playlists whose length only their songs tell are read three at once.
    ['getPlaylists', {}, 5],
    ['getArtists', {}, 1],
    ['getAlbumList2', { type: 'newest', size: 20 }, 1],
    // Then the albums of a page, ten in a POST.
    ['getStarred2', {}, 2],
    ['search3', { query: 'paper', songCount: 20, albumCount: 20, artistCount: 20 }, 3]
  ] as const) {
    const before = gate.trips()
    const { body } = await player.ask(method, parameters)
    t.equal(body.status, 'ok', method)
    t.ok(gate.trips() - before <= trips, `${method}: ${gate.trips() - before}`)
  }
})
