/**
 * Which requests are allowed, and with which identity: pages of other sites, other host names, the access token, the
 * owner's account.
 */
import { request as httpRequest } from 'node:http'
import t from 'tap'
import { settingsOf } from '../../src/relay/settings.ts'
import { refuseOpenAccess } from '../../src/relay/openAccess.ts'
import { serverFor, type Server } from '../support/helper.ts'
import { served, test } from '../support/stage.ts'

const own = 'uin=o10001; provider_key=Q_H_L_own'
const global = 'uin=o10004; provider_key=Q_H_L_global'

/** Sends a request with this Host header, which Node's fetch does not allow. */
async function withHost (server: Server, host: string): Promise<{ status: number, body: string }> {
  return await new Promise((resolve, reject) => {
    httpRequest(`${server.address}/getRanks?topId=62&limit=1`, { headers: { host } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { body += chunk })
        .on('end', () => { resolve({ status: response.statusCode ?? 0, body }) })
    }).on('error', reject).end()
  })
}

served('a page of another site gets neither the Cookie header nor the global cookie', {
  useGlobalCookie: true, globalCookie: () => global
}, async ({ t, demo, server }) => {
  const sent = async (
    path: string, headers: Record<string, string>
  ): Promise<{ status: number, cookies: (string | undefined)[], code?: string }> => {
    demo.reset()
    const { status, body } = await server.get(path, { headers })
    return {
      status, cookies: [...new Set(demo.received.map((received) => received.headers['cookie']))], code: body.code
    }
  }
  const chart = '/getRanks?topId=62&limit=1'
  for (const foreign of [
    { origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'http://127.0.0.1:1' }, { origin: `${server.address}.evil.example` }
  ] as Record<string, string>[]) {
    t.match(
      await sent(chart, { ...foreign, cookie: own }), { status: 200, cookies: [undefined] }, JSON.stringify(foreign)
    )
    t.match(
      await sent(chart, { ...foreign, 'x-custom-cookie': own }), { status: 200, cookies: [/uin=10001/] },
      'one it brings itself is its own'
    )
    for (const path of ['/getDailyRecommend', '/getPersonalRecommend', '/user/getUserLikedSongs']) {
      t.match(await sent(path, { ...foreign, cookie: own }), { status: 403, code: 'CROSS_SITE', cookies: [] }, path)
      t.match(await sent(path, foreign), { status: 403, code: 'CROSS_SITE' }, `${path} with the global cookie only`)
    }
  }
  for (const near of [
    {}, { origin: server.address }, { 'sec-fetch-site': 'same-origin', origin: server.address },
    { 'sec-fetch-site': 'none' }
  ] as Record<string, string>[]) {
    t.match(await sent(chart, { ...near, cookie: own }), { cookies: [/uin=10001/] }, JSON.stringify(near))
    t.match(await sent(chart, near), { cookies: [/uin=10004/] })
  }
})

