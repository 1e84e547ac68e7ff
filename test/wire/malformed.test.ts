/** Unsupported methods and bytes that are not HTTP: one refusal, the connection closes, and the relay keeps working. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { demoFor, endpoints, serverFor } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'
import { goesOn, refusalProblem } from '../support/shape.ts'
import { served } from '../support/served.ts'

served('a method that a path does not answer is 405, whatever it brings', async ({ t, demo, server }) => {
  const forms = Object.values(endpoints).flatMap((endpoint) => [endpoint.path, ...endpoint.aliases ?? [], ...(endpoint.pathParam === undefined ? [] : [`${endpoint.path}/x`])].map((path) => ({ path, own: endpoint.method })))
  const brought: readonly [string[], string][] = [[[], ''], [['Content-Type: text/plain', 'Content-Length: 2'], 'ab'], [['Content-Type: application/json', 'Content-Length: 2'], 'ab']]
  for (const { path, own } of forms) {
    const wrong: string[] = []
    await Promise.all(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK', own === 'GET' ? 'POST' : 'GET'].flatMap((method) => brought.map(async ([headers, body]) => {
      const { answers } = await exchange(server.address, requestText(`${method} ${path} HTTP/1.1`, [...headers, 'Connection: close'], body))
      const [answer] = answers
      if (answer?.status !== 405 || answers.length !== 1) wrong.push(`${method}: ${answer?.status}`)
      else if (answer.headers.get('allow') !== (own === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')) wrong.push(`${method}: allow ${answer.headers.get('allow')}`)
      else {
        const problem = refusalProblem({ ...answer, header: (name) => answer.headers.get(name) })
        if (problem !== undefined) wrong.push(`${method}: ${problem}`)
      }
    })))
    t.same(wrong, [], path)
    const plain = await server.get(path, { method: 'OPTIONS' })
    t.same([plain.status, plain.headers.get('allow')], [204, own === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'], `OPTIONS ${path}`)
  }
  await goesOn(t, server, demo, 'methods')
})

served('HEAD is refused as GET is, without a body', async ({ t, demo, server }) => {
  for (const target of ['/getRanks?limit=x', '/getLyric', '/nothing', '/batchGetSongInfo', '/getLyric/%zz', '/getDailyRecommend', `/getSmartbox?key=${'x'.repeat(201)}`]) {
    const { status } = await server.get(target)
    const { answers, rest } = await exchange(server.address, requestText(`HEAD ${target} HTTP/1.1`, ['Connection: close']), { head: true })
    t.equal(answers[0]?.status, status, target)
    t.equal(rest, '')
    t.equal(refusalProblem({ status, text: answers[0]?.text ?? '?', header: (name) => answers[0]?.headers.get(name) }, { bodyless: true }), undefined, target)
  }
  await goesOn(t, server, demo, 'HEAD')
})

const post = (headers: readonly string[], body: string): string => requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: application/json', ...headers], body)
/** A request smuggled behind each malformed one. It must never be answered. */
const hidden = requestText('GET /getHotkey HTTP/1.1', ['X-Hidden: 1'])

