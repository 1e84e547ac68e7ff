/** HTTP: one error format for every failure, including the framework's own; methods, headers, bodies, logs. */
import { connect } from 'node:net'
import { endpoints, serverFor } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { served } from '../support/served.ts'
import { test } from '../support/stage.ts'

/** Sends raw bytes and collects the answer until the server closes the connection. */
async function raw (server: Server, text: string): Promise<string> {
  const { hostname, port } = new URL(server.address)
  return await new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => { socket.write(text) })
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => { answer += chunk })
    socket.on('close', () => { resolve(answer) })
    socket.on('error', reject)
  })
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

served('an unknown route, a wrong method and a wrong type have the error shape', async ({ t, server }) => {
  for (const path of ['/nothing', '/getRanks/', '/HEALTH/live', '/%E4%BD%A0']) {
    t.match(await server.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }, path)
  }
  for (const { method, path, aliases = [] } of Object.values(endpoints)) {
    for (const known of [path, ...aliases]) {
      for (const wrong of ['PUT', 'PATCH', 'DELETE', method === 'GET' ? 'POST' : 'GET']) {
        const { status, headers, body } = await server.get(known, { method: wrong })
        t.equal(status, 405, `${wrong} ${known}`)
        t.equal(body.code, 'METHOD_NOT_ALLOWED')
        t.equal(headers.get('allow'), method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')
      }
    }
  }
  t.match(await server.get('/getLyric/00DemoSong0001', { method: 'DELETE' }), { status: 405 })
})

served('HEAD is GET without its body', async ({ t, server }) => {
  const { status, text, headers } = await server.get('/getRanks?topId=62&limit=1', { method: 'HEAD' })
  t.equal(status, 200)
  t.equal(text, '')
  t.match(headers.get('content-type'), /application\/json/)
  t.equal((await server.get('/getRanks?limit=x', { method: 'HEAD' })).status, 400)
})

served('paths that cannot be decoded or are too long are refused in our words', async ({ t, server }) => {
  t.match(await server.get('/getLyric/%'), { status: 400, body: { code: 'INVALID_INPUT', error: /^path: / } })
  t.match(await server.get('/getLyric/%zz'), { status: 400, body: { code: 'INVALID_INPUT' } })
  t.match(await server.get(`/getLyric/${'a'.repeat(2049)}`), { status: 414, body: { code: 'URL_TOO_LONG' } })
  t.match(await server.get(`/getLyric/${'a'.repeat(33)}`), { status: 400, body: { code: 'INVALID_INPUT', error: /^songmid: / } })
  t.match(await server.get('/getLyric/'), { status: 400, body: { code: 'INVALID_INPUT', error: /^songmid: / } })
})

