/** A cookie never leaks: not into a log line, an error, a header, or another caller's answer. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { headersOf, others, routes } from '../support/everyRoute.ts'
import { cookieOf, demoFor, memberUin, serverFor } from '../support/helper.ts'
import type { Reply, Server } from '../support/helper.ts'
import { queryReader } from '../../src/plugins/query.ts'
import { connectProxy, socksProxy } from '../support/proxies.ts'
import type { ProxyOptions } from '../support/proxies.ts'
import { sampleOf, whole } from '../support/whole.ts'

const mark = 'MARKEDSECRET'
const account = '7700112233'
const marked = `uin=o0${account}; provider_key=Q_H_L_${mark}; provider_keyst=Q_H_L_${mark}; euin=${mark}EUIN; providerLoginType=2`
const native = `uin=${account}; qqmusic_key=Q_H_L_${mark}; qm_keyst=Q_H_L_${mark}; euin=${mark}EUIN; p_skey=${mark}; skey=@${mark}; tmeLoginType=2`

/** The ways to pass a cookie, including wrong ones. */
const ways: readonly ((cookie: string) => { query?: string, headers?: Record<string, string> })[] = [
  (cookie) => ({ query: new URLSearchParams({ cookie }).toString() }),
  (cookie) => ({ headers: { 'x-custom-cookie': cookie } }),
  (cookie) => ({ headers: { cookie } }),
  (cookie) => ({ query: new URLSearchParams({ cookie: `${cookie}; bad=\n` }).toString() }),
  (cookie) => ({ headers: { authorization: `Bearer ${cookie}`, referer: `http://x/?cookie=${cookie}`, origin: 'https://other.example', cookie } })
]

/** Asks every route in one of the ways, another one with every `turn`. With WHOLE=1 in every way. */
async function askAll (server: Server, cookie: string, see: (name: string, reply: Reply) => void, turn: number, all = routes): Promise<void> {
  for (const [at, way] of ways.entries()) {
    const { query = '', headers = {} } = way(cookie)
    for (const { name, method, form, query: own, body } of sampleOf(all, ways.length, turn + at)) {
      const url = `${form}?${[own, query].filter((part) => part !== '').join('&')}`
      see(name, method === 'GET' ? await server.get(url, { headers }) : await server.post(url, body, { headers }))
    }
  }
}

/** All output of the relay except the answers. It is searched for cookies. */
async function emitted (server: Server): Promise<string> {
  const own = await Promise.all(['/metrics', '/health/upstream'].map(async (path) => (await server.get(path)).text))
  return [...server.log, ...server.cacheKeys(), ...own].join('\n')
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function hostile (t: Test, handler: Handler): Promise<string> {
  const upstream = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((resolve) => { upstream.once('listening', resolve) })
  t.teardown(() => {
    upstream.closeAllConnections()
    upstream.close()
  })
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
}

t.test('with a healthy upstream the mark is in no output but the echo of the cookie', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { logLevel: 'trace', cache: true, metrics: true, docs: true, pages: true })
  let echoes = 0
  for (const [turn, cookie] of [marked, native].entries()) {
    await askAll(server, cookie, (name, reply) => {
      if (name === 'getCookie') echoes += reply.text.includes(mark) ? 1 : 0
      else t.notOk(reply.text.includes(mark), `${name} ${reply.status}`)
      t.notOk(headersOf(reply).includes(mark), name)
    }, turn, [...routes, ...others])
  }
  t.ok(echoes > 0, 'getCookie echoes, so the search finds what is there')
  t.notOk((await emitted(server)).includes(mark))
  t.notOk((await emitted(server)).includes(account))
  t.ok(server.log.length > 100)
})

t.test('whatever the upstream does, the mark is in no output', async (t) => {
  const echo = (request: IncomingMessage): string => `${request.headers.cookie ?? ''} ${request.url ?? ''}`
  const states: Readonly<Record<string, Handler>> = {
    'broken JSON with the cookie in it': (request, response) => { response.end(`{"cookie":"${echo(request)}`) },
    'a page with the cookie in it': (request, response) => { response.setHeader('x-echo', echo(request)).end(`<html>${echo(request)}</html>`) },
    'a refusal that quotes the cookie': (request, response) => { response.end(JSON.stringify({ code: 10000, subcode: 1, message: echo(request), msg: echo(request), req_0: { code: 10000, data: { msg: echo(request) } } })) },
    'an expired key': (_request, response) => { response.end(JSON.stringify({ code: 0, req_0: { code: 1000 }, req_1: { code: 1000 } })) },
    'server error': (request, response) => { response.writeHead(500).end(echo(request)) },
    'redirect with the cookie in it': (request, response) => { response.writeHead(302, { location: `http://127.0.0.1:1/${encodeURIComponent(echo(request))}`, 'set-cookie': `a=${mark}` }).end() },
    'reset': (request) => { request.socket.destroy() },
    'cut off': (request, response) => {
      response.writeHead(200, { 'content-length': '99999' }).write(`{"a":"${echo(request)}`)
      setImmediate(() => { request.socket.destroy() })
    },
    'wrong shapes': (request, response) => { response.end(JSON.stringify({ code: 0, data: echo(request), req_0: { code: 0, data: { [echo(request)]: 1, list: [echo(request)] } } })) }
  }
  for (const [turn, [state, handler]] of Object.entries(states).entries()) {
    const server = await serverFor(t, { origin: await hostile(t, handler) }, { logLevel: 'trace', metrics: true, tuning: { pollDeadlineMs: 100 } })
    const seen: string[] = []
    await askAll(server, marked, (name, reply) => { if (name !== 'getCookie' && (reply.text + headersOf(reply)).includes(mark)) seen.push(`${name}: ${reply.text.slice(0, 200)}`) }, turn)
    t.same(seen, [], state)
    t.notOk((await emitted(server)).includes(mark), `log, ${state}`)
    t.notOk((await emitted(server)).includes(account), `account in the log, ${state}`)
  }
})