test('a page of another origin cannot log in: only the own pages, programs and listed origins can', async ({ t, demo }) => {
  const listed = 'https://player.example'
  const server = await serverFor(t, demo, { corsOrigins: [listed] })
  const { qrsig } = (await server.get('/getMainLoginQr')).body
  const { uuid } = (await server.get('/getAltLoginQr')).body
  demo.login.confirm(qrsig, 'member')
  demo.login.confirm(uuid, 'member')
  demo.reset()
  const asks = ['', '/user'].flatMap((prefix) => [
    async (headers: Record<string, string>) => await server.get(`${prefix}/getMainLoginQr`, { headers }),
    async (headers: Record<string, string>) => await server.get(`${prefix}/getAltLoginQr`, { headers }),
    async (headers: Record<string, string>) => await server.post(`${prefix}/checkMainLoginQr`, { qrsig }, { headers }),
    async (headers: Record<string, string>) => await server.post(`${prefix}/checkAltLoginQr`, { uuid }, { headers })
  ])
  for (const other of [
    { origin: 'https://evil.example' }, { origin: 'null' }, { origin: 'http://127.0.0.1:1' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-site', 'origin': 'http://localhost:1' }, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  ] as Record<string, string>[]) {
    for (const ask of asks) {
      t.match(await ask(other), { status: 403, body: { code: 'CROSS_SITE' } }, JSON.stringify(other))
    }
  }
  t.equal(demo.received.length, 0, 'nothing is asked upstream')
  for (const near of [
    {}, { origin: server.address }, { 'sec-fetch-site': 'none' }, { 'origin': listed, 'sec-fetch-site': 'cross-site' },
    { 'origin': 'https://music.example', 'sec-fetch-site': 'same-origin' } // behind a proxy that does not pass on the Host
  ] as Record<string, string>[]) {
    t.match(
      await server.get('/getMainLoginQr', { headers: near }), { status: 200, body: { qrsig: String } },
      JSON.stringify(near)
    )
  }
  t.match(
    await server.post('/checkAltLoginQr', { uuid }), { status: 200, body: { isOk: true } },
    'the refused pages used nothing up'
  )
})

test('what a browser kept of an answer made with the global cookie is not for a page of another site', async ({ t, demo }) => {
  const path = '/getSongListDetail?disstid=7700000010&limit=1'
  const server = await serverFor(t, demo, { cache: true, useGlobalCookie: true, globalCookie: () => global })
  for (const headers of [{}, { origin: 'https://evil.example' }] as Record<string, string>[]) {
    const reply = await server.get(path, { headers })
    t.match(Object.fromEntries(reply.headers), { 'cache-control': /^private, max-age=/, 'x-cache': 'MISS', vary: 'accept, x-custom-cookie, cookie, origin, sec-fetch-site' })
  }
  const alone =
    await serverFor(t, demo, { cache: true, useGlobalCookie: true, globalCookie: () => global, fallbackMode: false })
  t.equal((await alone.get(path)).headers.get('vary'), 'accept, origin, sec-fetch-site')
  // Nor is what was answered without the cookie that such a page came with for the same cookie elsewhere.
  const plain = await serverFor(t, demo, { cache: true })
  for (const [headers, vary] of [
    [{ cookie: own, 'sec-fetch-site': 'cross-site' }, 'accept, x-custom-cookie, cookie, origin, sec-fetch-site'], [{}, 'accept, x-custom-cookie, cookie']
  ] as const) t.equal((await plain.get('/getRanks?topId=62&limit=1', { headers })).headers.get('vary'), vary)
})

served('who has no identity, or names a cookie that is no login, is told that it needs one, whatever its browser would add', async ({ t, server }) => {
  const foreign = { origin: 'https://evil.example' }
  for (const [path, headers] of [
    ['/getDailyRecommend?cookie=uin%3D1', { cookie: own }],
    ['/getDailyRecommend?cookie=uin%3D1', { cookie: own, ...foreign }], ['/getDailyRecommend', foreign]
  ] as const) t.match(await server.get(path, { headers }), {
    status: 401, body: { code: 'LOGIN_REQUIRED' }
  }, `${path} ${JSON.stringify(headers)}`)
})

const listed = ['https://Player.example:443', 'http://other.example:8080']

served('listed origins, however they are spelled, may use the identity of the browser, and only they see credentials allowed', { corsOrigins: listed }, async ({ t, demo, server }) => {
  const listed = await server.get('/getRanks?topId=62&limit=1', { headers: { origin: 'https://player.example', 'sec-fetch-site': 'cross-site', cookie: own } })
  t.match(demo.received[0]?.headers['cookie'], /uin=10001/)
  t.equal(listed.headers.get('access-control-allow-origin'), 'https://player.example')
  t.equal(listed.headers.get('access-control-allow-credentials'), 'true')
  t.match(listed.headers.get('vary'), /Origin/i)
  for (const origin of ['https://evil.example', 'null', 'https://player.example.evil.example']) {
    const other = await server.get('/getRanks?topId=62&limit=1', { headers: { origin } })
    t.strictSame([other.headers.get('access-control-allow-origin'), other.headers.get('access-control-allow-credentials')], ['*', null], origin)
    t.match(other.headers.get('vary'), /Origin/i)
  }
  const plain = await server.get('/getRanks?topId=62&limit=1', { headers: { origin: 'http://other.example:8080' } })
  t.equal(plain.headers.get('access-control-allow-credentials'), 'true')
})

served('while only this machine can reach it, the relay answers to loopback names only', async ({ t, demo, server }) => {
  for (const host of ['localhost', 'localhost:3200', '127.0.0.1:3200', '[::1]:3200', '127.8.8.8']) {
    t.equal((await withHost(server, host)).status, 200, host)
  }
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'evil.example:3200']) {
    t.match(await withHost(server, host), { status: 403, body: /HOST_NOT_ALLOWED/ }, host)
  }
  const named = await serverFor(t, demo, { allowedHosts: ['music.home'] })
  t.strictSame(
    [(await withHost(named, 'Music.Home:3200')).status, (await withHost(named, 'evil.example')).status], [200, 403]
  )
  const ported = await serverFor(t, demo, { allowedHosts: ['Relay.example:8443', 'music.home:443', '[2001:db8::1]:8443', '[2001:db8::2]'] })
  for (const host of [
    'relay.example:8443', 'music.home', 'music.home:443', '[2001:DB8::1]:8443', '[2001:db8::2]', '[2001:db8::2]:3200',
    'localhost:1'
  ]) t.equal((await withHost(ported, host)).status, 200, host)
  for (const host of [
    'relay.example', 'relay.example:3200', 'relay.example:443', 'music.home:8443', '[2001:db8::1]', '[2001:db8::1]:443',
    'relay.example:8443:8443', ':8443'
  ]) t.match(await withHost(ported, host), { status: 403, body: /HOST_NOT_ALLOWED/ }, host)
  const open = await serverFor(t, demo, { host: '0.0.0.0' })
  t.equal((await withHost(open, 'music.home')).status, 200)
  const strict = await serverFor(t, demo, { host: '0.0.0.0', allowedHosts: ['music.home'] })
  t.equal((await withHost(strict, 'evil.example')).status, 403)
  for (const wrong of ['https://relay.example', 'relay.example/', 'relay.example:', 'relay.example:123456', '2001:db8::1', '*', 'a b']) {
    t.throws(() => { settingsOf({ allowedHosts: [wrong] }) }, {
      name: 'ConfigError', message: /^options: allowedHosts\[0\]: must be a host name such as relay\.example, /
    }, wrong)
  }
})

