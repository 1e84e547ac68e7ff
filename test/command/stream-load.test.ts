/** Fifty streams at once through the relay, in a process of its own: what they take, and what they leave for others. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { request as requestTo } from 'undici'
import { start } from '../support/commandProcess.ts'
import { demoFor, song, until } from '../support/helper.ts'
import { listening } from '../support/listening.ts'

/** The demo, with files that come as slowly as real ones do and never end. `open`: number of files that are being sent. */
async function slowUpstream (t: Test): Promise<{ origin: string, open: () => number }> {
  const demo = await demoFor(t)
  const chunk = Buffer.alloc(64 * 1024, 7)
  let open = 0
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/audio/') === true) {
      open++
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      const timer = setInterval(() => { if (!response.writableNeedDrain) response.write(chunk) }, 20)
      response.once('close', () => {
        open--
        clearInterval(timer)
      })
      return
    }
    void (async () => {
      const answer = await requestTo(`${demo.origin}${request.url}`, {
        method: request.method as 'GET', headers: { ...request.headers, 'accept-encoding': 'identity' }, body: request
      })
      const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = answer.headers
      response.writeHead(answer.statusCode, headers).end((await answer.body.text()).replaceAll(demo.origin, origin))
    })()
  })
  const origin = await listening(t, server)
  return { origin, open: () => open }
}

const streams = 50

t.test('fifty streams from a slow upstream take less than a megabyte each, half of them paused, and others are answered', { skip: process.platform === 'linux' ? false : 'the size of a process is read from /proc' }, async (t) => {
  const upstream = await slowUpstream(t)
  const { child, address } = await start(t, upstream.origin, { STREAM: 'relay', LOG_LEVEL: 'silent' })
  const megabytes = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  const begin = () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => {
      socket.write(`GET /stream/${song(1)} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    })
    let got = 0
    socket.on('data', (data) => { got += data.length }).on('error', () => {})
    t.teardown(() => { socket.destroy() })
    return { socket, got: () => got }
  }
  const allOf = async (count: number, bytes: number) => {
    const players = Array.from({ length: count }, begin)
    await until(() => players.every(({ got }) => got() > bytes))
    return players
  }
  // What is compiled and loaded with the first streams is no part of what a stream takes.
  for (const { socket } of await allOf(10, 1_000_000)) socket.destroy()
  await until(() => upstream.open() === 0)
  const before = megabytes()
  const players = await allOf(streams, 100_000)
  for (const { socket } of players.slice(0, streams / 2)) socket.pause()
  const going = players.slice(streams / 2)
  const heard = going.map(({ got }) => got())
  let most = 0
  await until(async () => {
    most = Math.max(most, megabytes())
    t.equal((await fetch(`${address}/health/live`)).status, 200)
    await sleep(100)
    return going.every(({ got }, at) => got() > (heard[at] ?? 0) + 5_000_000)
  })
  t.equal(upstream.open(), streams)
  t.ok(most - before < streams, `${streams} streams take ${(most - before).toFixed(1)} MB more than none`)
  t.comment(`${((most - before) / streams).toFixed(2)} MB a stream`)
  for (const { socket } of players) socket.destroy()
  await until(() => upstream.open() === 0)
})
