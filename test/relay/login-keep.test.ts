/** The page /login and the storing of a login as an account, without a browser: who may, and what is answered. */
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { put } from '../support/accountsHelper.ts'
import { cookieOf, demoFor, serverFor, type Server } from '../support/helper.ts'
import { character } from '../support/hostile.ts'
import type { RawAnswer } from '../support/raw.ts'
import { bearer, codeOf, householdOf, offers, operatorCode, operatorOf, posted } from '../support/loginPages.ts'
import { runs } from '../support/whole.ts'
import { returnAddress } from '../../public/app/wayBack.ts'

const pagesFor = async (t: Test, demo: { origin: string }, options: AppOptions = {}): Promise<Server> =>
  await serverFor(t, demo, { pages: true, ...options })
const token = 'open-sesame'

/** A relay that stores logins, with its pages, and a code that was scanned and confirmed: whoever gets through has a login stored. */
async function home (t: Test, options: AppOptions = {}) {
  const demo = await demoFor(t)
  const household = await householdOf(t, demo)
  const confirmed = (): string => {
    const uuid = demo.login.open('alt')
    demo.login.confirm(uuid, 'member')
    return uuid
  }
  const operator = await operatorOf(household)
  return { demo, ...household, operator, confirmed, server: {
    ...await pagesFor(t, demo, { ...household.options, ...options }), operator
  } }
}

t.test('a page that opened one of the pages cannot hold on to it, where browsers know how', async (t) => {
  const server = await pagesFor(t, await demoFor(t))
  for (const path of ['/', '/login']) {
    t.equal((await server.get(path, { headers: { 'sec-fetch-site': 'none' } })).headers.get('cross-origin-opener-policy'), 'same-origin')
    t.equal((await server.get(path)).headers.get('cross-origin-opener-policy'), null, 'on a plain http name browsers would complain')
  }
})