served('with an access token nobody gets in without it', { accessToken: 'open sesame' }, async ({ t, server }) => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
  for (const authorization of [
    undefined, 'Bearer', 'Bearer wrong', 'Bearer open sesam', basic('user:wrong'), basic('open sesame'.slice(0, -1)),
    'Digest open sesame', 'open sesame'
  ]) {
    for (const path of ['/getRanks?topId=62', '/nothing', '/getLyric/x']) {
      const { status, headers, body } =
        await server.get(path, { headers: authorization === undefined ? {} : { authorization } })
      t.strictSame([status, body.code], [401, 'TOKEN_REQUIRED'], `${authorization} ${path}`)
      t.match(headers.get('www-authenticate'), /^Basic/)
    }
  }
  for (const authorization of ['Bearer open sesame', 'bearer open sesame', basic('anyone:open sesame'), basic(':open sesame')]) {
    t.equal((await server.get('/getRanks?topId=62', { headers: { authorization } })).status, 200, authorization)
  }
  t.equal((await server.get(
    '/getRanks', { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' } }
  )).status, 204, 'a preflight brings no token')
  t.notMatch(server.log.join(''), 'sesame')
})

t.test('the global cookie does not become everybody\'s by accident', async (t) => {
  const place = { file: 'config/service-config.json', variable: (name: string) => `MUSIC_RELAY_${name}` }
  const refused = (settings: Parameters<typeof settingsOf>[0]): void => {
    refuseOpenAccess(settingsOf(settings), place)
  }
  t.throws(() => { refused({ useGlobalCookie: true, host: '0.0.0.0' }) }, {
    name: 'ConfigError',
    message: /needs accessToken\. Set MUSIC_RELAY_ACCESS_TOKEN, or accessToken in config\/service-config\.json\. .*: MUSIC_RELAY_ALLOW_PUBLIC_GLOBAL_COOKIE=true$/
  })
  t.throws(() => { refused({ host: '0.0.0.0', subsonicPassword: '7 chars' }) }, {
    name: 'ConfigError', message: /^subsonicPassword: .*at least 8 characters\. Set MUSIC_RELAY_SUBSONIC_PASSWORD, or subsonicPassword in .*: openssl rand -hex 8$/
  })
  for (const accessToken of ['x', '7 chars']) t.throws(() => { refused({ host: '0.0.0.0', accessToken }) }, {
    name: 'ConfigError', message: /^accessToken: .*at least 8 characters\. Set MUSIC_RELAY_ACCESS_TOKEN, or accessToken in .*: openssl rand -hex 16$/
  })
  for (const fine of [
    { useGlobalCookie: true }, { useGlobalCookie: true, host: '127.0.0.1' }, { useGlobalCookie: true, host: '::1' },
    { host: '0.0.0.0' }, { useGlobalCookie: true, host: '0.0.0.0', accessToken: '8 letters' },
    { host: '127.0.0.1', accessToken: 'x' }, { useGlobalCookie: true, host: '::', allowPublicGlobalCookie: true }
  ]) t.doesNotThrow(() => { refused(fine) })
})
