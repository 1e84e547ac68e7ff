/** The MCP server and an agent that sends anything: no crash, no bug, no secret, and the next call is answered. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createRelay } from '../../src/index.ts'
import { serveTools } from '../../src/mcp.ts'
import { cookieOf, demoFor, until } from '../support/helper.ts'
import { unhurried } from '../support/unhurried.ts'
import { whole } from '../support/whole.ts'

async function scene (t: Test) {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  const relay = await createRelay({ upstreamOrigin: demo.origin, ...unhurried, globalCookie: () => cookie, useGlobalCookie: true })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const bugs: unknown[] = []
  let said = ''
  output.setEncoding('utf8').on('data', (text: string) => { said += text })
  const server = await serveTools({ relay, all: true, input, output, bug: (error) => { bugs.push(error) } })
  t.teardown(async () => { await server.close(); await relay.close() })
  const send = (line: string): void => { input.write(`${line}\n`) }
  const ask = async (id: number, method: string, params: object): Promise<void> => {
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    await until(() => said.includes(`"id":${id}`))
  }
  await ask(900_001, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } })
  return { input, send, ask, server, bugs, said: () => said, key: /[QW]_[HX]_\w+/.exec(cookie)?.[0] ?? '' }
}

const odd = fc.oneof(fc.jsonValue(), fc.constantFrom<any>('__proto__', { constructor: { prototype: 1 } }, 'x'.repeat(50_000), 1e308, [[[[]]]]))
const named = fc.constantFrom('search', 'getSongInfo', 'getLyric', 'getMusicPlay', 'getCookie', 'getMainLoginQr', 'batchGetSongInfo', '__proto__', 'toString', '')
const messages = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(named, fc.dictionary(fc.constantFrom('key', 'songmid', 'songs', 'limit', 'cookie', 'type'), odd)).map(([name, given]) => ({ method: 'tools/call', params: { name, arguments: given } })) },
  { weight: 1, arbitrary: fc.record({ method: fc.oneof(fc.constantFrom('tools/list', 'initialize', 'notifications/cancelled', 'ping', 'resources/read'), fc.string()), params: odd }) }
)

t.test('whatever an agent sends, the server goes on, and tells nobody the login', async (t) => {
  const { send, ask, bugs, said, key } = await scene(t)
  t.ok(key.length > 10)
  const runs = whole ? 5000 : 150
  for (const [at, message] of fc.sample(messages, { numRuns: runs, seed: 47 }).entries()) send(JSON.stringify({ jsonrpc: '2.0', id: at, ...message }))
  for (const line of ['', '{', 'null', '[]', '[{"jsonrpc":"2.0"}]', '{"jsonrpc":"2.0","id":{},"method":"tools/call"}', `${'['.repeat(20_000)}`, '\u0000', '{"__proto__":{"x":1}}']) send(line)
  await ask(900_002, 'tools/call', { name: 'getLyric', arguments: { songmid: '00DemoSong0001' } })
  t.match(said().split('\n').find((line) => line.includes('"id":900002')), /lyric/)
  t.same(bugs, [])
  t.notOk(said().includes(key))
})

t.test('a line that never ends closes the server, before it fills the memory', async (t) => {
  const { input, server } = await scene(t)
  let sent = 0
  let isOver = false
  void server.left.then(() => { isOver = true })
  while (!isOver && sent < 50) {
    sent++
    if (!input.write(Buffer.alloc(256 * 1024, 'x'))) await Promise.race([once(input, 'drain'), server.left])
  }
  await server.left
  t.ok(sent < 10, `${sent} pieces`)
})
