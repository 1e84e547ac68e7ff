/** Unsupported methods and bytes that are not HTTP: one refusal, the connection closes, and the relay keeps working. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { demoFor, endpoints, serverOnWire } from '../support/helper.ts'
import { exchange, hasStrictParser, requestText, type Exchange } from '../support/raw.ts'
import { goesOn, refusalProblem } from '../support/shape.ts'
import { servedOnWire as served } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'

interface Refused {
  readonly status: number | undefined
  readonly words: string
  readonly wrong: readonly unknown[]
  readonly headers: ReadonlyMap<string, string>
}

/** The one answer to these bytes, and what is wrong with it as the last one of its connection. */
async function refusalOf (
  address: string, bytes: string | Buffer,
  { secrets = [], head = false }: { secrets?: readonly string[], head?: boolean } = {}
): Promise<Refused> {
  const { answers: [answer, ...more], closed, rest } = await exchange(address, bytes, { head })
  const { status = 0, text = '', headers = new Map<string, string>() } = answer ?? {}
  const problem = refusalProblem({ status, text, header: (name) => headers.get(name) }, { bodyless: head, secrets })
  return { status, headers, words: head ? '' : String(JSON.parse(text === '' ? '{}' : text).error), wrong: [
    ...more, problem, closed ? undefined : 'open', rest || undefined
  ].filter((each) => each !== undefined) }
}

const methods = ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', ...hasStrictParser ? ['QUERY'] : [], 'LINK']
const brought: readonly [string[], string][] = [[[], ''], [['Content-Type: text/plain', 'Content-Length: 2'], 'ab'], [['Content-Type: application/json', 'Content-Length: 2'], 'ab']]

served('a method that a path does not answer is 405, whatever it brings', async ({ t, demo, server }) => {
  const wrong: string[] = []
  const forms = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam, method }) =>
    [path, ...aliases, ...pathParam === undefined ? [] : [`${path}/x`]].map((form) => [form, method] as const))
  for (const [turn, [path, own]] of forms.entries()) {
    const allow = own === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
    const cases = [...methods, own === 'GET' ? 'POST' : 'GET']
      .flatMap((method) => brought.map((bringing) => [method, ...bringing] as const))
    await Promise.all(sampleOf(cases, 8, turn).map(async ([method, headers, body]) => {
      const refused = await refusalOf(
        server.address, requestText(`${method} ${path} HTTP/1.1`, [...headers, 'Connection: close'], body)
      )
      if (refused.status !== 405 || refused.headers.get('allow') !== allow || refused.wrong.length > 0) {
        wrong.push(`${method} ${path}: ${JSON.stringify([refused, [...refused.headers]])}`)
      }
    }))
    const plain = await server.get(path, { method: 'OPTIONS' })
    if (plain.status !== 204 || plain.headers.get('allow') !== allow) wrong.push(`OPTIONS ${path}`)
  }
  t.same(wrong, [])
  await goesOn(t, server, demo, 'methods')
})

served('HEAD is refused as GET is, without a body', async ({ t, demo, server }) => {
  for (const target of ['/getRanks?limit=x', '/getLyric', '/nothing', '/batchGetSongInfo', '/getLyric/%zz', '/getDailyRecommend', `/getSmartbox?key=${'x'.repeat(201)}`]) {
    const { status } = await server.get(target)
    const refused =
      await refusalOf(server.address, requestText(`HEAD ${target} HTTP/1.1`, ['Connection: close']), { head: true })
    t.same([refused.status, refused.wrong], [status, []], target)
  }
  await goesOn(t, server, demo, 'HEAD')
})

const post = (headers: readonly string[], body: string): string =>
  requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: application/json', ...headers], body)
/** A request smuggled behind each malformed one. It must never be answered. */
const hidden = requestText('GET /getHotkey HTTP/1.1', ['X-Hidden: 1'])

const get = (headers: readonly string[], line = 'GET /getHotkey HTTP/1.1'): string => requestText(line, headers)
const chunks = (body: string): string => post(['Transfer-Encoding: chunked'], body)
const noHost = '/getHotkey HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n'