const malformed: Readonly<Record<string, readonly [string | Buffer, number?]>> = {
  'a length and a coding': [post(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  'a coding and a length': [post(['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n')],
  'two lengths': [post(['Content-Length: 2', 'Content-Length: 3'], '{}')],
  'the same length twice': [post(['Content-Length: 2', 'Content-Length: 2'], '{}')],
  'a list of lengths': [post(['Content-Length: 2, 2'], '{}')],
  'a signed length': [post(['Content-Length: +2'], '{}')],
  'a negative length': [post(['Content-Length: -2'], '{}')],
  'a length in hex': [post(['Content-Length: 0x2'], '{}')],
  'a length beyond all numbers': [post(['Content-Length: 99999999999999999999'], '{}')],
  'a length with a blank before the colon': [post(['Content-Length : 2'], '{}')],
  'an unknown coding': [post(['Transfer-Encoding: xchunked'], '0\r\n\r\n')],
  'an unknown coding before chunked': [post(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
  'a coding after chunked': [post(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n')],
  'a coding in HTTP/1.0': ['POST /batchGetSongInfo HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  'a coding in HTTP/1.0, without a Host': ['GET /getHotkey HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  'two codings': [post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n')],
  'chunked twice': [post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  'a coding with a blank before the colon': [post(['Transfer-Encoding : chunked'], '0\r\n\r\n')],
  'a coding with a vertical tab': [post(['Transfer-Encoding:\u000Bchunked'], '0\r\n\r\n')],
  'a negative chunk': [post(['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n')],
  'a chunk beyond all numbers': [post(['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  'a chunk that does not end': [post(['Transfer-Encoding: chunked'], '2\r\n{}XX0\r\n\r\n')],
  'a chunk size that is no number': [post(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
  'a folded header': [requestText('GET /getHotkey HTTP/1.1', ['X-A: b\r\n c'])],
  'a folded length': [post(['Content-Length:\r\n 2'], '{}')],
  'line feeds only': ['GET /getHotkey HTTP/1.1\nHost: localhost\n\n'],
  'one bare line feed': ['GET /getHotkey HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n'],
  'a bare carriage return': ['GET /getHotkey HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n'],
  'no Host': ['GET /getHotkey HTTP/1.1\r\n\r\n'],
  'a second Host behind two thousand headers': [requestText('GET /getHotkey HTTP/1.1', [...Array.from({ length: 2100 }, () => 'A:'), 'Host: localhost'])],
  'two Hosts': [requestText('GET /getHotkey HTTP/1.1', ['Host: localhost'])],
  'no Host, with a body': ['POST /batchGetSongInfo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'],
  'CONNECT': [requestText('CONNECT evil.example:443 HTTP/1.1')],
  'an address of another host': [requestText('GET http://evil.example/getHotkey HTTP/1.1')],
  'an address of this host': [requestText('GET http://localhost/getHotkey HTTP/1.1')],
  'an address of another kind': [requestText('GET file:///etc/passwd HTTP/1.1')],
  'an address without path': [requestText('GET getHotkey HTTP/1.1')],
  'an unknown method': [requestText('FOO /getHotkey HTTP/1.1')],
  'a method in lower case': [requestText('get /getHotkey HTTP/1.1')],
  'the greeting of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a greeting of TLS': [Buffer.from('160301020001000001fc0303', 'hex')],
  'bytes in the address': [Buffer.from(requestText('GET /getSmartbox?key=\u00e4\u00bd\u00a0 HTTP/1.1'), 'latin1')],
  'NUL in the address': [requestText('GET /get\0Hotkey HTTP/1.1')],
  'NUL in a header': [requestText('GET /getHotkey HTTP/1.1', ['X-A: b\0c'])],
  'a header without name': [requestText('GET /getHotkey HTTP/1.1', [': b'])],
  'a header without colon': [requestText('GET /getHotkey HTTP/1.1', ['nonsense'])],
  'a megabyte of query': [requestText(`GET /getRanks?x=${'y'.repeat(1_000_000)} HTTP/1.1`), 431],
  'a header of 64 KB': [requestText('GET /getRanks HTTP/1.1', [`X-A: ${'y'.repeat(65_536)}`]), 431],
  'three thousand headers': [requestText('GET /getRanks HTTP/1.1', Array.from({ length: 3000 }, (_, at) => `X-${at}: y`)), 431],
  'a body of the wrong type that never comes': [requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 500'], '{}'), 415],
  'a compressed body that never comes': [requestText('POST /nothing HTTP/1.1', ['Content-Encoding: gzip', 'Content-Length: 500'], '{}'), 404],
  'a body of a gigabyte': [post(['Content-Length: 1000000000'], '{'), 413],
  'an endless body': [post(['Transfer-Encoding: chunked'], `40000\r\n${'x'.repeat(0x40000)}\r\n1\r\nx\r\n`), 413],
  'a body where none is taken': [requestText('DELETE /getHotkey HTTP/1.1', ['Transfer-Encoding: chunked'], 'zz\r\n'), 405],
  'an expectation': [requestText('GET /getHotkey HTTP/1.1', ['Expect: tea']), 417]
}

served('a malformed request gets one refusal and the end of the connection, and nothing behind it is ever answered', async ({ t, demo, server }) => {
  await Promise.all(Object.entries(malformed).map(async ([what, [bytes, status = 400]]) => {
    const { answers, closed, rest } = await exchange(server.address, Buffer.concat([Buffer.from(bytes), Buffer.from(hidden)]))
    t.same([answers.map((answer) => answer.status), closed, rest], [[status], true, ''], what)
    for (const answer of answers) {
      t.equal(refusalProblem({ ...answer, header: (name) => answer.headers.get(name) }), undefined, what)
      t.equal(answer.headers.get('connection'), 'close', what)
    }
  }))
  await goesOn(t, server, demo, 'malformed')
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  t.equal(lines.filter(({ msg, status }) => msg === 'request' && Number(status) >= 400).length, Object.keys(malformed).length, 'each has its line in the log')
})

served('who resets the connection after its refusal, or before it, ends nothing but that connection', async ({ t, demo, server }) => {
  const { hostname: host, port } = new URL(server.address)
  for (const [what, [bytes]] of Object.entries({ ...malformed, 'an upgrade': [requestText('GET /nothing HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket'])] as const })) {
    for (const answered of [true, false]) {
      const socket = connect({ host, port: Number(port) }).on('error', () => {})
      await once(socket, 'connect')
      socket.write(bytes)
      if (answered) await Promise.race([once(socket, 'data'), once(socket, 'close')])
      socket.resetAndDestroy()
      t.equal((await server.get('/health/live')).status, 200, `${what}, ${answered ? 'after' : 'before'}`)
    }
  }
  await goesOn(t, server, demo, 'reset')
})

/** A fault behind a cookie. What the parser says of it must be told, and the cookie must not. */
const faulty = (text: string): string => requestText('GET /getHotkey HTTP/1.1', ['Cookie: provider_key=SECRETMARK', text])
const chunked = (body: string): string => post(['Cookie: provider_key=SECRETMARK', 'Transfer-Encoding: chunked'], body)

const told: ReadonlyArray<readonly [string | Buffer, RegExp, number?]> = [
  [requestText('GET /getSearchByKey?key=纸月亮 HTTP/1.1'), /^path: .*; percent-encode the address \(curl: --data-urlencode with -G\)\. 请对地址进行百分号编码/],
  [requestText('GET /getLyric/纸月亮 HTTP/1.1'), /^path: .*percent-encode the address/],
  [Buffer.from(requestText('GET /getSearchByKey?key=\u00d6\u00bd HTTP/1.1'), 'latin1'), /^path: .*percent-encode the address/],
  [requestText('GET getHotkey HTTP/1.1'), /^path: .*does not begin with "\/"/],
  [requestText('GET /getSearchByKey?key=paper moon HTTP/1.1'), /^request line: .*%20.*空格/],
  [requestText('GET /getHotkey HTTP/9'), /^request line: .*version/],
  [requestText('GET /getHotkey http/1.1'), /^request line: /],
  [requestText('get /getHotkey HTTP/1.1'), /^method: /],
  ['SSH-2.0-OpenSSH_9.2\r\n', /^method: /],
  [Buffer.from('16030102000100', 'hex'), /^This relay speaks plain HTTP, without TLS/],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /HTTP\/2/],
  [faulty('X-A: b\u0001c'), /^headers: a line /],
  [requestText('GET /getHotkey HTTP/1.1', ['Cookie: provider_key=SECRETMARK\u0001']), /^headers: a line /],
  [faulty('nonsense'), /^headers: a line /],
  [faulty('X-A : b'), /^headers: a line /],
  [faulty('X-A: b\r\n c'), /^headers: a line /],
  ['GET /getHotkey HTTP/1.1\r\n Host: localhost\r\n\r\n', /^headers: a line begins with a space/],
  [faulty('X-A: b\nX-C: d'), /CR LF/],
  [faulty('X-A: b\rX-C: d'), /CR LF/],
  ['GET /getHotkey HTTP/1.1\r\nHost: localhost\r\n\rGET', /CR LF/],
  [post(['Content-Length: 2 SECRETMARK'], '{}'), /^content-length: /],
  [post(['Content-Length: 2', 'Content-Length: 3'], '{}'), /^content-length: /],
  [post(['Transfer-Encoding: chunked', 'Content-Length: 2'], '{}'), /^content-length: /],
  [post(['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}'), /^transfer-encoding: /],
  [post(['Transfer-Encoding: gzip, SECRETMARK'], '{}'), /^transfer-encoding: /],
  [chunked('SECRETMARK\r\n'), /^body: a chunk /],
  [chunked('2\r\n{}SECRETMARK'), /chunked body must end with CR LF/],
  [chunked('2\n{}\n0\n\n'), /CR LF/],
  [chunked(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), /^body: its chunk extensions /, 413],
  [faulty(`X-A: ${'b'.repeat(20_000)}`), /16 KB/, 431]
]

served('a refusal of the parser says what is wrong, and repeats nothing of the request', async ({ t, server }) => {
  for (const [bytes, words, status = 400] of told) {
    const what = JSON.stringify(String(bytes).slice(0, 200))
    const lines = server.log.length
    const { answers: [answer, ...more], closed, rest } = await exchange(server.address, bytes)
    t.same([answer?.status, more, closed, rest], [status, [], true, ''], what)
    t.match(JSON.parse(answer?.text ?? '{}').error, words, what)
    t.equal(refusalProblem({ status, text: answer?.text ?? '', header: (name) => answer?.headers.get(name) }, { secrets: ['SECRETMARK', '纸月亮'] }), undefined, what)
    t.same(server.log.slice(lines).map((line) => (JSON.parse(line) as { status: unknown }).status), [status], what)
  }
  t.notMatch(server.log.join(''), /SECRETMARK|Parse Error|纸/)
})

served('a request that its client breaks off is told so', async ({ t, server }) => {
  const { hostname, port } = new URL(server.address)
  let text = ''
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => { socket.end('GET /getHotkey HTTP/1.1\r\nHost: lo') })
  socket.setEncoding('utf8').on('data', (part: string) => { text += part })
  await once(socket, 'end')
  t.match(text, /^HTTP\/1\.1 400 [^]*"error":"The connection ended before the request was complete\."/)
})

served('a path that no route can have is refused like any other request: checks, headers, one line in the log', async ({ t, demo, server }) => {
  const long = 'x'.repeat(2049)
  const refused: readonly (readonly [string, number, RegExp])[] = [
    ...['/%', '/%zz', '/getLyric/%E4%BA', '/getLyric/%', '/docs/%', '/%ff', '/%25%'].map((path) => [path, 400, /^path: .*percent-encode the address.*%25.*百分号编码/] as const),
    ...[`/getLyric/${long}`, `/${long}`].map((path) => [path, 414, /^path: its last part is too long/] as const),
    ...['/%00', '//', '///', '//getRanks', '/getRanks/', '/getRanks//', '/%2F', '/%2e%2e/', '/getRanks%3FtopId=62', '/getRanks;a=1', '/getHotkey/a/b', '/health/', `/${'x'.repeat(2048)}`].map((path) => [path, 404, /^There is no such route\. .* do not end with a slash/] as const)
  ]
  for (const [path, status, words] of refused) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) {
      const what = `${method} ${path.slice(0, 40)}`
      server.log.length = 0
      const { answers: [answer, ...more] } = await exchange(server.address, requestText(`${method} ${path} HTTP/1.1`, ['Connection: close']), { head: method === 'HEAD' })
      t.same([answer?.status, more], [status, []], what)
      t.equal(refusalProblem({ status, text: answer?.text ?? '', header: (name) => answer?.headers.get(name) }, { bodyless: method === 'HEAD' }), undefined, what)
      t.equal(answer?.headers.get('access-control-allow-origin'), '*', what)
      if (method !== 'HEAD') t.match(JSON.parse(answer?.text ?? '{}').error, words, what)
      t.match(server.log.map((line) => JSON.parse(line) as unknown), [{ method, status, reqId: answer?.headers.get('x-request-id'), msg: 'request' }], what)
      t.equal(server.log.length, 1, what)
    }
  }
  const behind = await exchange(server.address, requestText('GET /% HTTP/1.1', ['Host: other']) + hidden)
  t.same([behind.answers.map(({ status }) => status), behind.closed], [[400], true], 'nothing behind it is answered')
  const locked = await serverFor(t, demo, { accessToken: 'token' })
  for (const path of ['/%', `/getLyric/${long}`]) t.equal((await locked.get(path)).status, 401, path)
  await goesOn(t, server, demo, 'paths')
})

served('methods of another protocol and a star for a path are refused, and nothing is a bug', { pages: true }, async ({ t, demo, server }) => {
  for (const [line, status] of [['DESCRIBE /getHotkey RTSP/1.0', 405], ['PLAY /nothing RTSP/1.0', 404], ['SETUP rtsp://localhost/getHotkey RTSP/1.0', 400], ['GET * HTTP/1.1', 400], ['POST * HTTP/1.1', 400], ['OPTIONS * HTTP/1.1', 204]] as const) {
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
    const { answers: [answer] } = await exchange(server.address, requestText(`OPTIONS ${path} HTTP/1.1`, [...headers, 'Connection: close']))
    return [answer?.status, answer?.headers.get('allow'), answer?.headers.get('access-control-allow-methods')]
  }
  for (const headers of [[], ['Origin: https://player.example', 'Access-Control-Request-Method: GET']]) {
    for (const path of ['/', '/login', '/front/script.js', '/docs', '/docs/', '/docs/json', '/health/live', '/health/upstream', '/metrics', '/getRanks?topId=62', '/getRank%73', '/getLyric/x', '/getLyric/%E7%BA%B8', '/getRanks#top']) {
      t.same(await ask(path, headers), [204, 'GET, HEAD, OPTIONS', 'GET, HEAD, POST'], path)
    }
    t.same(await ask('/batchGetSongInfo', headers), [204, 'POST, OPTIONS', 'GET, HEAD, POST'])
    for (const path of ['/nothing', '/getrank', '/getRanks/', '/getHotkey/x/y', '/health', '/front/nothing.js', '/doc']) t.same(await ask(path, headers), [404, undefined, undefined], path)
    t.same(await ask('*', headers), [204, undefined, 'GET, HEAD, POST'])
  }
  const bare = await serverFor(t, await demoFor(t), { corsOrigins: ['https://player.example'] })
  for (const path of ['/', '/docs', '/docs/json', '/metrics']) t.equal((await bare.get(path, { method: 'OPTIONS' })).status, 404, `${path} is off`)
  t.match(await bare.get('/getRanks', { method: 'OPTIONS', headers: { origin: 'https://player.example' } }), { status: 204 })
  t.equal((await server.get('/docs', { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD, OPTIONS')
  for (const path of ['/docs/nothing.js', '/docs/static/nothing.js', '/docs/static/%00', '/docs/static/..%5c..%5cpackage.json', '/docs/static/..%2f..%2fpackage.json', '/docs/../getHotkey']) {
    const { answers: [answer] } = await exchange(server.address, requestText(`GET ${path} HTTP/1.1`, ['Connection: close']))
    t.equal(answer?.status, 404, path)
    t.equal(refusalProblem({ status: 404, text: answer?.text ?? '', header: (name) => answer?.headers.get(name) }), undefined, path)
  }
})

served('a body where none is read is no second request, and nobody waits for it', async ({ t, server }) => {
  for (const [header, body] of [['Content-Length: 500', hidden], ['Transfer-Encoding: chunked', '5\r\nhello\r\n'], [`Content-Length: ${Buffer.byteLength(hidden)}`, hidden]] as const) {
    const { answers, closed } = await exchange(server.address, requestText('GET /user/getCookie HTTP/1.1', [header], body))
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
