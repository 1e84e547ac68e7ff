/** The MCP server in this process: its tools and their schemas, what an agent without a login is told, and an agent that sends anything. */
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import fc from 'fast-check'
import { serveTools, tools } from '../../src/mcp.ts'
import { plainSchema } from '../../src/openapi/jsonSchema.ts'
import { demoFor, endpoints, relayFor, song, cookieOf, until } from '../support/helper.ts'
import { createRelay } from '../../src/index.ts'
import { unhurried } from '../support/unhurried.ts'
import { whole } from '../support/whole.ts'

t.test('an agent without a login is told what to ask a person for', async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { close } =
    await serveTools({ relay: relayFor(t, await demoFor(t)), input, output, bug: (error) => { t.fail(String(error)) } })
  t.teardown(close)
  const answers = createInterface({ input: output })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object): Promise<any> => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return JSON.parse((await answers.next()).value as string)
  }
  await ask(
    1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  )
  const { result } = await ask(2, 'tools/call', { name: 'getUserLikedSongs', arguments: {} })
  t.match(JSON.parse(result.content[0].text), { code: 'LOGIN_REQUIRED', error: 'This endpoint needs a login.', hint: /^An account must be set up .*`music-relay login`.*docs\/agents\.md, "An account"/ })
  const play = await ask(3, 'tools/call', { name: 'getMusicPlay', arguments: { songmid: song(2) } })
  const { url, reason, hint } = JSON.parse(play.result.content[0].text)
  t.match([url, reason, hint], [undefined, 'NO_COOKIE', /^Log in to play this song\. .*`music-relay login`/])
  t.notMatch(JSON.stringify([result, play]), /\bcookie\b/i, 'nothing asks for a cookie')
})

t.test('the descriptions of the ten say what the tool does, when to use it and what comes back, and name fields that there are', async (t) => {
  const namesIn = (schema: unknown): string[] => typeof schema !== 'object' || schema === null ? []
    : Object.entries(schema)
      .flatMap(([key, inner]) => [...(key === 'properties' ? Object.keys(inner as object) : []), ...namesIn(inner)])
  for (const { name, description, inputSchema } of tools()) {
    t.match(description, /^(Finds|Looks up|Gets|Reads|Lists) .*\bUse it .*\bReturns `/, name)
    const names = new Set([...Object.keys(endpoints), ...namesIn(inputSchema), ...namesIn(plainSchema(endpoints[name]?.record as TSchema)), 'dissid'])
    for (const [, field = ''] of description.matchAll(/`([^`]+)`/g)) for (const part of field.split('.')) t.ok(names.has(part), `${name} has ${field}`)
  }
  t.notMatch(JSON.stringify(tools({ all: true })), /\bcookie\b/i)
})

t.test('the schemas of tools stand by themselves and say what the endpoints say', async (t) => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, formats: { uri: true } })
  for (const { name, inputSchema } of tools({ all: true })) {
    t.notMatch(JSON.stringify(inputSchema), /"x-|"nullable"|"\$id"|"\$ref":"(?!#\/\$defs\/)/, name)
    t.doesNotThrow(() => ajv.compile(inputSchema), name)
    t.same(
      Object.keys((inputSchema['properties'] ?? {}) as object), Object.keys(endpoints[name]?.input.properties ?? {}),
      name
    )
  }
})

async function scene (t: Test) {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  const relay =
    await createRelay({ upstreamOrigin: demo.origin, ...unhurried, globalCookie: () => cookie, useGlobalCookie: true })
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
  await ask(900_001, 'initialize', {
    protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' }
  })
  return { input, send, ask, server, bugs, said: () => said, key: /[QW]_[HX]_\w+/.exec(cookie)?.[0] ?? '' }
}

const odd = fc.oneof(fc.jsonValue(), fc.constantFrom<any>(
  '__proto__', { constructor: { prototype: 1 } }, 'x'.repeat(50_000), 1e308, [[[[]]]]
))
const named = fc.constantFrom('search', 'getSongInfo', 'getLyric', 'getMusicPlay', 'getCookie', 'getMainLoginQr', 'batchGetSongInfo', '__proto__', 'toString', '')
const messages = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(
    named, fc.dictionary(fc.constantFrom('key', 'songmid', 'songs', 'limit', 'cookie', 'type'), odd)
  ).map(([name, given]) => ({ method: 'tools/call', params: { name, arguments: given } })) },
  { weight: 1, arbitrary: fc.record({
    method: fc.oneof(fc.constantFrom('tools/list', 'initialize', 'notifications/cancelled', 'ping', 'resources/read'), fc.string()), params: odd
  }) }
)

t.test('whatever an agent sends, the server goes on, and tells nobody the login', async (t) => {
  const { send, ask, bugs, said, key } = await scene(t)
  t.ok(key.length > 10)
  const runs = whole ? 5000 : 150
  for (const [at, message] of fc.sample(messages, { numRuns: runs, seed: 47 }).entries()) {
    send(JSON.stringify({ jsonrpc: '2.0', id: at, ...message }))
  }
  for (const line of ['', '{', 'null', '[]', '[{"jsonrpc":"2.0"}]', '{"jsonrpc":"2.0","id":{},"method":"tools/call"}', `${'['.repeat(20_000)}`, '\u0000', '{"__proto__":{"x":1}}']) send(line)
  await ask(900_002, 'tools/call', { name: 'getLyric', arguments: { songmid: '00DemoSong0001' } })
  t.match(said().split('\n').find((line) => line.includes('"id":900002')), /lyric/)
  t.same(bugs, [])
  t.notOk(said().includes(key))
})

t.test('what was asked before the input ended is answered', async (t) => {
  const { input, send, server, said } = await scene(t)
  const params = { name: 'getLyric', arguments: { songmid: song(1) } }
  send(JSON.stringify({ jsonrpc: '2.0', id: 900_003, method: 'tools/call', params }))
  input.end()
  await server.left
  t.match(said().split('\n').find((line) => line.includes('"id":900003')), /lyric/)
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
