/** The remote client: a program gets the same from a remote relay as from one of its own. */
import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { InvalidInput, RelayUnreachable, createClient, type CallOptions } from '../../src/index.ts'
import type { Relay } from '../../src/library/types.ts'
import { bundleClient } from '../../build/client.ts'
import { cookieOf, demoFor, endpoints, memberUin, relayFor, serverFor } from '../support/helper.ts'
import { alike, answering, callOf, clientFor, outcome, standing } from '../support/remote.ts'
import { sampleOf } from '../support/whole.ts'

t.test('every endpoint gives the same through a relay of one\'s own and through one elsewhere', async (t) => {
  const demo = await demoFor(t, standing)
  const own = relayFor(t, demo)
  const remote = clientFor(t, (await serverFor(t, demo)).address)
  t.same(Object.keys(remote).sort(), Object.keys(own).sort())
  const cookie = cookieOf(demo, 'member')
  for (const [name, { example, login }] of sampleOf(Object.entries(endpoints), 3)) {
    const options = login === undefined ? {} : { cookie }
    const [here, there] =
      [await outcome(callOf(own, name)(example, options)), await outcome(callOf(remote, name)(example, options))]
    t.same(alike(name, there), alike(name, here), name)
    t.ok(name.startsWith('check') || Object.hasOwn(here as object, 'value'), `${name} answers`)
  }
})

t.test('what goes wrong is the same error: class, code, status, wait and words', async (t) => {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'expired')
  const hotkeys = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'
  const cases: readonly [string, unknown, CallOptions?, Parameters<typeof demo.next>[1]?][] = [
    ...[{}, { songmid: 7 }, { songmid: '' }, { songmid: '\ud800' }, null]
      .map((input): [string, unknown] => ['getLyric', input]),
    ...[{ topId: '62' }, { limit: 101 }, { page: NaN }, { resolveMid: 1 }]
      .map((input): [string, unknown] => ['getRanks', input]),
    ['getLyric', { songmid: 'a' }, { cookie: `uin=${'1'.repeat(8200)}` }],
    ...[{}, { cookie: '  ' }, { cookie }]
      .map((call): [string, unknown, CallOptions] => ['getUserLikedSongs', {}, call]),
    ['batchGetSongInfo', { songs: 'x' }], ['getAlbumInfo', { albummid: 'nothing' }], ['checkAltLoginQr', {}],
    ['getHotkey', {}, {}, { hang: true }], ['getHotkey', {}, {}, { status: 429, headers: { 'retry-after': '7' } }],
    ['getHotkey', {}, { signal: AbortSignal.abort() }]
  ]
  const pair = async (options = {}): Promise<[Relay, Relay]> =>
    [relayFor(t, demo, options), clientFor(t, (await serverFor(t, demo, options)).address)]
  const usual = await pair()
  for (const [name, input, call = {}, fault] of cases) {
    // The state after a fault, such as a pause, must not affect the next case.
    const [own, remote] = fault === undefined ? usual : await pair('hang' in fault ? { deadlineMs: 300 } : {})
    if (fault !== undefined) demo.next(hotkeys, fault, 2)
    const [here, there] =
      [await outcome(callOf(own, name)(input, call)), await outcome(callOf(remote, name)(input, call))]
    t.same(there, here, `${name} ${JSON.stringify(input)?.slice(0, 40)}`)
    t.ok(Object.hasOwn(here as object, 'error'), name)
  }
})

t.test('where no relay answers, the error says what to do', async (t) => {
  const closed: RequestListener = ({ socket }) => { socket.destroy() }
  const halves: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '99' }).write('{')
    setImmediate(() => { response.destroy() })
  }
  const saying = (status: number, text: string): RequestListener =>
    (_request, response) => { response.writeHead(status).end(text) }
  const nothing = await answering(t, ({ url }, response) => {
    response.end(url === '/getHotkey' ? '{"response":{"data":null}}' : 'null')
  })
  const no = /is not such a relay/
  const rows: readonly (readonly [string | RequestListener, string, RegExp])[] = [
    [
      'http://127.0.0.1:1', 'UPSTREAM_UNREACHABLE',
      /No relay can be reached at http:\/\/127\.0\.0\.1:1.*: is it running, and is the address right\?/
    ],
    [closed, 'UPSTREAM_UNREACHABLE', /No relay can be reached/],
    [halves, 'UPSTREAM_UNREACHABLE', /No relay can be reached/],
    [saying(200, '<html>'), 'UPSTREAM_UNREADABLE', /is not such a relay \(HTTP 200\): check the address/],
    [saying(502, '<html>Bad Gateway'), 'UPSTREAM_UNREADABLE', /HTTP 502/],
    [saying(200, '{"code":0}'), 'UPSTREAM_UNREADABLE', no], [nothing, 'UPSTREAM_UNREADABLE', no],
    [saying(400, '{"error":"a","code":"TOMORROW"}'), 'UPSTREAM_UNREADABLE', /versions of both/]
  ]
  for (const [at, code, message] of rows) {
    const error = await clientFor(t, typeof at === 'string' ? at : await answering(t, at))
      .getHotkey().catch((thrown: unknown) => thrown)
    t.ok(error instanceof RelayUnreachable, String(error))
    t.match(error, { code, statusCode: 502, message })
  }
  await t.rejects(clientFor(t, nothing).getAltLoginQr(), { code: 'UPSTREAM_UNREADABLE' })
})

