/** A cookie never leaks: not into a log line, an error, a header, or another caller's answer. The gate asks a sample of all routes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import t from 'tap'
import { allPaths, askRoute, headersOf, routes, toldIn, type Route } from '../support/everyRoute.ts'
import { demoFor, serverFor, type Server } from '../support/helper.ts'
import { served } from '../support/stage.ts'
import { forgetful } from '../support/unhurried.ts'
import { queryReader } from '../../src/edge/paths.ts'
import { connectProxy, socksProxy, type ProxyOptions } from '../support/proxies.ts'
import { sampleOf, whole } from '../support/whole.ts'
import { listening } from '../support/listening.ts'

const mark = 'MARKEDSECRET'
const account = '7700112233'
const marked = `uin=o0${account}; provider_key=Q_H_L_${mark}; provider_keyst=Q_H_L_${mark}; euin=${mark}EUIN; providerLoginType=2`
const native = `uin=${account}; qqmusic_key=Q_H_L_${mark}; qm_keyst=Q_H_L_${mark}; euin=${mark}EUIN; p_skey=${mark}; skey=@${mark}; tmeLoginType=2`
const talkative = { logLevel: 'trace', metrics: true, docs: true, pages: true } as const

/** A query and headers. */
type Way = (cookie: string) => readonly [query: string, headers: Record<string, string>]
/** The ways to pass a cookie, including wrong ones. */
const ways: readonly Way[] = [
  (cookie) => [new URLSearchParams({ cookie }).toString(), {}],
  (cookie) => ['', { 'x-custom-cookie': cookie }],
  (cookie) => ['', { cookie }],
  (cookie) => [new URLSearchParams({ cookie: `${cookie}; bad=\n` }).toString(), {}],
  (cookie) => ['', { authorization: `Bearer ${cookie}`, referer: `http://x/?cookie=${cookie}`, origin: 'https://other.example', cookie }]
]
const without: readonly Way[] = [() => ['', {}]]

interface Search {
  readonly by?: readonly Way[]
  readonly turn?: number
  readonly every?: number
  readonly among?: readonly Route[]
  readonly words?: readonly string[]
}

