/** HTTP: one error format for every failure, including the framework's own; methods, headers, bodies, logs. */
import { serverOnWire } from '../support/helper.ts'
import { servedOnWire as served, testOnWire as test } from '../support/stage.ts'

served('HEAD is GET without its body', async ({ t, server }) => {
  const { status, text, headers } = await server.get('/getRanks?topId=62&limit=1', { method: 'HEAD' })
  t.match([status, text, headers.get('content-type')], [200, '', /application\/json/])
  t.equal((await server.get('/getRanks?limit=x', { method: 'HEAD' })).status, 400)
})

served('a path parameter is checked like one of the query', async ({ t, server }) => {
  for (const path of [`/getLyric/${'a'.repeat(33)}`, '/getLyric/']) {
    t.match(await server.get(path), { status: 400, body: { code: 'INVALID_INPUT', error: /^songmid: / } })
  }
})

served('bodies are JSON, of bounded size, and are taken as they are', async ({ t, demo, server }) => {
  const post = async (body: string, type = 'application/json'): Promise<unknown> => {
    const { status, body: { code } } =
      await server.get('/batchGetSongInfo', { method: 'POST', body, headers: { 'content-type': type } })
    return [status, code]
  }
  for (const [body, ...refused] of [
    ['{"songs":', 400, 'INVALID_JSON'], ['{"__proto__":{"polluted":1}}', 400, 'INVALID_JSON'], ['{"songs":[],"constructor":{"prototype":{"polluted":1}}}', 400, 'INVALID_JSON'],
    [`{"songs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, 'INVALID_INPUT'], [JSON.stringify({ songs: 'x'.repeat(300_000) }), 413, 'BODY_TOO_LARGE'],
    ...['[]', 'null', '5', '"text"'].map((body) => [body, 400, 'INVALID_INPUT'] as const)
  ] as const) t.same(await post(body), refused, body.slice(0, 80))
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) t.same(await post('{"songs":[]}', type), [415, 'UNSUPPORTED_TYPE'], type)
  const refused = await server.get('/batchGetSongInfo', { method: 'POST', body: 'null', headers: { 'content-type': 'application/json' } })
  t.equal(refused.headers.get('connection'), 'keep-alive', 'a body that was read leaves the connection open')
  t.equal(
    (await server.get('/batchGetSongInfo', { method: 'POST', body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })).status, 415
  )
  t.equal(demo.received.length, 0)
  t.equal(({} as { polluted?: number }).polluted, undefined)
  t.match(await server.post('/batchGetSongInfo'), {
    status: 200, body: { response: { code: 0, data: [] } }
  }, 'no body is an empty object')
  t.match(
    await server.get('/batchGetSongInfo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '' }), { status: 200 }
  )
})

served('every answer carries the safe headers, and no name of the server', async ({ t, server }) => {
  for (const path of ['/getRanks?topId=62&limit=1', '/getRanks?limit=x', '/nothing']) {
    const { headers } = await server.get(path)
    t.match(Object.fromEntries(headers), {
      'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'", 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY',
      'x-request-id': /./, 'server': undefined, 'x-powered-by': undefined, 'content-type': 'application/json; charset=utf-8'
    }, path)
  }
  for (const path of ['/getRanks?limit=x', '/getRanks?topId=62&limit=1&cookie=uin=1;provider_key=k']) t.equal((await server.get(path)).headers.get('cache-control'), 'no-store')
})

test('any page may read public answers, none with credentials, and may send what the relay reads', async ({ t, demo }) => {
  const origin = 'https://player.example'
  for (const corsOrigins of [[], [origin]]) {
    const server = await serverOnWire(t, demo, { corsOrigins })
    const { headers } = await server.get('/getRanks?topId=62&limit=1', { headers: { origin } })
    if (corsOrigins.length === 0) {
      t.same([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')], ['*', null])
    }
    for (const [path, method] of [['/getRanks', 'GET'], ['/batchGetSongInfo', 'POST']] as const) {
      const preflight = await server.get(path, { method: 'OPTIONS', headers: {
        origin, 'access-control-request-method': method, 'access-control-request-headers': 'if-none-match'
      } })
      t.equal(preflight.status, 204)
      t.same(preflight.headers.get('access-control-allow-headers')?.split(', '), ['Accept', 'Authorization', 'Cache-Control', 'Content-Type', 'Icy-MetaData', 'If-None-Match', 'If-Range', 'Pragma', 'Range', 'X-Custom-Cookie'])
    }
  }
})

served('one log line per request says the route and the outcome, never the address', async ({ t, server }) => {
  await server.get('/getLyric/00DemoSong0001?isFormat=1&cookie=uin%3D1%3Bprovider_key%3DSECRETMARK')
  await server.get('/getRanks?limit=SECRETMARK')
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['msg'] === 'request')
  t.match(lines, [
    {
      level: 'info', method: 'GET', route: '/getLyric/:songmid', status: 200, failed: undefined, cookie_source: 'query',
      upstream: [{ outcome: 'ok' }]
    },
    { level: 'info', method: 'GET', route: '/getRanks', status: 400, failed: 'INVALID_INPUT', cookie_source: 'none' }
  ])
  t.notMatch(server.log.join(''), 'SECRETMARK')
})

const programs =
  { logLevel: 'debug', metrics: true, docs: true, pages: true, meting: true, subsonicPassword: 'demo' } as const
served('what a person asks for has a line; files, covers, health checks and scrapes have one at debug, unless they fail', programs, async ({ t, server }) => {
  const [item] = (await server.get('/meting?type=song&id=00DemoSong0001')).body as { pic: string, lrc: string }[]
  const signed = (link = ''): string => link.slice(link.indexOf('/meting'))
  const rest = (method: string): string => `/rest/${method}?u=a&p=demo&c=test&v=1.16.1&f=json&id=al-00DemoAlbu0001&query=a`
  const people = ['/', '/login', '/getHotkey', rest('search3.view'), signed(item?.lrc), '/nothing', '/cover/nothing%20at%20all', '/docs/nothing']
  const byThemselves = ['/health/live', '/health/ready', '/health/upstream', '/metrics', '/docs', '/docs/yaml', '/sw.js', '/cover/00DemoAlbu0001', rest('getCoverArt'), signed(item?.pic)]
  const levelsOf = async (paths: string[]): Promise<unknown[]> => {
    server.log.length = 0
    for (const path of paths) await server.get(path)
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request')
    t.equal(lines.length, paths.length)
    return lines.map(({ level, route }) => `${level} ${route}`)
  }
  t.same((await levelsOf(people)).filter((line) => !String(line).startsWith('info ')), [])
  t.same((await levelsOf(byThemselves)).filter((line) => !String(line).startsWith('debug ')), [])
})

served('an unknown parameter is ignored and pollutes nothing', async ({ t, server }) => {
  t.equal((await server.get('/getRanks?topId=62&limit=1&__proto__=x&constructor.prototype=y&a[b]=1')).status, 200)
  t.equal(({} as { x?: string }).x, undefined)
})
