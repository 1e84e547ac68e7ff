/** `music-relay mcp`, used by the client of the official SDK and by bare JSON-RPC: what an agent sees and gets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { commandLine, emptyFolder, root } from '../support/commandProcess.ts'
import { cookieOf, demoFor, endpoints, relayFor, song } from '../support/helper.ts'

const envFor = (demo: DemoUpstream) =>
  ({ PATH: process.env['PATH'] ?? '', UPSTREAM_ORIGIN: demo.origin, IMAGE_ORIGIN: demo.origin })

interface Result {
  isError?: boolean
  content: { type: string, text: string }[]
  structuredContent?: Record<string, unknown>
}

t.test('an agent lists the tools, calls each with its example, and its client accepts every answer', async (t) => {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  const env = {
    ...envFor(demo), CONFIG_DIR: t.testdir({ 'user-info.json': JSON.stringify({ cookie }) }), USE_GLOBAL_COOKIE: 'true',
    LOG_LEVEL: 'debug'
  }
  const transport = new StdioClientTransport({
    command: process.execPath, args: [...commandLine, 'mcp', '--all'], cwd: root, env, stderr: 'pipe'
  })
  let said = ''
  transport.stderr?.on('data', (text: Buffer) => { said += text.toString() })
  const client = new Client({ name: 'test', version: '1' })
  const protocolErrors: unknown[] = []
  client.onerror = (error) => { protocolErrors.push(error) }
  await client.connect(transport)
  t.teardown(async () => { await client.close() })
  t.match(client.getServerVersion(), { name: 'music-relay' })
  t.match(client.getInstructions(), /`search`/)

  const { tools: listed } = await client.listTools()
  t.equal(
    listed.length,
    Object.values(endpoints).filter(({ tag, envelope }) => tag !== 'login' && envelope.delivers !== 'audio').length - 1,
    'all but logins, the cookie and audio'
  )
  t.same(listed.filter(({ name }) => /login|cookie/i.test(name)), [])

  const relay = relayFor(t, demo)
  for (const { name, annotations, title, description } of listed) {
    t.match(annotations, { readOnlyHint: true, destructiveHint: false }, name)
    t.ok((title ?? '').length > 5 && (description ?? '').length > 5, name)
    const { isError, structuredContent, content } =
      await client.callTool({ name, arguments: { ...endpoints[name]?.example } }) as unknown as Result
    t.notOk(isError, `${name} ${content[0]?.text.slice(0, 200)}`)
    t.same([structuredContent, content.length], [undefined, 1], `${name}: one copy of the answer`)
    t.notMatch(content[0]?.text, /":(?:""|null|\[\]|\{\})/, `${name}: no empty field`)
  }
  const call = async (name: string, given: Record<string, unknown>): Promise<Result> =>
    await client.callTool({ name, arguments: given }) as unknown as Result
  const answerOf = async (name: string, given: Record<string, unknown>): Promise<unknown> =>
    JSON.parse((await call(name, given)).content[0]?.text ?? '')
  const [song] = (await relay.search({ type: 'song', key: 'First Light', limit: 1 })).songs
  t.match(song, await answerOf('search', { type: 'song', key: 'First Light', limit: 1 }).then(
    (answer) => (answer as { songs: object[] }).songs[0]
  ), 'what is left is unchanged')
  t.match(await answerOf('batchGetSongInfo', { songs: [['00DemoSong0001']] }), [{ songinfo: { code: 0 } }])
  for (const [name, given, error] of [
    ['getLyric', {}, { error: 'songmid: is required.', code: 'INVALID_INPUT' }],
    ['getLyric', { songmid: 5 }, { code: 'INVALID_INPUT', error: /^songmid: must be / }],
    ['getAlbumInfo', { albummid: 'nothing' }, { code: 'NOT_FOUND' }]
  ] as const) {
    const { isError, content, structuredContent } = await call(name, given)
    t.same([isError, structuredContent], [true, undefined])
    t.match(JSON.parse(content[0]?.text ?? ''), error)
  }
  for (const name of ['getMainLoginQr', 'getCookie', 'toString']) {
    await t.rejects(client.callTool({ name, arguments: {} }), { code: -32602, message: /There is no tool/ }, name)
  }

  await client.close()
  t.same(protocolErrors, [], 'nothing but the protocol on stdout')
  t.notOk(said.includes('demoMember'), 'the cookie is in no log line')
})

t.test('the demo offers ten tools over bare stdio, in less than 6,000 tokens, with an account and without a network', async (t) => {
  const child = spawn(process.execPath, [...commandLine, 'mcp', '--demo'], {
    cwd: root, env: { CONFIG_DIR: emptyFolder, LOG_LEVEL: 'silent' }
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object): Promise<
    { text: string, result?: any, error?: any }
  > => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const text = (await answers.next()).value as string
    return { text, ...JSON.parse(text) as object }
  }
  const { result: server } = await ask(
    1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  )
  const { text, result } = await ask(2, 'tools/list', {})
  t.same(result.tools.map(({ name }: { name: string }) => name).sort(), [
    'getAlbumInfo', 'getDailyRecommend', 'getLyric', 'getMusicPlay', 'getRanks', 'getSingerHotsong', 'getSongInfo',
    'getSongListDetail', 'getUserLikedSongs', 'search'
  ])
  // A token of English is about four characters; of JSON, three.
  t.ok(text.length / 3 < 6000, `${text.length} characters`)
  t.notMatch(text + String(server.instructions), /\bcookie\b/i)
  const answerOf = async (id: number, name: string, given: object): Promise<any> =>
    JSON.parse((await ask(id, 'tools/call', { name, arguments: given })).result.content[0].text)
  t.equal((await answerOf(3, 'search', { type: 'song', key: 'First Light' })).songs[0].mid, song(1))
  const [{ dissid }] = (await answerOf(6, 'search', { type: 'playlist', key: 'paper' })).playlists
  t.ok((await answerOf(7, 'getSongListDetail', { disstid: dissid })).songlist.length > 0)
  t.ok((await answerOf(8, 'getDailyRecommend', {})).songs.length > 0)
  t.match((await ask(4, 'tools/call', { name: 'getMv', arguments: {} })).error, {
    code: -32602, message: /There is no tool getMv\..*--all/
  })
  t.match((await ask(5, 'tools/call', { name: 'getCookie', arguments: {} })).error, { message: /There is no tool getCookie\.$/ })
  child.stdin.end()
  t.same(await once(child, 'close'), [0, null])
})
