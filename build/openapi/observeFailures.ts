/** One real answer for each error code of an operation, provoked at a relay in front of the demo, as an example. */
import type { InjectOptions } from 'fastify'
import type { ErrorCode } from '../../schemas/errors.ts'
import { buildApp, type AppOptions } from '../../src/app.ts'
import type { AccountBook } from '../../src/relay/accountBook.ts'
import { startDemoUpstream, type DemoUpstream } from '../../src/demo/upstream.ts'

type App = Awaited<ReturnType<typeof buildApp>>

/** How a code is provoked: the relay's options, what happens before, and the request. */
interface Case {
  readonly options?: AppOptions
  readonly before?: (demo: DemoUpstream, app: App) => unknown
  readonly sent: string | InjectOptions | ((demo: DemoUpstream) => InjectOptions)
  /** What happens while the request waits. */
  readonly meanwhile?: (app: App) => unknown
}

/** The time of the demo: its cookies and lists are dated. */
export const demoTime = (): number => Date.UTC(2026, 10, 1, 12)

const songs: InjectOptions = { method: 'POST', url: '/batchGetSongInfo' }
const asJson = { 'content-type': 'application/json' }
const check = (way: 'Main' | 'Alt', payload: object): InjectOptions => ({
  method: 'POST',
  url: `/check${way}LoginQr`,
  headers: asJson,
  payload
})
const [mainQr, altQr] = [{ qrsig: 'demo-qrsig' }, { uuid: 'demo-uuid' }]
const openPoll = (demo: DemoUpstream): InjectOptions => check('Alt', { uuid: demo.login.open('alt') })
const confirmed = { body: "ptuiCB('0','0','https://ssl.ptlogin2.graph.qq.com/check_sig?uin=1000000101&ptsigx=f00d','0','','')" }
const alsoConfirmed = { body: "window.wx_errcode=405;window.wx_code='demoCode';" }
const stranger = '203.0.113.9'

/** A stored account with one key, which may only read. */
const book: AccountBook = {
  bySecret: () => ({ name: 'demo', key: { id: 'demo', readOnly: true, noLoginEndpoints: true } }),
  get: (name) => ({ name, state: 'ok' }),
  secretOf: () => undefined,
  keyOf: () => undefined,
  cookieOf: () => undefined,
  replaced: async () => undefined,
  answered: () => {},
  states: () => [],
  renewals: () => ({ renewed: 0, refused: 0, failed: 0, changed: 0, busy: 0, impossible: 0 })
}

