/**
 * How often the usual first questions of the front page and of a player wait for the upstream: once, because all that one answer
 * needs is asked at the same time or known from answers before. A search waits twice: a program is asked only once the site has
 * answered, because where the site fails one request to the program brings everything.
 */
import { createServer, request } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { demoFor, serverFor, song } from '../support/helper.ts'
import { playerFor } from '../support/opensubsonicPlayer.ts'

/** How long nothing may have arrived until what has is answered, in milliseconds: longer than a busy machine needs between two requests of one turn. */
const quiet = 250

interface Gate { readonly origin: string, trips: number }

/** Stands before an upstream, and answers what came together only when nothing more comes: each time is one round trip. */
async function gateFor (t: Test, upstream: string): Promise<Gate> {
  const held: [IncomingMessage, ServerResponse][] = []
  let timer: NodeJS.Timeout | undefined
  function open (): void {
    gate.trips++
    for (const [asked, answer] of held.splice(0)) {
      const { method, url = '', headers } = asked
      asked.pipe(request(upstream + url, { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers)
        answered.pipe(answer)
      }))
    }
  }
  const server = createServer((asked, answer) => {
    held.push([asked, answer])
    clearTimeout(timer)
    timer = setTimeout(open, quiet)
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => { server.close(resolve) })
  })
  const gate: Gate = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, trips: 0 }
  return gate
}

t.test('the front page: charts, a search, a song that is played', async (t) => {
  const gate = await gateFor(t, (await demoFor(t)).origin)
  const server = await serverFor(t, gate, { cache: true })
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
    const before = gate.trips
    t.strictSame([(await server.get(path)).status, gate.trips - before], [200, trips], path)
  }
})

t.test('a player: its start, an album, a search, a song', async (t) => {
  const demo = await demoFor(t)
  const gate = await gateFor(t, demo.origin)
  const player = await playerFor(t, { upstreamOrigin: gate.origin, imageOrigin: gate.origin })
  for (const [method, parameters, trips] of [
    ['ping', {}, 0],
    ['getLicense', {}, 1],
    ['getMusicFolders', {}, 0],
    ['getPlaylists', {}, 1],
    ['getArtists', {}, 1],
    ['getAlbumList2', { type: 'newest', size: 20 }, 1],
    ['getStarred2', {}, 1],
    ['search3', { query: 'paper', songCount: 20, albumCount: 20, artistCount: 20 }, 2]
  ] as const) {
    const before = gate.trips
    const { body } = await player.ask(method, parameters)
    t.equal(body.status, 'ok', method)
    t.ok(gate.trips - before <= trips, `${method}: ${gate.trips - before}`)
  }
})