served('what the HTTP parser refuses has the error shape and closes the connection', async ({ t, server }) => {
  for (const [text, status, code] of [
    [`GET /getRanks?x=${'y'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    [`GET /getRanks HTTP/1.1\r\nHost: a\r\nX-Long: ${'y'.repeat(70_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['GET /getRanks HTTP/9\r\n\r\n', 400, 'INVALID_INPUT'],
    ['NONSENSE\r\n\r\n', 400, 'INVALID_INPUT'],
    ['POST /batchGetSongInfo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}', 400, 'INVALID_INPUT'],
    ['POST /batchGetSongInfo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 400, 'INVALID_INPUT']
  ] as const) {
    const answer = await raw(server, text)
    t.match(answer, new RegExp(`^HTTP/1.1 ${status} `), text.slice(0, 40))
    t.match(bodyOf(answer), { code })
    t.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, 'never a second answer')
  }
  t.match(await raw(server, 'GET /getRanks HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1.1 400 /, 'no Host')
})

served('an expectation that the relay does not know is refused', async ({ t, server }) => {
  const answer = await raw(server, 'GET /getRanks?topId=62 HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n')
  t.match(answer, /^HTTP\/1.1 417 /)
  t.match(bodyOf(answer), { code: 'EXPECTATION_FAILED' })
})

served('bodies are JSON, of bounded size, and are taken as they are', async ({ t, demo, server }) => {
  const post = async (body: string, type = 'application/json'): Promise<unknown> => {
    const { status, body: { code } } = await server.get('/batchGetSongInfo', { method: 'POST', body, headers: { 'content-type': type } })
    return [status, code]
  }
  t.same(await post('{"songs":[]}', 'text/plain'), [415, 'UNSUPPORTED_TYPE'])
  t.same(await post('songs=1', 'application/x-www-form-urlencoded'), [415, 'UNSUPPORTED_TYPE'])
  t.same(await post('{"songs":'), [400, 'INVALID_JSON'])
  t.same(await post('{"__proto__":{"polluted":1}}'), [400, 'INVALID_JSON'])
  t.same(await post('{"songs":[],"constructor":{"prototype":{"polluted":1}}}'), [400, 'INVALID_JSON'])
  t.same(await post(`{"songs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), [400, 'INVALID_INPUT'])
  t.same(await post(JSON.stringify({ songs: 'x'.repeat(300_000) })), [413, 'BODY_TOO_LARGE'])
  for (const body of ['[]', 'null', '5', '"text"']) t.same(await post(body), [400, 'INVALID_INPUT'], body)
  const refused = await server.get('/batchGetSongInfo', { method: 'POST', body: 'null', headers: { 'content-type': 'application/json' } })
  t.equal(refused.headers.get('connection'), 'keep-alive', 'a body that was read leaves the connection open')
  t.equal((await server.get('/batchGetSongInfo', { method: 'POST', body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })).status, 415)
  t.equal(demo.received.length, 0)
  t.equal(({} as { polluted?: number }).polluted, undefined)
  t.match(await server.post('/batchGetSongInfo'), { status: 200, body: { response: { code: 0, data: [] } } }, 'no body is an empty object')
  t.match(await server.get('/batchGetSongInfo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '' }), { status: 200 })
})

served('every answer carries the safe headers, and no name of the server', async ({ t, server }) => {
  for (const path of ['/getRanks?topId=62&limit=1', '/getRanks?limit=x', '/nothing']) {
    const { headers } = await server.get(path)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.match(headers.get('content-security-policy'), "default-src 'none'")
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    t.equal(headers.get('x-frame-options'), 'DENY')
    t.ok(headers.get('x-request-id'))
    t.equal(headers.get('server'), null)
    t.equal(headers.get('x-powered-by'), null)
    t.match(headers.get('content-type'), 'application/json; charset=utf-8')
  }
  t.equal((await server.get('/getRanks?limit=x')).headers.get('cache-control'), 'no-store')
  t.equal((await server.get('/getRanks?topId=62&limit=1&cookie=uin=1;provider_key=k')).headers.get('cache-control'), 'no-store')
})

served('any page may read public answers, and none with credentials', async ({ t, server }) => {
  const { headers } = await server.get('/getRanks?topId=62&limit=1', { headers: { origin: 'https://player.example' } })
  t.equal(headers.get('access-control-allow-origin'), '*')
  t.equal(headers.get('access-control-allow-credentials'), null)
  const preflight = await server.get('/batchGetSongInfo', { method: 'OPTIONS', headers: { origin: 'https://player.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,x-custom-cookie' } })
  t.equal(preflight.status, 204)
  t.match(preflight.headers.get('access-control-allow-headers'), 'X-Custom-Cookie')
})

test('a page of another origin may send what the relay reads, in a preflight of each kind', async ({ t, demo }) => {
  for (const corsOrigins of [[], ['https://player.example']]) {
    const server = await serverFor(t, demo, { corsOrigins })
    const { status, headers } = await server.get('/getRanks', { method: 'OPTIONS', headers: { 'origin': 'https://player.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' } })
    t.equal(status, 204)
    t.same(headers.get('access-control-allow-headers')?.split(', '), ['Accept', 'Authorization', 'Cache-Control', 'Content-Type', 'If-None-Match', 'If-Range', 'Pragma', 'Range', 'X-Custom-Cookie'])
  }
})

served('one log line per request says the route and the outcome, never the address', async ({ t, server }) => {
  await server.get('/getLyric/00DemoSong0001?isFormat=1&cookie=uin%3D1%3Bprovider_key%3DSECRETMARK')
  await server.get('/getRanks?limit=SECRETMARK')
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['msg'] === 'request')
  t.match(lines, [
    { level: 'info', method: 'GET', route: '/getLyric/:songmid', status: 200, failed: undefined, cookie_source: 'query', upstream: [{ outcome: 'ok' }] },
    { level: 'info', method: 'GET', route: '/getRanks', status: 400, failed: 'INVALID_INPUT', cookie_source: 'none' }
  ])
  t.notMatch(server.log.join(''), 'SECRETMARK')
})

served('a health check of a supervisor is logged only if it fails', async ({ t, server }) => {
  for (const path of ['/health/live', '/health/ready', '/health/upstream']) t.equal((await server.get(path)).status, 200)
  t.equal((await server.get('/health/live', { method: 'DELETE' })).status, 405)
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['msg'] === 'request')
  t.same(lines.map(({ method, route, status }) => [method, route, status]), [['GET', '/health/upstream', 200], ['DELETE', null, 405]])
})

served('an unknown parameter is ignored and pollutes nothing', async ({ t, server }) => {
  t.equal((await server.get('/getRanks?topId=62&limit=1&__proto__=x&constructor.prototype=y&a[b]=1')).status, 200)
  t.equal(({} as { x?: string }).x, undefined)
})