const cases: Readonly<Partial<Record<ErrorCode, Case>>> = {
  INVALID_INPUT: { sent: '/getLyric?songmid=no%20MID' },
  INVALID_JSON: { sent: { ...songs, headers: asJson, payload: '{"songs":' } },
  LOGIN_REQUIRED: { sent: '/getDailyRecommend' },
  TOKEN_REQUIRED: { options: { accessToken: 'demo-access-token' }, sent: '/getRanks' },
  KEY_LIMITED: {
    options: { accounts: book },
    sent: { url: '/getDailyRecommend', headers: { authorization: `Bearer mk_${'0'.repeat(43)}` } }
  },
  CROSS_SITE: { sent: { url: '/getMainLoginQr', headers: { 'origin': 'https://other.example', 'sec-fetch-site': 'cross-site' } } },
  HOST_NOT_ALLOWED: { sent: { url: '/getRanks', headers: { host: 'other.example' } } },
  NOT_FOUND: { sent: '/getAlbumInfo?albummid=Nobody' },
  NOT_PLAYABLE: { sent: '/stream?songmid=00DemoSong0002' },
  BODY_TOO_LARGE: { sent: { ...songs, headers: asJson, payload: JSON.stringify({ songs: [['x'.repeat(300_000)]] }) } },
  URL_TOO_LONG: { sent: `/getSongInfo/${'x'.repeat(20_000)}` },
  UNSUPPORTED_TYPE: { sent: { ...songs, headers: { 'content-type': 'text/plain' }, payload: 'songs' } },
  RANGE_NOT_SATISFIABLE: {
    options: { stream: 'relay' },
    sent: { url: '/stream?songmid=00DemoSong0001', headers: { range: 'bytes=999999999-' } }
  },
  RATE_LIMITED: {
    options: { host: '0.0.0.0', rateLimit: 1 },
    before: async (_demo, app) => await app.inject({ url: '/getCookie', remoteAddress: stranger }),
    sent: { url: '/getCookie', remoteAddress: stranger }
  },
  INTERNAL: { before: (_demo, app) => { app.get('/bug', () => { throw new TypeError('a bug') }) }, sent: '/bug' },
  UPSTREAM_UNREACHABLE: { before: ({ moods }) => { moods.on('down') }, sent: '/getRanks' },
  UPSTREAM_UNREADABLE: { before: ({ moods }) => { moods.on('lyrics-html,lyrics-program-html') }, sent: '/getLyric?songmid=00DemoSong0001' },
  UPSTREAM_REFUSED: {
    before: (demo) => {
      demo.next('/v8/fcg-bin/musicmall.fcg', { code: 500003 })
    },
    sent: '/getDigitalAlbumLists'
  },
  UPSTREAM_EMPTY: { sent: '/getMvPlay?vid=nobodyKnows' },
  COOKIE_REJECTED: { sent: '/getDailyRecommend' },
  QR_UNAVAILABLE: { before: (demo) => { demo.next('/ptqrshow', { status: 500 }) }, sent: '/getMainLoginQr' },
  LOGIN_SIGN_URL: {
    before: (demo) => {
      demo.next('/ptqrlogin', { body: "ptuiCB('0','0','','0','','')" })
    },
    sent: check('Main', mainQr)
  },
  LOGIN_P_SKEY: { before: (demo) => { demo.next('/ptqrlogin', confirmed) }, sent: check('Main', mainQr) },
  LOGIN_NO_REDIRECT: {
    before: (demo) => {
      demo.next('/ptqrlogin', confirmed)
      demo.next('/check_sig', { status: 302, headers: { 'set-cookie': 'p_skey=demo' } })
    },
    sent: check('Main', mainQr)
  },
  LOGIN_NO_CODE: {
    before: (demo) => {
      demo.next('/connect/l/qrconnect', { body: 'window.wx_errcode=405;' })
    },
    sent: check('Alt', altQr)
  },
  LOGIN_REFUSED: { before: (demo) => { demo.next('/connect/l/qrconnect', alsoConfirmed) }, sent: check('Alt', altQr) },
  OVERLOADED: {
    options: { host: '0.0.0.0', tuning: { pollLimitPerClient: 1 } },
    before: async (demo, app) => {
      const uuid = demo.login.open('alt')
      void app.inject(check('Alt', { uuid }))
      await demo.login.held(uuid, 1)
    },
    sent: openPoll
  },
  UPSTREAM_PAUSED: {
    before: (demo) => {
      demo.next('/connect/qrconnect', { status: 429, headers: { 'retry-after': '7' } })
    },
    sent: '/getAltLoginQr'
  },
  STOPPING: { sent: openPoll, meanwhile: (app) => { app.runtime.upstream.logins.stop() } },
  UPSTREAM_TIMEOUT: { options: { deadlineMs: 500 }, before: ({ moods }) => { moods.on('slow') }, sent: '/getRanks' },
  LOGIN_TIMEOUT: {
    options: { tuning: { loginStepDeadlineMs: 300 } },
    before: (demo) => {
      demo.next('/ptqrshow', { hang: true })
    },
    sent: '/getMainLoginQr'
  }
}

/** Returns a relay in front of a demo, of which the document shows answers. */
export const relayOfExamples = async (demo: DemoUpstream, options: AppOptions = {}): Promise<App> =>
  await buildApp({
    logLevel: 'silent',
    docs: false,
    pages: false,
    shedDelayMs: 0,
    upstreamOrigin: demo.origin,
    imageOrigin: demo.origin,
    ...options
  })

/** Returns one answer for each code. Throws if another one comes. */
export async function observedFailures (): Promise<Readonly<Record<string, unknown>>> {
  const found: [string, unknown][] = []
  for (const [code, { options, before, sent, meanwhile }] of Object.entries(cases)) {
    const demo = await startDemoUpstream({ now: demoTime, holdMs: 500 })
    const app = await relayOfExamples(demo, options)
    try {
      await before?.(demo, app)
      const request: InjectOptions = typeof sent === 'string' ? { url: sent }
        : typeof sent === 'function' ? sent(demo) : sent
      const expired = code === 'COOKIE_REJECTED' ? {
        'x-custom-cookie': demo.accounts.find(({ name }) => name === 'expired')?.cookie
      } : {}
      const waiting = app.inject({ ...request, headers: { ...expired, ...request.headers } })
      if (meanwhile !== undefined) setTimeout(() => { meanwhile(app) }, 50)
      const body = (await waiting).json<{ code: string, error: string }>()
      if (body.code !== code) throw new Error(`${code} was expected, and ${body.code} came`)
      // A slow machine may have used up a second of the minute.
      found.push([code, code === 'RATE_LIMITED' ? { ...body, error: body.error.replace(/\d+ s\.$/, '60 s.') } : body])
    } finally {
      await app.close()
      await demo.close()
    }
  }
  return Object.fromEntries(found)
}