/** Asks the one that echoes and every n-th route in each of the ways, others with every `turn`. Returns those that told one of the words; `echoes` may. */
async function tellers (
  server: Server, cookie: string, { by = ways, turn = 0, every = 10, among = routes, words = [mark] }: Search
): Promise<{ told: string[], echoes: number }> {
  const told: string[] = []
  let echoes = 0
  for (const [at, way] of by.entries()) {
    for (const route of new Set([
      ...sampleOf(among, every, turn + at), ...routes.filter(({ name }) => name === 'getCookie')
    ])) {
      const reply = await askRoute(server, route, ...way(cookie))
      const isIn = (text: string): boolean => words.some((word) => text.includes(word))
      const isEcho = route.name === 'getCookie' && isIn(reply.text) && !isIn(headersOf(reply))
      if (isEcho) echoes++
      else if (isIn(toldIn(reply))) told.push(`${route.form} ${reply.status}: ${reply.text.slice(0, 200)}`)
    }
  }
  // All other output of the relay.
  const own = await Promise.all(['/metrics', '/health/upstream'].map(async (path) => (await server.get(path)).text))
  const rest = [...server.log, ...server.cacheKeys(), ...own].join('\n')
  return { told: [
    ...told, ...[...words, account].filter((word) => rest.includes(word)).map((word) => `log, keys or metrics: ${word}`)
  ], echoes }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

served('with a healthy upstream the mark is in no output but the echo of the cookie', { ...talkative, cache: true }, async ({ t, server }) => {
  for (const [turn, cookie] of [marked, native].entries()) {
    const { told, echoes } = await tellers(server, cookie, { turn, every: 25, among: allPaths })
    t.same(told, [])
    t.ok(echoes > 0, 'getCookie echoes, so the search finds what is there')
  }
  t.ok(server.log.length > (whole ? 100 : 40))
})

const echo = (request: IncomingMessage): string => `${request.headers.cookie ?? ''} ${request.url ?? ''}`
const states: Readonly<Record<string, Handler>> = {
  'sends broken JSON with the cookie in it': (request, response) => { response.end(`{"cookie":"${echo(request)}`) },
  'sends a page with the cookie in it': (request, response) => { response.setHeader('x-echo', echo(request)).end(`<html>${echo(request)}</html>`) },
  'refuses and quotes the cookie': (request, response) => { response.end(JSON.stringify({
    code: 10000, subcode: 1, message: echo(request), msg: echo(request),
    req_0: { code: 10000, data: { msg: echo(request) } }
  })) },
  'says that the key is expired': (_request, response) => {
    response.end(JSON.stringify({ code: 0, req_0: { code: 1000 }, req_1: { code: 1000 } }))
  },
  'has an error': (request, response) => { response.writeHead(500).end(echo(request)) },
  'redirects with the cookie in it': (request, response) => { response.writeHead(
    302, { location: `http://127.0.0.1:1/${encodeURIComponent(echo(request))}`, 'set-cookie': `a=${mark}` }
  ).end() },
  'resets the connection': (request) => { request.socket.destroy() },
  'breaks off': (request, response) => {
    response.writeHead(200, { 'content-length': '99999' }).write(`{"a":"${echo(request)}`)
    setImmediate(() => { request.socket.destroy() })
  },
  'sends wrong shapes': (request, response) => { response.end(JSON.stringify({
    code: 0, data: echo(request), req_0: { code: 0, data: { [echo(request)]: 1, list: [echo(request)] } }
  })) },
  'hangs': () => {}
}

t.test('whatever an upstream does with the cookie, the relay tells nothing', async (t) => {
  let handler: Handler = () => {}
  const origin = await listening(t, createServer((request, response) => { handler(request, response) }))
  const short = { deadlineMs: 30, tuning: { loginStepDeadlineMs: 30, loginDeadlineMs: 60, pollDeadlineMs: 30 } }
  const options = { logLevel: 'trace', metrics: true } as const
  const server = await serverFor(t, { origin }, { ...options, tuning: { ...forgetful, pollDeadlineMs: 100 } })
  // This one has a memory: it stops asking.
  const hasty = await serverFor(t, { origin }, { ...options, ...short })
  for (const [turn, [state, does]] of Object.entries(states).entries()) {
    handler = does
    t.same(
      (await tellers(state === 'hangs' ? hasty : server, marked, { turn, every: 60 })).told, [], `one that ${state}`
    )
  }
})

t.test('the password of a proxy is in no output, whether it works or fails; its address is not either', async (t) => {
  const demo = await demoFor(t)
  const encoded = Buffer.from(`op:${mark}`).toString('base64')
  const quoting = `HTTP/1.1 500 ${mark}\r\nx-${mark}: ${encoded}\r\n\r\n${mark}`
  const states: readonly ProxyOptions[] = [
    { credentials: `op:${mark}` }, { credentials: 'other:password' }, { refuses: 503 }, { instead: quoting },
    { instead: `${mark}${encoded}` }
  ]
  for (const [turn, [make, options]] of [connectProxy, socksProxy].flatMap(
    (make) => states.map((state) => [make, state] as const)
  ).entries()) {
    const proxy = await make(t, options)
    const server = await serverFor(t, demo, {
      ...talkative, docs: whole, pages: whole, stream: 'relay',
      upstreamProxy: [proxy.address.replace('://', `://op:${mark}@`)], tuning: { pollDeadlineMs: 100 }
    })
    // With its host: an example of an answer may have the number of a port.
    const { told } = await tellers(
      server, '', { by: without, turn, every: 30, among: allPaths, words: [mark, encoded, `127.0.0.1:${proxy.port}`] }
    )
    t.same(told, [], `${proxy.address} ${JSON.stringify(options)}`)
    t.ok(proxy.accepted() > 0)
  }
})

served('the global cookie is shown to nobody, by its names only', {
  ...talkative, cache: true, useGlobalCookie: true, globalCookie: () => marked
}, async ({ t, server }) => {
  t.match((await server.get('/user/getCookie')).body, { data: { cookieObject: { uin: '***', provider_key: '***' } } })
  const { told, echoes } = await tellers(server, '', { by: without, every: 6, among: allPaths })
  t.same([told, echoes], [[], 0])
  t.ok(server.cacheKeys().length > 3, 'answers made with it are kept')
})

served('what a login goes by is in no output either, whichever step fails; the key is in the success alone', {
  logLevel: 'trace', cache: true, metrics: true, tuning: { pollDeadlineMs: 100, loginStepDeadlineMs: 2000 }
}, async ({ t, demo, server }) => {
  const away = (to: string): { status: number, headers: Record<string, string> } =>
    ({ status: 302, headers: { location: to } })
  // What a renewal needs is read from the record, and belongs into a stored login only.
  const renewal = {
    openid: 'RENEWALopenid', unionid: 'RENEWALunionid', access_token: 'RENEWALaccess', refresh_token: 'RENEWALrefresh',
    refresh_key: 'RENEWALkey', expired_at: 1799999977, musickeyCreateTime: 1788888877, keyExpiresIn: 259277
  }
  const renewalMarks = /RENEWAL|1799999977|1788888877|259277/
  const record = { body: JSON.stringify({ code: 0, req: { code: 0, data: {
    ...renewal, musickey: `Q_H_L_${mark}`, str_musicid: account, encryptUin: `${mark}EUIN`, nick: `${mark}NICK`,
    token: 'RENEWALtoken', phoneNo: 'RENEWALphone'
  } } }) }
  const refusal = { body: JSON.stringify({ code: 0, req: {
    code: 20450, data: { errMsg: mark, feedbackURL: `https://x.example/${mark}`, musickey: mark, str_musicid: account }
  } }) }
  type Fault = Parameters<typeof demo.next>[1]
  const channels: readonly {
    path: string, body: object, steps: readonly (readonly [hop: string, good: Fault, ...bad: Fault[]])[]
  }[] = [
    {
      path: '/checkMainLoginQr',
      body: { qrsig: mark },
      steps: [
        ['/ptqrlogin', { body: `ptuiCB('0','0','https://ssl.ptlogin2.graph.qq.com/check_sig?uin=${account}&ptsigx=${mark}','0','x', '${mark}')` }, {
          body: `ptuiCB('0','0','https://${mark}.example/?uin=${account}','0','x', '${mark}')`
        }, { body: `ptuiCB('7','0','','0','${mark}', '${mark}')` }, { status: 403, body: mark }, { reset: true }],
        ['/check_sig', {
          status: 302, headers: { 'set-cookie': [`p_skey=${mark}`, `p_uin=o${account}`, `superkey=${mark}`] }
        }, { status: 302, headers: { 'set-cookie': [`p_skey="${mark}`, `skey=@${mark}`] } }, { reset: true }],
        ['/oauth2.0/authorize', away(`https://y.qq.com/?code=${mark}&state=state`), away(`https://${mark}.example/?code=${mark}&state=state`), { status: 200, body: mark }, { reset: true }],
        [
          'QQConnectLogin.LoginServer/QQLogin', record, refusal, { body: mark }, { status: 500, body: mark },
          { reset: true }
        ]
      ]
    },
    {
      path: '/checkAltLoginQr',
      body: { uuid: mark },
      steps: [
        ['/connect/l/qrconnect', { body: `window.wx_errcode=405;window.wx_code='${mark}';` }, {
          body: `window.wx_errcode=405;window.wx_code='${mark} x';`
        }, { body: mark }, { status: 500, body: mark }, { reset: true }, { hang: true }],
        ['music.login.LoginServer/Login', record, refusal, { body: mark }, { reset: true }]
      ]
    }
  ]
  for (const { path, body, steps } of channels) {
    const wrong: string[] = []
    for (const [at, [failing, , ...bad]] of steps.entries()) {
      for (const fault of bad) {
        demo.reset()
        for (const [hop, good] of steps.slice(0, at)) demo.next(hop, good)
        demo.next(failing, fault)
        const reply = await server.post(path, body)
        if (reply.body.isOk === true || toldIn(reply).includes(mark) || reply.text.includes(account)) {
          wrong.push(`${failing} ${JSON.stringify(fault)}: ${reply.text}`)
        }
      }
    }
    t.same(wrong, [], path)
    demo.reset()
    for (const [hop, good] of steps) demo.next(hop, good)
    const done = await server.post(path, body)
    t.match(
      done.body, { isOk: true, session: { loginUin: `o${account}`, cookie: new RegExp(`provider_key=Q_H_L_${mark};`) } }
    )
    t.notMatch(toldIn(done), renewalMarks)
    t.notMatch(done.text, `${mark}NICK`)
  }
  const { told } = await tellers(server, '', { by: [], words: [mark, 'RENEWAL', '1799999977', '1788888877', '259277'] })
  t.same(told, [])
})

t.test('a query with a secret is not remembered, so it pushes no other query out either', async (t) => {
  const read = queryReader('cookie')
  const known = read('songmid=00DemoSong0001')
  const wrong: string[] = []
  for (const name of ['cookie', 'p', 't', 's', 'apiKey', 'auth']) {
    for (let time = 0; time < 500; time++) {
      const text = `u=demo&${name}=${mark}${time}`
      const first = read(text)
      if (first[name] !== `${mark}${time}` || read(text) === first) wrong.push(text)
    }
  }
  // A cookie under a name that means nothing.
  for (const value of [`uin=1; qm_keyst=${mark}`, `[{"name":"qm_keyst","value":"${mark}"}]`, `qm_keyst\t${mark}`]) {
    const text = `songmid=00DemoSong0001&cookies=${encodeURIComponent(value)}`
    if (read(text) === read(text)) wrong.push(text)
  }
  if (read(`qm_keyst=${mark}`) === read(`qm_keyst=${mark}`)) wrong.push('qm_keyst')
  t.same(wrong, [])
  t.equal(read('songmid=00DemoSong0001'), known)
})
