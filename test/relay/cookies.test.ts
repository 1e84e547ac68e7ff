/** Which cookie reaches the upstream, and in which form, checked over sockets for every endpoint. */
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { endpoints, serverFor, type Ask, type Server } from '../support/helper.ts'
import { sampleOf } from '../support/whole.ts'
import { served, test } from '../support/stage.ts'
import { askEndpoint } from '../support/asks.ts'

/** The cookie of an account in both spellings, and the only form in which it may be sent upstream. */
function account (uin: string, key: string, type: 1 | 2 = 2): { neutral: string, native: string, sent: string } {
  const sent = `uin=${uin}; qqmusic_uin=${uin}; qm_keyst=${key}; qqmusic_key=${key}; tmeLoginType=${type}; euin=e${uin}`
  return {
    neutral: `uin=o0${uin}; provider_key=${key}; provider_keyst=${key}; euin=e${uin}; providerLoginType=${type}`,
    native: `pgv_pvid=1; uin=${uin}; qqmusic_key=${key}; qm_keyst=${key}; euin=e${uin}; tmeLoginType=${type}; skey=@leak; p_skey=leak; theme=dark`,
    sent
  }
}

const query = account('10001', 'Q_H_L_query')
const header = account('10002', 'Q_H_L_header')
const browser = account('10003', 'Q_H_L_browser')
const global = account('10004', 'Q_H_L_global')

/** Every endpoint that sends upstream requests, with its own example. */
const asked = Object.entries(endpoints)
  .filter(([name]) => !/Qr$|^getImageUrl$|^cover$|^getUserAvatar$|^getCookie$|^resolve$/.test(name))

const ask = async (server: Server, name: string, { cookie, param = 'cookie', ...init }: Ask & {
  cookie?: string | undefined, param?: string
}): Promise<unknown> =>
  await askEndpoint(
    server, name, { ...init, search: cookie === undefined ? '' : new URLSearchParams({ [param]: cookie }).toString() }
  )

/** The distinct Cookie headers that reached the upstream; `undefined` for none. */
const sent = (demo: DemoUpstream): (string | undefined)[] =>
  [...new Set(demo.received.map(({ headers }) => headers['cookie']))]

test('for every endpoint, mode, parameter name and spelling the first cookie offered reaches the upstream, on every call', async ({ t, demo }) => {
  const both = [true, false]
  const settings = both.flatMap((fallbackMode) => both.flatMap((useGlobalCookie) => ['cookie', 'auth']
    .map((cookieParamName) => ({ fallbackMode, useGlobalCookie, cookieParamName }))))
  for (const [turn, { fallbackMode, useGlobalCookie, cookieParamName }] of settings.entries()) {
    const server =
      await serverFor(t, demo, { fallbackMode, useGlobalCookie, cookieParamName, globalCookie: () => global.native })
    const rest = useGlobalCookie ? global.sent : undefined
    const ways = (['neutral', 'native'] as const).flatMap((spelling) => {
      const inQuery = { cookie: query[spelling], param: cookieParamName }
      const [inHeader, inBrowser] = [{ 'x-custom-cookie': header[spelling] }, { cookie: browser[spelling] }]
      return ([
        ['query before both headers', { ...inQuery, headers: { ...inHeader, ...inBrowser } }, query.sent],
        ['query before Cookie', { ...inQuery, headers: inBrowser }, query.sent], ['query', inQuery, query.sent],
        ['X-Custom-Cookie before Cookie', { headers: { ...inHeader, ...inBrowser } }, header.sent],
        ['X-Custom-Cookie', { headers: inHeader }, header.sent], ['Cookie', { headers: inBrowser }, browser.sent],
        ['a parameter of another name', { ...inQuery, param: cookieParamName === 'auth' ? 'cookie' : 'auth' }, rest],
        ['cookies of another program', { headers: { cookie: 'session=secret; theme=dark' } }, rest], ['nothing', {}, rest]
      ] as const).map((way) => [spelling, ...way] as const)
    })
    for (const [at, [name, { login }]] of sampleOf(asked, 4, turn).entries()) {
      const wrong: string[] = []
      for (const [spelling, way, given, first] of sampleOf(ways, 9, at + turn)) {
        demo.reset()
        await ask(server, name, given)
        const expected = fallbackMode ? first : rest
        const seen = sent(demo)
        // The demo knows none of these logins: after its refusal, the answer without a login is asked for.
        const right = expected === undefined && login === 'required' ? seen.length === 0
          : seen[0] === expected && seen.slice(1).every((other) => other === undefined)
        if (!right) wrong.push(`${spelling} ${way}: ${JSON.stringify(seen)} instead of ${expected}`)
      }
      t.same(wrong, [], `${name}, fallback ${fallbackMode}, global ${useGlobalCookie}, ?${cookieParamName}=`)
    }
  }
})

served('the global cookie can be kept to endpoints that know a login', {
  useGlobalCookie: true, globalCookieScope: 'login', globalCookie: () => global.neutral
}, async ({ t, demo, server }) => {
  for (const [name, { login }] of asked) {
    demo.reset()
    await ask(server, name, {})
    t.same(sent(demo), [login === undefined ? undefined : global.sent], name)
  }
  demo.reset()
  await ask(server, 'getRanks', { cookie: query.neutral })
  t.same(sent(demo), [query.sent], 'a cookie of the request goes everywhere')
})