t.test('the cookie and the access token are in headers, never in an address, and do not follow a redirect', async (t) => {
  const demo = await demoFor(t)
  const { address } = await serverFor(t, demo)
  const cookie = cookieOf(demo, 'member')
  const seen: { url: string | undefined, headers: NodeJS.Dict<string | string[]> }[] = []
  const proxy = await answering(t, ({ url, headers }, response) => {
    seen.push({ url, headers })
    if (url?.startsWith('/moved') === true) response.writeHead(302, { location: `${proxy}/elsewhere` }).end()
    else void fetch(`${address}${url?.replace('/a/b', '') ?? ''}`, { headers: { 'x-custom-cookie': String(headers['x-custom-cookie']) } })
      .then(async (answer) => { response.writeHead(answer.status).end(await answer.text()) })
  })
  const client = clientFor(t, `${proxy}/a/b/`, { accessToken: 'open-sesame' })
  t.ok((await client.getUserLikedSongs({ limit: 1, cookie: 'in the input' } as object, { cookie })).songs.length === 1)
  t.same([seen[0]?.url, seen[0]?.headers['x-custom-cookie'], seen[0]?.headers['authorization']], ['/a/b/user/getUserLikedSongs?limit=1', cookie, 'Bearer open-sesame'])
  await t.rejects(clientFor(t, `${proxy}/moved`).getUserLikedSongs({}, { cookie }), {
    code: 'UPSTREAM_UNREADABLE', message: /leads elsewhere \(HTTP 302\): give the final address/
  })
  t.equal(seen.length, 2)
  const closed = await serverFor(t, demo, { accessToken: 'open-sesame' })
  t.ok((await clientFor(t, closed.address, { accessToken: 'open-sesame' }).getHotkey()).hotkey.length > 0)
  await t.rejects(clientFor(t, closed.address).getHotkey(), { code: 'TOKEN_REQUIRED', statusCode: 401 })
})

t.test('a cookie as people paste it is the same login through the client, and no error quotes it', async (t) => {
  const demo = await demoFor(t)
  const globalCookie = (): string | undefined => cookieOf(demo, 'ordinary')
  const { address } = await serverFor(t, demo, { useGlobalCookie: true, globalCookie })
  const client = clientFor(t, address)
  const cookie = cookieOf(demo, 'member')
  const rows = cookie.split('; ')
    .map((pair) => ({ name: pair.split('=')[0], value: pair.slice(pair.indexOf('=') + 1) }))
  for (const text of [
    `nick=张三; ${cookie}`, cookie.replaceAll('; ', '\n'), `\ufeff${cookie}\r\n`, JSON.stringify(rows, null, 2)
  ]) {
    t.match(await client.account({}, { cookie: text }), { uin: memberUin }, text.slice(0, 9))
  }
  await t.rejects(client.account({}, { cookie: 'qm_keyst=null\nnick=张三' }), { code: 'LOGIN_REQUIRED' }, 'not the login of the relay')
})

t.test('a call ends when its caller leaves, when its time is over, and when the client is closed', async (t) => {
  const hanging = await answering(t, () => {})
  const client = clientFor(t, hanging)
  const leaving = new AbortController()
  const left = client.getHotkey({}, { signal: leaving.signal })
  leaving.abort()
  await t.rejects(left, { code: 'UPSTREAM_TIMEOUT', statusCode: 504 })
  await t.rejects(client.getHotkey({}, { signal: AbortSignal.timeout(20) }), { code: 'UPSTREAM_TIMEOUT' })
  const closed = client.getHotkey()
  await client.close()
  await t.rejects(closed, { code: 'UPSTREAM_TIMEOUT' })
})

t.test('an address or token that cannot be right is refused at once, without being quoted', async (t) => {
  for (const address of ['', 'localhost:3200', 'ftp://host', 'http://me:secret@host', 'http://host/?cookie=secret', 'http://host/#secret']) {
    t.throws(() => createClient(address), new InvalidInput('baseUrl: must be an http or https address such as http://localhost:3200, without name, query and fragment.'), address)
  }
  t.throws(() => createClient('http://host', { accessToken: 'sec\nret' }), { code: 'INVALID_INPUT', message: /^accessToken: must be printable ASCII/ })
})

t.test('the client alone brings neither a server nor a connection pool along', async (t) => {
  const { metafile: { inputs, outputs } } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/library/httpClient.ts', import.meta.url))], bundle: true,
    packages: 'external', platform: 'node', format: 'esm', write: false, metafile: true
  })
  const packages = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  t.ok(Object.keys(inputs).length > 60 && packages.includes('ajv'), 'the search finds what is there')
  t.same(packages.filter((name) => /fastify|undici|pino|fs$|http$|net$/.test(name)), [])
})

t.test('the client for browsers is one file that makes no code out of text', async (t) => {
  const text = await bundleClient()
  t.equal(
    /\bnew Function\b|\beval\(|\bimport[\s{'"(]|\bfrom["']|\bprocess\.|\bBuffer\b|node:/.exec(text)?.[0], undefined
  )
  t.ok(text.length < 185_000, `${text.length} bytes`)
})