t.test('the password of a proxy is in no output, whether it works or fails; its address is not either', async (t) => {
  const demo = await demoFor(t)
  const encoded = Buffer.from(`op:${mark}`).toString('base64')
  const quoting = `HTTP/1.1 500 ${mark}\r\nx-${mark}: ${encoded}\r\n\r\n${mark}`
  const states: readonly ProxyOptions[] = [{ credentials: `op:${mark}` }, { credentials: 'other:password' }, { refuses: 503 }, { instead: quoting }, { instead: `${mark}${encoded}` }]
  for (const [turn, [make, options]] of [connectProxy, socksProxy].flatMap((make) => states.map((state) => [make, state] as const)).entries()) {
    const proxy = await make(t, options)
    const server = await serverFor(t, demo, { logLevel: 'trace', metrics: true, docs: true, pages: true, stream: 'relay', upstreamProxy: [proxy.address.replace('://', `://op:${mark}@`)], tuning: { pollDeadlineMs: 100 } })
    // With its host: an example of an answer may have the number of a port.
    const secrets = [mark, encoded, `127.0.0.1:${proxy.port}`]
    const told: string[] = []
    for (const { name, method, form, query, body } of sampleOf([...routes, ...others], 5, turn)) {
      const reply = method === 'GET' ? await server.get(`${form}?${query}`) : await server.post(form, body)
      if (secrets.some((secret) => (reply.text + headersOf(reply)).includes(secret))) told.push(name)
    }
    t.same(told, [], `${proxy.address} ${JSON.stringify(options)}`)
    const all = await emitted(server)
    for (const secret of secrets) t.notOk(all.includes(secret), secret)
    t.ok(proxy.accepted() > 0)
  }
})

t.test('a hanging upstream does not make the relay talk either', async (t) => {
  const server = await serverFor(t, { origin: await hostile(t, () => {}) }, { logLevel: 'trace', deadlineMs: 30, tuning: { loginStepDeadlineMs: 30, loginDeadlineMs: 60, pollDeadlineMs: 30 } })
  await askAll(server, marked, (name, reply) => { if (name !== 'getCookie') t.notOk((reply.text + headersOf(reply)).includes(mark), name) }, 0)
  t.notOk((await emitted(server)).includes(mark))
})

t.test('the global cookie is shown to nobody, by its names only', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { logLevel: 'trace', cache: true, metrics: true, docs: true, pages: true, useGlobalCookie: true, globalCookie: () => marked })
  const { body } = await server.get('/user/getCookie')
  t.match(body.data.cookieObject, { uin: '***', provider_key: '***' })
  for (const { method, form, query, body: given } of [...routes, ...others]) {
    const reply = method === 'GET' ? await server.get(`${form}?${query}`) : await server.post(form, given)
    t.notOk((reply.text + headersOf(reply)).includes(mark), form)
  }
  t.notOk((await emitted(server)).includes(mark))
  t.ok(server.cacheKeys().length > 20, 'answers made with it are kept')
})