t.test('the page can be switched off, and is behind the access token like everything else', async (t) => {
  const demo = await demoFor(t)
  const off = await pagesFor(t, demo, { pages: false })
  for (const path of ['/login', '/sw.js', '/page/icon.svg']) {
    t.match(await off.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
  }
  t.match(await off.post('/login', {}), { status: 404 })
  const locked = await pagesFor(t, demo, { accessToken: 'open-sesame' })
  t.equal((await locked.get('/login')).status, 401)
  t.equal((await locked.get('/login', { headers: { authorization: `Basic ${btoa('me:open-sesame')}` } })).status, 200)
})

t.test('the demo\'s scan pages are named while the upstream is on this machine, and no other host ever', async (t) => {
  const demo = await demoFor(t)
  t.match((await (await pagesFor(t, demo)).get('/login')).text, `&quot;scanPages&quot;:&quot;${demo.origin}/scan&quot;`)
  for (const upstreamOrigin of ['', 'https://mirror.example']) {
    t.notMatch((await (await pagesFor(t, demo, { upstreamOrigin })).get('/login')).text, /\/scan|mirror\.example/)
  }
})

t.test('being the operator is shown, never guessed from an address: with the session of the start\'s link, or the access token', async (t) => {
  const { demo, accounts, folder, options, operator, confirmed, server } =
    await home(t, { allowedHosts: ['relay.test', 'music.example'], corsOrigins: ['http://listed.example'] })
  const secret = await accounts.save('child', { loginUin: '1', cookie: cookieOf(demo, 'child') }) ?? ''
  const key = await accounts.addKey('child', 'app', {})
  const attempt = async (
    to: Server, headers: readonly string[], more: Parameters<typeof posted>[3] = {}
  ): Promise<string> => codeOf(await posted(to, JSON.stringify({ name: 'stolen', uuid: confirmed() }), headers, more))
  const [cookie = ''] = operator
  // A proxy that adds nothing, one that rewrites Host, a tunnel: its clients look like programs on this machine.
  for (const host of ['127.0.0.1', 'localhost:3200', '[::1]', 'relay.test', 'music.example']) {
    t.notOk(await offers(server, [], { host }), host)
    t.equal(await attempt(server, [], { host }), '401 TOKEN_REQUIRED', host)
    t.equal(await attempt(server, [`Origin: http://${host}`, 'Sec-Fetch-Site: same-origin'], { host }), '401 TOKEN_REQUIRED', host)
  }
  for (const [who, headers] of [
    ['an account', [`Authorization: Bearer ${secret}`]], ['a key', [`Authorization: Basic ${btoa(`any:${key}`)}`]], ['an invented session', [`Cookie: music_relay_session=${'x'.repeat(43)}`, 'Sec-Fetch-Site: same-origin']],
    ['an account in the operator\'s browser', [...operator, `Authorization: Bearer ${secret}`]]
  ] as const) {
    t.notOk(await offers(server, headers), who)
    t.equal(await attempt(server, headers), '401 TOKEN_REQUIRED', who)
  }
  t.ok(await offers(server, [cookie]))
  t.ok(await offers(server, [cookie, 'Sec-Fetch-Site: none']), 'the address was typed')
  t.equal(await attempt(server, [cookie]), '401 TOKEN_REQUIRED', 'nothing says that it is a page of the relay')
  const listener = await posted(
    server, '{}', ['Sec-Fetch-Site: same-origin', `Authorization: Bearer ${secret}`], { path: '/login/session' }
  )
  t.match(JSON.parse(listener.text), { account: { name: 'child' }, operator: false })
  for (const headers of [['Origin: http://evil.example'], ['Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-site'], ['Origin: null'], ['Origin: http://listed.example', 'Sec-Fetch-Site: cross-site'], ['Origin: http://listed.example'], ['Origin: http://127.0.0.1:1']]) {
    t.equal(await attempt(server, [cookie, ...headers]), '403 CROSS_SITE', headers.join())
  }
  const locked = await pagesFor(t, demo, { ...options, accessToken: token, allowedHosts: ['music.example'] })
  for (const headers of [[], operator, ['Authorization: Bearer another'], [`Authorization: Bearer ${secret}`]]) {
    t.equal(await attempt(locked, headers), '401 TOKEN_REQUIRED', 'with a token, the token counts')
  }
  t.equal(await attempt(locked, [`Authorization: Bearer ${token}`, 'Origin: http://evil.example', 'Sec-Fetch-Site: cross-site']), '403 CROSS_SITE')
  t.same(readdirSync(join(folder, 'accounts')), ['child.json'], 'nothing was stored')

  for (const authorization of [`Bearer ${token}`, `Basic ${btoa(`me:${token}`)}`]) t.ok(
    await offers(locked, [`Authorization: ${authorization}`, 'X-Forwarded-For: 203.0.113.9'], { host: 'music.example' })
  )
  t.equal(await attempt(locked, [`Authorization: Bearer ${token}`, 'Origin: http://music.example', 'Sec-Fetch-Site: same-origin'], { host: 'music.example' }), '200 ')
  t.equal(await attempt(server, [cookie, 'Origin: http://127.0.0.1']), '200 ', 'on plain http, browsers send only an Origin')
})

t.test('the code of the link works once, within an hour, for a page of the relay; the session that it gives is one of the operator', async (t) => {
  const { demo, options, sessions } = await home(t)
  const clock = { now: 0 }
  const own = ['Sec-Fetch-Site: same-origin']
  const relay = async (more: AppOptions = {}): Promise<Server> =>
    await pagesFor(t, demo, { ...options, now: () => clock.now, ...more })
  const use = async (to: Server, headers: readonly string[] = own, code = operatorCode) =>
    await posted(to, JSON.stringify({ code }), headers, { path: '/login/operator' })
  const server = await relay()
  for (const [code, headers] of [
    ['guess', own], ['', own], [operatorCode, []], [operatorCode, ['Origin: http://evil.example']],
    [operatorCode, ['Sec-Fetch-Site: same-site']]
  ] as const) t.match(codeOf(await use(server, headers, code)), /^40[013] /)
  const before = await sessions.begin({ operator: false })
  const answer = await use(server, [...own, `Cookie: a=b; music_relay_session=${before}`])
  const [, given = '', attributes] = /^(music_relay_session=[\w-]{43}); (.*)$/.exec(answer.headers.get('set-cookie') ?? '') ?? []
  t.equal(attributes, 'Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax')
  t.match(JSON.parse(answer.text), { operator: true, storesLogins: true }, 'the page is told at once')
  t.ok(await offers(server, [`Cookie: ${given}`]))
  t.equal(sessions.find(before), undefined, 'a session gets another text when it may do more')
  t.equal(codeOf(await use(server)), '401 TOKEN_REQUIRED', 'once')
  t.equal(
    codeOf(await use(await relay({ accessToken: token }), [...own, `Authorization: Bearer ${token}`])),
    '401 TOKEN_REQUIRED', 'with a token, no link'
  )
  const late = await relay()
  clock.now += 3_600_000
  t.equal(codeOf(await use(late)), '401 TOKEN_REQUIRED', 'within an hour')
  t.match(
    (await use(await relay({ publicOrigin: 'https://music.example/relay' }))).headers.get('set-cookie'),
    /Path=\/relay\/; .*; Secure$/
  )
})

t.test('a relay that stores no accounts offers nothing', async (t) => {
  const demo = await demoFor(t)
  const { accounts } = await householdOf(t, demo)
  for (const options of [{}, { accounts }]) {
    const server = await pagesFor(t, demo, options)
    t.notOk(await offers(server, []))
    t.equal(codeOf(await posted(server, '{}')), '405 METHOD_NOT_ALLOWED')
  }
  const off = await pagesFor(t, demo, { ...(await householdOf(t, demo)).options, pages: false })
  for (const answer of [await off.get('/login/account'), await off.post('/login/account', {})]) {
    t.equal(answer.status, 404)
  }
})

t.test('whatever is sent, no file is written but that of a login, and no answer repeats what came', async (t) => {
  const { folder, confirmed, server } = await home(t)
  const uuid = confirmed()
  const names: unknown[] = [
    '../escape', '..', '.', '', 'Kitchen', '-x', 'a/b', 'a\\b', 'a.json', 'x'.repeat(33), 'kitchen\n', 'küche', '厨房',
    'default', '__proto__', 7, null, true, [], ['kitchen'], {}, '\u0000', 'a b', '<b>'
  ]
  for (const name of names) {
    const answer = await posted(server, JSON.stringify({ name, uuid }))
    t.match([
      codeOf(answer), answer.text, answer.headers.get('cache-control')
    ], ['400 INVALID_INPUT', /"error":"name: /, 'no-store'], JSON.stringify(name))
    if (typeof name === 'string' && name.length > 5 && name !== 'default') t.notOk(answer.text.includes(name))
  }
  for (const rest of [{}, { uuid, qrsig: 'x' }, { uuid: '../x' }, { qrsig: 'a b' }, { uuid: [uuid] }, { uuid: null }]) {
    t.equal(
      codeOf(await posted(server, JSON.stringify({ name: 'kitchen', ...rest }))), '400 INVALID_INPUT',
      JSON.stringify(rest)
    )
  }
  for (const [body, type, code] of [
    ['{"name":', 'application/json', '400 INVALID_JSON'], ['[]', 'application/json', '400 INVALID_INPUT'],
    ['null', 'application/json', '400 INVALID_INPUT'],
    [`{"__proto__":{"name":"kitchen"},"uuid":"${uuid}"}`, 'application/json', '400 INVALID_JSON'],
    [`{"name":"kitchen","uuid":"${uuid}"}`, 'text/plain', '415 UNSUPPORTED_TYPE'],
    [`name=kitchen&uuid=${uuid}`, 'application/x-www-form-urlencoded', '415 UNSUPPORTED_TYPE']
  ] as const) {
    t.equal(codeOf(await posted(server, body, undefined, { type })), code, body)
  }
  t.equal(
    codeOf(await posted(server, JSON.stringify({ name: 'kitchen', uuid, more: 'x'.repeat(300_000) }))),
    '413 BODY_TOO_LARGE'
  )
  t.match(
    JSON.parse((await posted(server, JSON.stringify({ name: 'kitchen', uuid: 'nobody-knows-it' }))).text),
    { isOk: false, refresh: true }, 'a code that nobody knows has expired'
  )
  t.same(readdirSync(folder), ['sessions.json'])
  const answer = JSON.parse((await posted(server, JSON.stringify({ name: 'kitchen', uuid }))).text)
  t.match(answer, { isOk: true, account: {
    name: 'kitchen', nickname: '演示会员', state: 'ok', expiresAt: Number, secret: /^mr_/, others: []
  } })
  t.same([Object.keys(answer).sort(), Object.keys(answer.account).sort()], [
    ['account', 'isOk', 'message'], ['expiresAt', 'name', 'nickname', 'others', 'secret', 'state']
  ])
  t.same(readdirSync(join(folder, 'accounts')), ['kitchen.json'])
})

t.test('a login is stored and its secret given out, also if the sessions cannot be written; no browser becomes the operator then', async (t) => {
  const { folder, accounts, confirmed, server, options, demo } = await home(t)
  const other = await pagesFor(t, demo, { ...options, accessToken: token })
  rmSync(join(folder, 'sessions.json'))
  mkdirSync(join(folder, 'sessions.json'))
  const answer = await posted(
    other, JSON.stringify({ name: 'kitchen', uuid: confirmed(), stay: true }), [`Authorization: Bearer ${token}`]
  )
  t.match(JSON.parse(answer.text), { isOk: true, account: { name: 'kitchen', secret: accounts.secretOf('kitchen') } })
  const use = async (): Promise<RawAnswer> => await posted(
    server, JSON.stringify({ code: operatorCode }), ['Sec-Fetch-Site: same-origin'], { path: '/login/operator' }
  )
  const refused = await use()
  t.match([codeOf(refused), refused.text], ['500 INTERNAL', /cannot write its sessions.+ then try again/])
  t.notOk(refused.text.includes(folder))
  rmdirSync(join(folder, 'sessions.json'))
  t.equal((await use()).status, 200, 'the link was not used up')
  t.equal(codeOf(await use()), '401 TOKEN_REQUIRED')
})

t.test('a browser stays logged in as the account that it stored if it asks for that', async (t) => {
  const { confirmed, server, sessions } = await home(t)
  for (const stay of [true, false]) {
    const answer = await posted(server, JSON.stringify({ name: 'kitchen', uuid: confirmed(), stay }))
    t.match(sessions.trail(), { kitchen: { through: 'page', by: /^browser / } }, 'who stored it is noted')
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
    const { body } = await server.get('/login/session', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    t.match(body, { account: stay ? { name: 'kitchen', state: 'ok' } : null }, `stay: ${stay}`)
  }
})

t.test('a folder that cannot be written to is said before the scan is used up', async (t) => {
  const { folder, confirmed, server } = await home(t)
  writeFileSync(join(folder, 'accounts'), '')
  const uuid = confirmed()
  const answer = await posted(server, JSON.stringify({ name: 'kitchen', uuid }))
  t.match([codeOf(answer), answer.text], ['500 INTERNAL', 'cannot write to the folder of its accounts'])
  t.notOk(answer.text.includes(folder))
  t.equal((await server.post('/checkAltLoginQr', { uuid })).body.isOk, true, 'the code still works')
})

t.test('the account in use is shown to who asks as it, and the global one to the operator', async (t) => {
  const { demo, accounts, folder, options, operator: [cookie = ''] } = await home(t)
  const secret = await accounts.save('kitchen', { loginUin: '1', cookie: cookieOf(demo, 'member'), nickname: 'Anna' })
    ?? ''
  const [full, guest] = [
    await accounts.addKey('kitchen', 'phone', {}), await accounts.addKey('kitchen', 'guest', { noLoginEndpoints: true })
  ]
  put(folder, 'default', { loginUin: '1000000101', cookie: cookieOf(demo, 'ordinary') })
  await accounts.tick()
  const server =
    await pagesFor(t, demo, { ...options, useGlobalCookie: true, globalCookie: () => accounts.cookieOf('default') })
  const seen = async (headers: Record<string, string> = {}): Promise<unknown> => {
    const { status, body, headers: got } = await server.get('/login/account', { headers })
    t.equal(got.get('cache-control'), 'no-store')
    return status === 200 ? body.account?.name ?? null : `${status} ${body.code}`
  }
  const authorization = `Basic ${btoa(`any:${secret}`)}`
  t.match((await server.get('/login/account', bearer(secret))).body, {
    account: { name: 'kitchen', nickname: 'Anna', state: 'ok', expiresAt: Number }
  })
  for (const [headers, expected] of [
    [{ authorization: `Bearer ${full}` }, 'kitchen'], [{ authorization }, 'kitchen'],
    [{ authorization: `Bearer ${guest}` }, null], // a guest learns nothing of the person
    [{ cookie: cookie.replace('Cookie: ', '') }, 'default'], [{}, null],
    [{ 'x-custom-cookie': cookieOf(demo, 'child') }, null], // another login is in use
    [{ authorization, 'sec-fetch-site': 'cross-site' }, '403 CROSS_SITE'], [{ authorization, 'origin': 'http://evil.example' }, '403 CROSS_SITE'],
    [{ authorization: 'Bearer mr_unknown' }, '401 TOKEN_REQUIRED']
  ] as const) t.equal(await seen(headers), expected, JSON.stringify(headers).slice(0, 60))
})

t.test('an account whose cookie is no login or has expired says so', async (t) => {
  const { demo, accounts, server } = await home(t)
  const cookie = cookieOf(demo, 'member')
  const renewal =
    { loginType: 2, musicId: '1', musicKey: 'x', keyCreatedAt: 1_600_000_000, keyExpiresIn: 259_200 } as const
  for (const [name, login, state] of [
    ['good', { cookie }, 'ok'], ['none', { cookie: 'a=b' }, 'log in again'],
    ['old', { cookie: 'uin=1; provider_keyst=x', renewal }, 'log in again']
  ] as const) {
    const secret = await accounts.save(name, { loginUin: '1', ...login }) ?? ''
    t.match((await server.get('/login/account', bearer(secret))).body, { account: { name, state } })
  }
})

t.test('the way back never leads to another origin', async (t) => {
  const origin = 'http://relay.test:3200'
  const piece = fc.constantFrom(
    '/', '//', '\\', '/\\', '.', '..', '@', ':', 'http:', 'https:', 'javascript:', 'data:', 'evil.example',
    'relay.test', '\t', '\n', '\r', '\u0000', ' ', '%2f', '%5c', '?', '#', 'a', '＠', '／', '\u2028', '[', ']'
  )
  fc.assert(fc.property(fc.oneof(
    fc.string({ unit: character }), fc.webUrl(), fc.array(piece, { maxLength: 8 }).map((all) => all.join('')),
    fc.array(piece, { maxLength: 8 }).map((all) => `/${all.join('')}`)
  ), (text) => {
    const address = returnAddress(text, origin)
    return address === undefined
      || (new URL(address, 'http://elsewhere.example').origin === origin && address.startsWith(`${origin}/`))
  }), runs(t, 5000))
  for (const text of [
    null, '', 'x', 'login', '//evil.example', '/\\evil.example', '/\t/evil.example', '\\/evil.example',
    'https://evil.example/', 'javascript:alert(1)', ' /', '/ x', '/x\n', 'http://relay.test:3200/', `/${'\u00e9'}`
  ]) t.equal(returnAddress(text, origin), undefined, String(text))
  for (const text of [
    '/', '/#song=00DemoSong0001', '/music/?q=a%20b#song=x', '/.//evil.example', '/x@evil.example',
    '/?http://evil.example'
  ]) t.ok(returnAddress(text, origin)?.startsWith(`${origin}/`), text)
})