/** What is wrong, and its status if that is not 400. */
const malformed: readonly (readonly [string | Buffer, number?])[] = [
  ...[
    ['Content-Length: 2', 'Transfer-Encoding: chunked'], ['Transfer-Encoding: chunked', 'Content-Length: 5'], ['Transfer-Encoding: xchunked'], ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], ['Transfer-Encoding : chunked'], ['Transfer-Encoding:\u000Bchunked']
  ].map((headers) => [post(headers, '0\r\n\r\n')] as const),
  ...[
    ['Content-Length: 2', 'Content-Length: 3'], ['Content-Length: 2', 'Content-Length: 2'], ['Content-Length: 2, 2'], ['Content-Length: +2'], ['Content-Length: -2'], ['Content-Length: 0x2'],
    ['Content-Length: 99999999999999999999'], ['Content-Length : 2'], ['Content-Length:\r\n 2']
  ].map((headers) => [post(headers, '{}')] as const),
  [post(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
  ...['-2\r\n{}\r\n0\r\n\r\n', 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n', ...hasStrictParser ? ['2\r\n{}XX0\r\n\r\n'] : [], 'zz\r\n{}\r\n0\r\n\r\n']
    .map((body) => [chunks(body)] as const),
  ['POST /batchGetSongInfo HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  [`GET ${noHost}0\r\n\r\n`],
  // Headers: folded, ended wrongly, without a name or a colon, with NUL; a Host that is missing, or there twice.
  ...[
    ['X-A: b\r\n c'], ['X-A: b\0c'], ...hasStrictParser ? [[': b']] : [], ['nonsense'], ['Host: localhost'],
    [...Array.from({ length: 2100 }, () => 'A:'), 'Host: localhost']
  ].map((headers) => [get(headers)] as const),
  ...['\nHost: localhost\n\n', '\r\nHost: localhost\nX: y\r\n\r\n', '\r\nHost: localhost\rX: y\r\n\r\n', '\r\n\r\n'].map((rest) => [`GET /getHotkey HTTP/1.1${rest}`] as const),
  ['POST /batchGetSongInfo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'],
  ...[
    'CONNECT evil.example:443 HTTP/1.1', 'GET http://evil.example/getHotkey HTTP/1.1', 'GET http://localhost/getHotkey HTTP/1.1', 'GET file:///etc/passwd HTTP/1.1', 'GET getHotkey HTTP/1.1',
    'FOO /getHotkey HTTP/1.1', 'get /getHotkey HTTP/1.1', 'GET /get\0Hotkey HTTP/1.1', 'GET /getHotkey HTTP/9'
  ].map((line) => [get([], line)] as const),
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  [Buffer.from('160301020001000001fc0303', 'hex')], // a greeting of TLS
  ...hasStrictParser ? [[Buffer.from(get([], 'GET /getSmartbox?key=\u00e4\u00bd HTTP/1.1'), 'latin1')] as const] : [],
  [get([], `GET /getRanks?x=${'y'.repeat(1_000_000)} HTTP/1.1`), 431],
  [get([`X-A: ${'y'.repeat(65_536)}`]), 431],
  [get(Array.from({ length: 3000 }, (_, at) => `X-${at}: y`)), 431],
  // Bodies that never come, are too large, or that nobody takes.
  [requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 500'], '{}'), 415],
  [requestText('POST /nothing HTTP/1.1', ['Content-Encoding: gzip', 'Content-Length: 500'], '{}'), 404],
  [post(['Content-Length: 1000000000'], '{'), 413],
  [chunks(`40000\r\n${'x'.repeat(0x40000)}\r\n1\r\nx\r\n`), 413],
  [requestText('DELETE /getHotkey HTTP/1.1', ['Transfer-Encoding: chunked'], 'zz\r\n'), 405],
  [get(['Expect: tea']), 417]
]
const shown = (bytes: string | Buffer): string => JSON.stringify(bytes.toString('latin1').slice(0, 200))

served('a malformed request gets one refusal and the end of the connection, and nothing behind it is ever answered', async ({ t, demo, server }) => {
  await Promise.all(malformed.map(async ([bytes, status = 400]) => {
    const refused = await refusalOf(server.address, Buffer.concat([Buffer.from(bytes as string), Buffer.from(hidden)]))
    t.same([refused.status, refused.wrong, refused.headers.get('connection')], [status, [], 'close'], shown(bytes))
  }))
  await goesOn(t, server, demo, 'malformed')
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  t.equal(
    lines.filter(({ msg, status }) => msg === 'request' && Number(status) >= 400).length, malformed.length,
    'each has its line in the log'
  )
})

served('who resets the connection after its refusal, or before it, ends nothing but that connection', async ({ t, demo, server }) => {
  const { hostname: host, port } = new URL(server.address)
  for (const [turn, [bytes]] of [
    ...malformed, [get(['Connection: Upgrade', 'Upgrade: websocket'], 'GET /nothing HTTP/1.1')] as const
  ].entries()) {
    for (const answered of sampleOf([true, false], 2, turn)) {
      const socket = connect({ host, port: Number(port) }).on('error', () => {})
      await once(socket, 'connect')
      socket.write(bytes)
      if (answered) await Promise.race([once(socket, 'data'), once(socket, 'close')])
      socket.resetAndDestroy()
      t.equal((await server.get('/health/live')).status, 200, `${shown(bytes)}, ${answered ? 'after' : 'before'}`)
    }
  }
  await goesOn(t, server, demo, 'reset')
})

/** A fault behind a cookie. What the parser says of it must be told, and the cookie must not. */
const faulty = (text: string): string => requestText('GET /getHotkey HTTP/1.1', ['Cookie: provider_key=SECRETMARK', text])
const chunked = (body: string): string => post(['Cookie: provider_key=SECRETMARK', 'Transfer-Encoding: chunked'], body)

type Told = readonly [string | Buffer, RegExp, number?]
const strictlyTold: readonly Told[] = [
  [
    requestText('GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['Content-Length: 1'], 'x'),
    /^path: .*; percent-encode the address \(curl: --data-urlencode with -G\)\. 请对地址进行百分号编码/
  ],
  [requestText('POST /getLyric/纸月亮 HTTP/1.1'), /^path: .*percent-encode the address/],
  [Buffer.from(requestText('GET /getSearchByKey?key=\u00d4\u00c2 HTTP/1.1'), 'latin1'), /^path: .*percent-encode the address/],
  [chunked('2\r\n{}SECRETMARK'), /chunked body must end with CR LF/],
  [faulty('X-A : b'), /^headers: a line /],
  [faulty('X-A: b\nX-C: d'), /CR LF/],
  ['GET /getHotkey HTTP/1.1\r\nHost: localhost\r\n\rGET', /CR LF/],
  [post(['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}'), /^transfer-encoding: /],
  [chunked('2\n{}\n0\n\n'), /CR LF/]
]
const told: readonly Told[] = [
  ...hasStrictParser ? strictlyTold : [],
  [requestText('GET getHotkey HTTP/1.1'), /^path: .*does not begin with "\/"/],
  [requestText('GET /getSearchByKey?key=paper moon HTTP/1.1'), /^request line: .*%20.*空格/],
  [requestText('GET /getHotkey HTTP/9'), /^request line: .*version/],
  [requestText('GET /getHotkey http/1.1'), /^request line: /],
  [requestText('get /getHotkey HTTP/1.1'), /^method: /],
  ['SSH-2.0-OpenSSH_9.2\r\n', /^method: /],
  [Buffer.from('16030102000100', 'hex'), /^This relay speaks plain HTTP, without TLS/],
  [faulty('X-A: b\u0001c'), /^headers: a line /],
  [requestText('GET /getHotkey HTTP/1.1', ['Cookie: provider_key=SECRETMARK\u0001']), /^headers: a line /],
  [faulty('nonsense'), /^headers: a line /],
  [faulty('X-A: b\r\n c'), /^headers: a line /],
  [faulty('X-A: b\rX-C: d'), /CR LF/],
  [post(['Content-Length: 2 SECRETMARK'], '{}'), /^content-length: /],
  [post(['Content-Length: 2', 'Content-Length: 3'], '{}'), /^content-length: /],
  [post(['Transfer-Encoding: chunked', 'Content-Length: 2'], '{}'), /^content-length: /],
  [post(['Transfer-Encoding: gzip, SECRETMARK'], '{}'), /^transfer-encoding: /],
  [chunked('SECRETMARK\r\n'), /^The request is not valid HTTP/],
  [faulty(`X-A: ${'b'.repeat(20_000)}`), /16 KB/, 431]
]

served('a refusal of the parser says what is wrong, and repeats nothing of the request', async ({ t, server }) => {
  for (const [bytes, words, status = 400] of told) {
    const lines = server.log.length
    const refused = await refusalOf(server.address, bytes, { secrets: ['SECRETMARK', '纸月亮'] })
    t.match([refused.status, refused.wrong, refused.words], [status, [], words], shown(bytes))
    t.same(
      server.log.slice(lines).map((line) => (JSON.parse(line) as { status: unknown }).status), [status], shown(bytes)
    )
  }
  t.notMatch(server.log.join(''), /SECRETMARK|Parse Error|纸/)
})

/** Raw UTF-8 in an address, and what is no such request: line, headers, bytes behind it. */
const raw: readonly (readonly [line: string, headers?: readonly string[], behind?: string])[] = [
  ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['Content-Length: 0']], ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['Transfer-Encoding: chunked']], ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['Host: other']],
  ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['X-A: a', 'x-a: b']], ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['nonsense']], ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['X-A: b\u0001c']], ['GET /getSearchByKey?key=纸月亮 HTTP/1.0'],
  ['GET /getSearchByKey?key=纸 月 HTTP/1.1'], ['GET http://x/纸 HTTP/1.1'], ['DELETE /纸 HTTP/1.1'], ['GET /stream?songmid=00DemoSong0001&x=纸 HTTP/1.1'], ['GET /STREAM/00DemoSong0001.mp3?x=纸 HTTP/1.1'], ['GET /radio/199.mp3?x=纸 HTTP/1.1'], ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', [], 'GET /getHotkey HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['GET /getSearchByKey?key=纸月亮 HTTP/1.1', ['Upgrade: websocket', 'Connection: Upgrade']]
]