t.test('what a login goes by is in no output either, whichever step fails; the key is in the success alone', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { logLevel: 'trace', cache: true, metrics: true, tuning: { pollDeadlineMs: 100, loginStepDeadlineMs: 2000 } })
  const away = (to: string): { status: number, headers: Record<string, string> } => ({ status: 302, headers: { location: to } })
  // What a renewal needs is read from the record, and belongs into a stored login only.
  const renewal = { openid: 'RENEWALopenid', unionid: 'RENEWALunionid', access_token: 'RENEWALaccess', refresh_token: 'RENEWALrefresh', refresh_key: 'RENEWALkey', expired_at: 1799999977, musickeyCreateTime: 1788888877, keyExpiresIn: 259277 }
  const renewalMarks = /RENEWAL|1799999977|1788888877|259277/
  const record = { body: JSON.stringify({ code: 0, req: { code: 0, data: { ...renewal, musickey: `Q_H_L_${mark}`, str_musicid: account, encryptUin: `${mark}EUIN`, nick: `${mark}NICK`, token: 'RENEWALtoken', phoneNo: 'RENEWALphone' } } }) }
  const refusal = { body: JSON.stringify({ code: 0, req: { code: 20450, data: { errMsg: mark, feedbackURL: `https://x.example/${mark}`, musickey: mark, str_musicid: account } } }) }
  type Fault = Parameters<typeof demo.next>[1]
  const channels: readonly { path: string, body: object, steps: readonly (readonly [hop: string, good: Fault, ...bad: Fault[]])[] }[] = [
    {
      path: '/checkMainLoginQr',
      body: { qrsig: mark },
      steps: [
        ['/ptqrlogin', { body: `ptuiCB('0','0','https://ssl.ptlogin2.graph.qq.com/check_sig?uin=${account}&ptsigx=${mark}','0','x', '${mark}')` }, { body: `ptuiCB('0','0','https://${mark}.example/?uin=${account}','0','x', '${mark}')` }, { body: `ptuiCB('7','0','','0','${mark}', '${mark}')` }, { status: 403, body: mark }, { reset: true }],
        ['/check_sig', { status: 302, headers: { 'set-cookie': [`p_skey=${mark}`, `p_uin=o${account}`, `superkey=${mark}`] } }, { status: 302, headers: { 'set-cookie': [`p_skey="${mark}`, `skey=@${mark}`] } }, { reset: true }],
        ['/oauth2.0/authorize', away(`https://y.qq.com/?code=${mark}&state=state`), away(`https://${mark}.example/?code=${mark}&state=state`), { status: 200, body: mark }, { reset: true }],
        ['QQConnectLogin.LoginServer/QQLogin', record, refusal, { body: mark }, { status: 500, body: mark }, { reset: true }]
      ]
    },
    {
      path: '/checkAltLoginQr',
      body: { uuid: mark },
      steps: [
        ['/connect/l/qrconnect', { body: `window.wx_errcode=405;window.wx_code='${mark}';` }, { body: `window.wx_errcode=405;window.wx_code='${mark} x';` }, { body: mark }, { status: 500, body: mark }, { reset: true }, { hang: true }],
        ['music.login.LoginServer/Login', record, refusal, { body: mark }, { reset: true }]
      ]
    }
  ]
  for (const { path, body, steps } of channels) {
    for (const [at, [failing, , ...bad]] of steps.entries()) {
      for (const fault of bad) {
        demo.reset()
        for (const [hop, good] of steps.slice(0, at)) demo.next(hop, good)
        demo.next(failing, fault)
        const reply = await server.post(path, body)
        t.notOk(reply.body.isOk === true, `${failing} ${JSON.stringify(fault)}`)
        t.notOk((reply.text + headersOf(reply)).includes(mark) || reply.text.includes(account), `${failing} ${JSON.stringify(fault)}`)
      }
    }
    demo.reset()
    for (const [hop, good] of steps) demo.next(hop, good)
    const done = await server.post(path, body)
    t.match(done.body, { isOk: true, session: { loginUin: `o${account}`, cookie: new RegExp(`provider_key=Q_H_L_${mark};`) } })
    t.notMatch(done.text + headersOf(done), renewalMarks)
    t.notMatch(done.text, `${mark}NICK`)
  }
  const all = await emitted(server)
  t.notOk(all.includes(mark) || all.includes(account))
  t.notMatch(all, renewalMarks)
})

t.test('asked for the same at the same time, each gets their own: A, nobody, B, hundreds of times', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { cache: true })
  const [a, b] = [cookieOf(demo, 'ordinary'), cookieOf(demo, 'member')]
  const of = async (cookie?: string): Promise<string> => {
    const headers: Record<string, string> = cookie === undefined ? {} : { 'x-custom-cookie': cookie }
    const { body } = await server.get('/getMusicPlay?songmid=00DemoSong0003', { headers })
    return body.data.reason ?? new URL(body.data.url).searchParams.get('uin') ?? ''
  }
  let wrong = 0
  for (let round = 0; round < (whole ? 100 : 20); round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await Promise.all([of(a), of(), of(b)])))
    for (const [own, nobody, other] of answers) if (own !== 'PAID' || nobody !== 'NO_COOKIE' || other !== memberUin) wrong++
  }
  t.equal(wrong, 0)
})

t.test('a query with a secret is not remembered, so it pushes no other query out either', async (t) => {
  const read = queryReader('cookie')
  const known = read('songmid=00DemoSong0001')
  for (const name of ['cookie', 'p', 't', 's', 'apiKey', 'auth']) {
    for (let time = 0; time < 500; time++) {
      const text = `u=demo&${name}=${mark}${time}`
      const first = read(text)
      t.equal(first[name], `${mark}${time}`)
      if (read(text) === first) t.fail(`${name} is remembered`)
    }
  }
  t.equal(read('songmid=00DemoSong0001'), known)
})
