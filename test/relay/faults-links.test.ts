/**
 * Every failure of the upstream, for short links: an answer that redirects, of which only the head is read, and the page that some links
 * were in 2018, which costs a second request.
 */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { all, askRelay, runRow, withServer } from '../faults/matrix.ts'
import type { Probe } from '../faults/matrix.ts'
import { badPayload, broken, large, noHttp, passing, redirects, setCookies, slow, statuses } from '../faults/rows.ts'
import type { Row } from '../faults/rows.ts'
import { well } from '../faults/server.ts'
import type { Exchange, Fault } from '../faults/server.ts'
import { sampleOf } from '../support/whole.ts'

/** `beside`: further requests that a good head leads to. */
const probeOf = (name: string, token: string, beside: number): Probe => ({
  name,
  path: `/resolve?text=${encodeURIComponent(`https://c6.y.qq.com/base/fcgi-bin/u?__=${token}`)}`,
  ask: async (relay) => await relay.resolve({ text: `https://c6.y.qq.com/base/fcgi-bin/u?__=${token}` }),
  links: ['/base/fcgi-bin/u'],
  beside
})

const redirect = probeOf('a short link', 's00DemoSong0001', 0)
/** Answered with 200: the first request reads the head, the second one the text. */
const page = probeOf('a short link that is a page', 'h00DemoSong0001', 1)

/** The redirect as it should be, up to the end of its headers: the fault sends the rest. */
const headed = (rest: (exchange: Exchange) => void, ...lines: readonly string[]): Fault => async (exchange) => {
  const { location } = await exchange.healthy()
  exchange.write(`${['HTTP/1.1 302 Found', `location: ${location}`, ...lines].join('\r\n')}\r\n\r\n`)
  rest(exchange)
}

const good = { status: 200, outcome: /^ok$/, blame: 'none' } as const

/** Redirects that are as good as the plain one. Nobody waits for their bodies. */
const honest: readonly Row[] = [
  { name: 'plain', fault: well, ...good },
  ...[301, 303, 307, 308].map((status): Row => ({
    name: `HTTP ${status}`, ...good, fault: async ({ healthy, answer }) => { answer('', { status, headers: [`location: ${(await healthy()).location}`] }) }
  })),
  { name: 'slow', ...good, fault: async (exchange) => { await sleep(200); await well(exchange) } },
  { name: 'a body that never comes', ...good, fault: headed(() => {}, 'content-length: 1000') },
  { name: 'a body that breaks off', ...good, fault: headed(({ socket }) => { socket.write('<html>'); setTimeout(() => { socket.resetAndDestroy() }, 20) }, 'content-length: 1000') },
  { name: 'a body without an end', ...good, mostSent: 24 * 1024 * 1024, fault: headed(({ socket }) => {
    const more = (): void => { while (socket.writable && socket.write(Buffer.alloc(65_536, 0x20))) continue }
    socket.on('drain', more)
    more()
  }) },
  { name: 'a compressed body that is none', ...good, fault: headed(({ socket }) => { socket.end('no gzip') }, 'content-encoding: gzip', 'content-length: 7') },
  { name: 'a flood of cookies', ...good, fault: headed(({ socket }) => { socket.end() }, 'content-length: 0', ...setCookies) },
  { name: 'a second address', ...good, fault: headed(({ socket }) => { socket.end() }, 'location: https://y.qq.com/n/ryqq/songDetail/00DemoSong0002', 'content-length: 0') },
  { name: 'after early hints', ...good, fault: async (exchange) => { exchange.write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'); await well(exchange) } }
]

const missing = { status: 404, code: 'NOT_FOUND', outcome: /^ok$/, blame: 'none' } as const

/** Wherever it leads: nobody goes there. */
const elsewhere = (origin: string): readonly Row[] => redirects(origin).map((row) => /another host|itself/.test(row.name) ? { ...row, ...missing } : row)

const gone: Row = { name: 'HTTP 404', fault: ({ answer }) => { answer('<html>', { status: 404, type: 'text/html' }) }, ...missing }

/** The head is read, and is good; the text is not. */
const afterHead = (row: Row): Row => ({ ...row, outcome: new RegExp(`^ok$|${row.outcome.source}`) })
const inBody = /^headers, then|half a body|^a chunk|body in drips|chunk size/

t.test('a short link: every failure has its status, its code, its attempts and its class; no address is contacted', async (t) => {
  let asked = 0
  const other = createServer((socket) => { asked++; socket.destroy() }).listen(0, '127.0.0.1')
  await new Promise((resolve) => { other.once('listening', resolve) })
  t.teardown(() => { other.close() })
  let plain = ''
  await withServer(async (server) => { plain = (await askRelay(server.origin, redirect, {}, () => {})).text })
  t.match(JSON.parse(plain), { code: 0, data: { type: 'song', mid: '00DemoSong0001' } })
  const atHead = (rows: readonly Row[]): readonly Row[] => rows.filter(({ name }) => !inBody.test(name))
  const rows = [
    ...honest, gone, ...sampleOf([...passing, ...atHead(slow), ...broken.slice(0, 3), ...atHead(noHttp), ...statuses.filter(({ name }) => name !== 'HTTP 404')], 3),
    ...elsewhere(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
  ]
  await all(rows, async (row) => { t.same(await runRow(row, redirect, plain), [], row.name) })
  t.equal(asked, 0)
})

t.test('a short link that is a page: failures of its text are those of any other answer', async (t) => {
  let plain = ''
  await withServer(async (server) => { plain = (await askRelay(server.origin, page, {}, () => {})).text })
  t.match(JSON.parse(plain), { code: 0, data: { type: 'song', mid: '00DemoSong0001' } })
  const empty = { status: 502, code: 'UPSTREAM_EMPTY', outcome: /^(?:ok|empty)$/, blame: 'call' } as const
  const texts: readonly Row[] = [
    { name: 'plain', fault: well, ...good },
    ...['', '<html>', '<html>https://y.qq.com/n/ryqq/songDetail/00DemoSong0002</html>', 'null', `{"url":"https://example.com/?no_redirect=1"}`].map((text): Row => ({ name: `the text ${text}`, fault: ({ answer }) => { answer(text, { type: 'text/html' }) }, ...empty }))
  ]
  // The fault begins with the head of a good answer.
  const badBodies = [...slow.filter(({ name }) => inBody.test(name)), ...noHttp.filter(({ name }) => inBody.test(name)), ...badPayload.filter(({ name, outcome }) => outcome.test('bad_encoding') && name !== 'cut gzip'), ...large]
  const rows = [...texts, ...sampleOf(badBodies, 3)]
  await all(rows, async (row) => { t.same(await runRow(afterHead(row), page, plain), [], row.name) })
})