served('raw UTF-8 in an address is read like the percent-encoded one; the connection ends, and anything odd is refused', async ({ t, server }) => {
  const ask = async (text: string): Promise<Exchange> => await exchange(server.address, text)
  for (const [path, encoded] of [['/getSearchByKey?key=纸月亮&limit=2', '/getSearchByKey?key=%E7%BA%B8%E6%9C%88%E4%BA%AE&limit=2'], ['/getSearchByKey/纸月亮?limit=2', '/getSearchByKey/%E7%BA%B8%E6%9C%88%E4%BA%AE?limit=2'], ['/getSmartbox?key=%E7%BA%B8é🎵', '/getSmartbox?key=%E7%BA%B8%C3%A9%F0%9F%8E%B5']] as const) {
    server.log.length = 0
    const { answers: [answer, ...more], closed } =
      await ask(requestText(`GET ${path} HTTP/1.1`, ['Accept: */*', ...hasStrictParser ? [] : ['Connection: close']]))
    const right = await server.get(encoded)
    t.same([
      answer?.status, answer?.text, answer?.headers.get('connection'), more, closed
    ], [200, right.text, 'close', [], true], path)
    t.match(server.log.map((line) => JSON.parse(line) as unknown)[0], { msg: 'request', status: 200, method: 'GET' })
    t.notMatch(server.log.join(''), /纸|%E7/)
  }
  const wrong = requestText('GET /getSearchByKey?key=\u00d4\u00c2 HTTP/1.1', hasStrictParser ? [] : ['Connection: close'])
  t.match((await exchange(server.address, Buffer.from(wrong, 'latin1'))).answers, [{
    status: 400, text: /percent-encode the address/
  }])
  if (!hasStrictParser) return
  t.match((await ask(requestText('GET /没有 HTTP/1.1'))).answers, [{ status: 404, text: /ROUTE_NOT_FOUND/ }])
  t.match((await ask(requestText('HEAD /getSmartbox?key=纸 HTTP/1.1'))).answers.length, 0)
  t.match((await ask('GET /getHotkey HTTP/1.1\r\nHost: localhost\r\n\r\n')).answers.length, 1)
  for (const [line, headers, behind = ''] of raw) {
    const { answers, closed } = await ask(requestText(line, headers) + behind)
    t.same([answers.map(({ status }) => status), closed], [[400], true], `${line} ${JSON.stringify(headers)}`)
  }
  // What a body holds is no request.
  const smuggled = await ask(`POST /batchGetSongInfo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}GET /getSmartbox?key=纸 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  t.ok(smuggled.answers.length <= 2 && smuggled.closed)
})

served('a path that no route can have is refused like any other request: checks, headers, one line in the log', async ({ t, demo, server }) => {
  const long = 'x'.repeat(2049)
  const refused: readonly (readonly [string, number, RegExp])[] = [
    ...['/%', '/%zz', '/getLyric/%E4%BA', '/getLyric/%', '/docs/%', '/%ff', '/%25%']
      .map((path) => [path, 400, /^path: .*percent-encode the address.*%25.*百分号编码/] as const),
    ...[`/getLyric/${long}`, `/${long}`].map((path) => [path, 414, /^path: its last part is too long/] as const),
    ...[
      '/%00', '//', '///', '//getRanks', '/getRanks/', '/getRanks//', '/%2F', '/%2e%2e/', '/getRanks%3FtopId=62',
      '/getRanks;a=1', '/HEALTH/live', '/%E4%BD%A0', '/getHotkey/a/b', '/health/', `/${'x'.repeat(2048)}`
    ].map((path) => [path, 404, /^There is no such route\. .* do not end with a slash/] as const)
  ]
  for (const [turn, [path, status, words]] of refused.entries()) {
    for (const method of sampleOf(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'], 5, turn)) {
      const what = `${method} ${path.slice(0, 40)}`
      server.log.length = 0
      const answer = await refusalOf(
        server.address, requestText(`${method} ${path} HTTP/1.1`, ['Connection: close']), { head: method === 'HEAD' }
      )
      t.match([
        answer.status, answer.wrong, answer.headers.get('access-control-allow-origin'), answer.words
      ], [status, [], '*', method === 'HEAD' ? '' : words], what)
      t.match(server.log.map((line) => JSON.parse(line) as unknown), [{
        method, status, reqId: answer.headers.get('x-request-id'), msg: 'request'
      }], what)
      t.equal(server.log.length, 1, what)
    }
  }
  const behind = await exchange(server.address, requestText('GET /% HTTP/1.1', ['Host: other']) + hidden)
  t.same([behind.answers.map(({ status }) => status), behind.closed], [[400], true], 'nothing behind it is answered')
  const locked = await serverOnWire(t, demo, { accessToken: 'token' })
  for (const path of ['/%', `/getLyric/${long}`]) t.equal((await locked.get(path)).status, 401, path)
  await goesOn(t, server, demo, 'paths')
})

served('methods of another protocol and a star for a path are refused, and nothing is a bug', { pages: true }, async ({ t, demo, server }) => {
  for (const [line, status] of [['DESCRIBE /getHotkey RTSP/1.0', 405], ['PLAY /nothing RTSP/1.0', 404], [
    'SETUP rtsp://localhost/getHotkey RTSP/1.0', 400
  ], ['GET * HTTP/1.1', 400], ['POST * HTTP/1.1', 400], ['OPTIONS * HTTP/1.1', 204]] as const) {
    server.log.length = 0
    const { answers } = await exchange(server.address, requestText(line, ['Connection: close']))
    t.same(answers.map((answer) => answer.status), [status], line)
    t.match(server.log.map((text) => JSON.parse(text) as unknown), [{ level: 'info', status, msg: 'request' }], line)
    t.equal(server.log.length, 1, line)
  }
  await goesOn(t, server, demo, 'methods of another protocol')
})

served('OPTIONS answers what exists, and says what it takes', { pages: true, docs: true, metrics: true }, async ({ t, server }) => {
  const ask = async (path: string, headers: readonly string[]): Promise<unknown> => {
    const { answers: [answer] } =
      await exchange(server.address, requestText(`OPTIONS ${path} HTTP/1.1`, [...headers, 'Connection: close']))
    return [answer?.status, answer?.headers.get('allow'), answer?.headers.get('access-control-allow-methods')]
  }
  for (const headers of [[], ['Origin: https://player.example', 'Access-Control-Request-Method: GET']]) {
    for (const path of ['/', '/login', '/sw.js', '/page/icon.svg', '/docs', '/docs/', '/docs/json', '/health/live', '/health/upstream', '/metrics', '/getRanks?topId=62', '/getRank%73', '/getLyric/x', '/getLyric/%E7%BA%B8', '/getRanks#top']) {
      t.same(await ask(path, headers), [204, 'GET, HEAD, OPTIONS', 'GET, HEAD, POST'], path)
    }
    t.same(await ask('/batchGetSongInfo', headers), [204, 'POST, OPTIONS', 'GET, HEAD, POST'])
    for (const path of [
      '/nothing', '/getrank', '/getRanks/', '/getHotkey/x/y', '/health', '/page/nothing.js', '/doc'
    ]) t.same(await ask(path, headers), [404, undefined, undefined], path)
    t.same(await ask('*', headers), [204, undefined, 'GET, HEAD, POST'])
  }
  const bare = await serverOnWire(t, await demoFor(t), { corsOrigins: ['https://player.example'] })
  for (const path of ['/', '/docs', '/docs/json', '/metrics']) {
    t.equal((await bare.get(path, { method: 'OPTIONS' })).status, 404, `${path} is off`)
  }
  t.match(
    await bare.get('/getRanks', { method: 'OPTIONS', headers: { origin: 'https://player.example' } }), { status: 204 }
  )
  t.equal((await server.get('/docs', { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD, OPTIONS')
  for (const path of ['/docs/nothing.js', '/docs/static/nothing.js', '/docs/static/%00', '/docs/static/..%5c..%5cpackage.json', '/docs/static/..%2f..%2fpackage.json', '/docs/../getHotkey']) {
    const refused = await refusalOf(server.address, requestText(`GET ${path} HTTP/1.1`, ['Connection: close']))
    t.same([refused.status, refused.wrong], [404, []], path)
  }
})

served('a body where none is read is no second request, and nobody waits for it', { timeout: 5000 }, async ({ t, server }) => {
  for (const [header, body] of [['Content-Length: 500', hidden], ['Transfer-Encoding: chunked', '5\r\nhello\r\n'], [`Content-Length: ${Buffer.byteLength(hidden)}`, hidden]] as const) {
    const { answers, closed } =
      await exchange(server.address, requestText('GET /user/getCookie HTTP/1.1', [header], body))
    t.same([answers.map(({ status }) => status), closed], [[200], true], header)
  }
})

served('a refused client that neither takes the end nor stops sending is cut off', async ({ t, server }) => {
  const { hostname, port } = new URL(server.address)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const talking = setInterval(() => { socket.write('x'.repeat(100)) }, 50)
  t.teardown(() => {
    clearInterval(talking)
    socket.destroy()
  })
  const cut = new Promise<void>((resolve) => { socket.on('error', () => {}).once('close', () => { resolve() }) })
  socket.resume().write('NONSENSE\r\n\r\n')
  await once(socket, 'end')
  t.notOk(socket.destroyed, 'the answer is there, and the other half still open')
  await cut
  t.ok(socket.destroyed)
})