test('a named cookie without a usable pair gives way, with a warning that does not quote it; a usable one wins, expired or not', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { useGlobalCookie: true, globalCookie: () => global.neutral })
  const asking = async (
    cookie: string | undefined, headers: Record<string, string> = {}
  ): Promise<[(string | undefined)[], string | null]> => {
    demo.reset()
    const search = cookie === undefined ? '' : `&cookie=${encodeURIComponent(cookie)}`
    const reply = await server.get(`/getRanks?topId=62${search}`, { headers })
    t.equal(reply.status, 200)
    return [sent(demo), reply.headers.get('x-relay-warning')]
  }
  const useless = ['marked-garbage', 'theme=marked', 'uin=', '{"uin":"marked"}', '; =;', 'euin=marked', 'uin=marked', 'uin=o0', 'theme=标marked', 'theme=marked\n']
  for (const text of useless) {
    const [reached, warning] = await asking(text)
    t.same(reached, [global.sent], text)
    t.match(warning, /^\?cookie= ignored: it has neither account nor key: copy uin/, text)
    t.notMatch(warning, /marked/)
    t.same((await asking(text, { 'x-custom-cookie': header.neutral }))[0], [header.sent], `${text}: header`)
    t.same((await asking(text, { cookie: browser.native }))[0], [browser.sent], `${text}: browser`)
  }
  t.match(
    await asking('marked', { 'x-custom-cookie': 'marked' }), [[global.sent], /^\?cookie= and X-Custom-Cookie ignored: /]
  )
  t.match(await asking(undefined, { 'x-custom-cookie': 'marked', 'cookie': browser.neutral }), [
    [browser.sent], /^X-Custom-Cookie ignored: /
  ])
  for (const none of ['', ' ', undefined]) t.same(await asking(none), [[global.sent], null], 'an empty one is absent')
  t.same(await asking(query.neutral, { 'x-custom-cookie': 'marked' }), [[query.sent], null], 'what is not looked at needs no warning')
  t.same(await asking('uin=o10001; provider_key=Q_H_L_expired'), [['uin=10001; qqmusic_uin=10001; qm_keyst=Q_H_L_expired; qqmusic_key=Q_H_L_expired; tmeLoginType=2'], null])
  t.match(await asking('uin=o10001'), [
    [undefined], /^\?cookie= is no login: it has an account but no key: copy qm_keyst or qqmusic_key, too$/
  ], 'it is the caller\'s, not the owner\'s')
  t.match(await asking(undefined, { cookie: 'qm_keyst=Q_H_L_x; uin=0; theme=\u00e9' }), [
    [undefined], /^Cookie is no login: it has a key but no account: copy uin, too$/
  ])
  const { headers } = await server.get('/getRanks?topId=62')
  t.match(headers.get('access-control-expose-headers'), /x-relay-warning/)

  const open = await serverFor(t, demo)
  const refused = await open.get('/user/getUserLikedSongs?cookie=marked')
  t.match(refused, { status: 401, body: { code: 'LOGIN_REQUIRED', error: /the cookie has neither account nor key: copy uin, or wxuin after a WeChat login, and qm_keyst or qqmusic_key\.$/ } })
  for (const [half, error] of [
    ['uin=1', /an account but no key: copy qm_keyst or qqmusic_key, too\.$/],
    ['qm_keyst=W_X_k', /a key but no account: copy wxuin, too\.$/]
  ] as const) {
    t.match(await open.get(`/account?cookie=${half}`), { status: 401, body: { code: 'LOGIN_REQUIRED', error } })
    t.match((await open.get(`/getMusicPlay?songmid=00DemoSong0001&cookie=${half}`)).headers.get('x-relay-warning'), error.source.slice(0, 20))
  }
  t.match(refused.headers.get('x-relay-warning'), /ignored/)
  const strict = await serverFor(t, demo, { fallbackMode: false })
  t.equal((await strict.get('/getRanks?topId=62&cookie=marked')).headers.get('x-relay-warning'), null, 'without fallback mode no cookie of a request is looked at')
})

served('a cookie without key or account is no login, one that is too long is refused; nothing that no header may hold gets into one', async ({ t, demo, server }) => {
  for (const cookie of ['uin=o10001', 'provider_key=Q_H_L_x', 'uin=abc; provider_key=Q_H_L_x', 'uin=; provider_key=', 'uin=o000; provider_key=x', 'session=1; theme=dark', '=; ;;; =x']) await ask(server, 'getRanks', { cookie })
  for (const bad of ['uin=1\r\nX: y', 'uin=1; provider_key=\0', 'uin=1; provider_key=密钥', 'uin=1; provider_key=a b']) {
    const { status, headers } = await server.get(`/getRanks?topId=62&cookie=${encodeURIComponent(bad)}`)
    t.match([status, headers.get('x-relay-warning')], [200, /an account but no key/], bad)
  }
  t.same(sent(demo), [undefined])
  demo.reset()
  t.match(await server.get(`/getRanks?topId=62&cookie=uin=1;provider_key=${'k'.repeat(8192)}`), { status: 400, body: { code: 'INVALID_INPUT', error: /^cookie: .* account and key are enough\.$/ } })
  t.match(await server.get('/getRanks?topId=62', { headers: { 'x-custom-cookie': `uin=1; provider_key=${'k'.repeat(8192)}` } }), { status: 400 })
  t.match(await server.get('/getRanks?topId=62', { headers: { cookie: `uin=1; provider_key=${'k'.repeat(8192)}` } }), { status: 400 })
  t.strictSame([demo.received.length, (await server.get('/getRanks?topId=62&cookie=%zz')).status], [0, 200], 'odd encoding is not an error of ours')
})
