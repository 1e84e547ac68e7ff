/** The page /login stores a login as an account: for whom, what reaches the browser, and the way back to the song. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { createLoginStorage } from '../../src/cli/loginAs.ts'
import type { LoginStorage } from '../../src/core/accountBook.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { folderFor, keeperFor, onDisk } from '../support/accountsHelper.ts'
import { browserFor, pagesFor, withoutBrowser } from '../support/browser.ts'
import type { Visit, VisitOptions } from '../support/browser.ts'
import { commandLine } from '../support/command.ts'
import { cookieOf, demoFor, memberUin, until } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { exchange } from '../support/raw.ts'
import type { RawAnswer } from '../support/raw.ts'
import { unhurried } from '../support/unhurried.ts'

const open = browserFor(t)

interface Household {
  /** How many checks of a named login have arrived at the relay. */
  readonly arrived: () => number
  readonly folder: string
  readonly accounts: Accounts
  readonly options: AppOptions & Required<Pick<AppOptions, 'loginStorage'>>
}

/** A relay's accounts in an empty folder, and the options of a relay that stores logins there. */
async function householdOf (t: Test, demo: { origin: string }): Promise<Household> {
  const folder = folderFor(t)
  const accounts = await keeperFor(t, folder, demo)
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: demo.origin, ...unhurried }))
  t.teardown(async () => { await runtime.close() })
  const keeper = createLoginStorage(accounts, folder, () => ({ runtime }))
  let arrived = 0
  const counting: LoginStorage = {
    ...keeper,
    async refusal () {
      const refusal = await keeper.refusal()
      arrived++
      return refusal
    }
  }
  return { arrived: () => arrived, folder, accounts, options: { accounts, loginStorage: counting } }
}

interface KeepVisit extends Visit, Household {
  /** Everything that the relay sent to the page. */
  readonly heard: string[]
  /** Resolves to the code on the page once a check of it waits. */
  polled (): Promise<string>
  /** The same, once that check has the name. */
  named (name: string): Promise<string>
}

async function visit (t: Test, path: string, { options = {}, ...rest }: Omit<VisitOptions, 'options'> & { readonly options?: AppOptions } = {}): Promise<KeepVisit> {
  let household: Household | undefined
  const heard: string[] = []
  const visit = await open(t, path, {
    ...rest,
    options: async (demo) => {
      household = await householdOf(t, demo)
      return { ...household.options, ...options }
    }
  })
  visit.page.on('response', (response) => { void response.text().then((text) => { heard.push(text) }, () => {}) })
  const waiting = async (): Promise<string> => {
    const uuid = visit.demo.login.ids('alt').at(-1) ?? ''
    await visit.demo.login.held(uuid, 1)
    return uuid
  }
  return {
    ...visit,
    ...household as Household,
    heard,
    async polled () {
      await visit.says('scan the code')
      return await waiting()
    },
    async named (name) {
      await visit.says('scan the code')
      await waiting()
      await visit.page.getByLabel('Store on this relay as').fill(name)
      await until(() => (household?.arrived() ?? 0) > 0)
      return await waiting()
    }
  }
}

const bearer = (secret: string): { headers: Record<string, string> } => ({ headers: { authorization: `Bearer ${secret}` } })
const liked = '/user/getUserLikedSongs?limit=5'
const stored = async (page: Page): Promise<void> => { await page.getByRole('heading', { name: 'Logged in and stored' }).waitFor() }
const secretOn = async (page: Page): Promise<string> => await page.getByLabel('Secret of this account').inputValue()
const waitingCode = (demo: DemoUpstream): string => demo.login.open('alt')

t.test('a person keeps a login as "kitchen": the secret is shown once and is that account, and the browser gets nothing else', { skip: withoutBrowser }, async (t) => {
  const { demo, server, page, complaints, heard, says, named, folder } = await visit(t, '/login', { options: { metrics: true } })
  demo.login.confirm(await named('kitchen'), 'member')
  await stored(page)
  t.equal(await page.evaluate('document.activeElement.id'), 'stored-title', 'a screen reader is taken along')
  t.match(await page.locator('#stored').innerText(), /Account kitchen · 演示会员 · lasts until .*\d/)
  const secret = await secretOn(page)
  t.match(secret, /^mr_[\w-]{43}$/)
  t.equal(await page.locator('#cookie').inputValue(), '', 'the cookie is not here')

  const own = await server.get(liked, { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })
  const asAccount = await server.get(liked, bearer(secret))
  t.same([asAccount.status, asAccount.text], [200, own.text])

  const { renewal, cookie, loginUin, secret: onFile } = onDisk(folder, 'kitchen')
  t.same([loginUin, onFile], [`o${memberUin}`, secret])
  const record = Object.values(renewal as Record<string, unknown>).filter((value): value is string => typeof value === 'string' && value.length > 8)
  t.ok(renewal.refreshToken.length > 0 && record.length > 2, 'what a renewal needs is stored')
  for (const part of [...record.filter((value) => !value.includes(memberUin)), cookie]) t.notOk(heard.join('\n').includes(part), 'and in no answer')
  t.equal(heard.join('\n').split(secret).length, 2, 'the secret is in one answer')

  await page.getByRole('button', { name: 'Copy secret' }).click()
  await says('Copied.')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, ''])
  t.notMatch(page.url(), 'mr_')
  await page.goto('about:blank')
  await page.goBack()
  t.equal(await page.locator('#secret').inputValue(), '', 'who comes back finds no secret')
  t.equal((await server.get('/login/account')).body.account, null)
  for (const text of [...server.log, (await server.get('/metrics')).text]) for (const part of [secret, ...record, cookie]) t.notOk(text.includes(part))
  t.match(server.log.join(''), 'account kitchen is stored')
  t.same(complaints, [])
})

t.test('the main channel too, by keyboard alone; a name is written small, and a wrong one is said before the scan', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, says, polled, folder } = await visit(t, '/login')
  await polled()
  const focused = async (): Promise<unknown> => await page.evaluate('document.activeElement.id')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await says('Open QQ on your phone')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'name')
  t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  await page.keyboard.type('-x')
  await says('must have 1 to 32 lower-case letters')
  await page.keyboard.press('Control+A')
  const asked = page.waitForRequest((request) => request.url().endsWith('/login/account') && request.postDataJSON().name === 'living-room')
  await page.keyboard.type('Living Room')
  await asked
  demo.login.confirm(demo.login.ids('main').at(-1) ?? '', 'ordinary')
  await stored(page)
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'secret')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'copy-secret')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'another')
  t.equal(onDisk(folder, 'living-room').loginUin, 'o1000000101')
  await page.keyboard.press('Enter')
  await says('Open QQ on your phone')
  t.equal(await page.locator('#secret').inputValue(), '')
  t.same(complaints, [])
})

t.test('an account that exists keeps its secret, which is not shown; its name is not given to somebody else', { skip: withoutBrowser }, async (t) => {
  const { demo, page, accounts, heard, says, named } = await visit(t, '/login')
  const secret = await accounts.save('kitchen', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') }) ?? ''
  await accounts.save('hall', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') })
  demo.login.confirm(await named('kitchen'), 'child')
  await says('another account of the provider is stored under this name')
  t.equal(accounts.get('kitchen')?.uin, memberUin)

  await page.getByRole('button', { name: 'New code' }).click()
  await says('scan the code')
  const uuid = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid, 'member')
  await stored(page)
  t.equal(await page.getByLabel('Secret of this account').isVisible(), false)
  await page.getByText('Its secret and its keys stay the same').waitFor()
  await page.getByText('also stored as hall').waitFor()
  t.equal(accounts.secretOf('kitchen'), secret)
  t.notOk(heard.join('\n').includes(secret))
})

t.test('without a name the page shows the cookie, as before, and nothing is stored', { skip: withoutBrowser }, async (t) => {
  const { demo, page, folder, polled, complaints } = await visit(t, '/login')
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('heading', { name: 'Logged in', exact: true }).waitFor()
  t.match(await page.getByLabel('Cookie').inputValue(), memberUin)
  t.same(readdirSync(folder), [])
  t.same(complaints, [])
})

t.test('it fits from 320 px on', { skip: withoutBrowser }, async (t) => {
  const { demo, page, named } = await visit(t, '/login?return=/', { look: { viewport: { width: 320, height: 740 } } })
  const wide = async (): Promise<unknown> => await page.evaluate('document.documentElement.scrollWidth')
  demo.login.confirm(await named('a-name-that-has-32-characters-xx'), 'member')
  await stored(page)
  t.equal(await wide(), 320)
})

/** Asks for the page /login over a socket. Returns whether it offers to store the login. */
async function offers ({ address }: Pick<Server, 'address'>, headers: readonly string[], { host = '127.0.0.1', version = '1.1' } = {}): Promise<boolean> {
  const { answers } = await exchange(address, `${[`GET /login HTTP/${version}`, `Host: ${host}`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  if (answers[0]?.status !== 200) throw new Error(`the page answers ${answers[0]?.status}`)
  return answers[0].text.includes('id="name"')
}

/** Posts to the route over a socket. */
async function posted ({ address }: Pick<Server, 'address'>, body: string, headers: readonly string[] = [], { host = '127.0.0.1', version = '1.1', type = 'application/json' } = {}): Promise<RawAnswer> {
  const { answers } = await exchange(address, `${[`POST /login/account HTTP/${version}`, `Host: ${host}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  return answers[0] as RawAnswer
}

const codeOf = ({ status, text }: RawAnswer): string => `${status} ${(JSON.parse(text) as { code?: string }).code ?? ''}`
const token = 'open-sesame'

t.test('only the operator is offered to store a login, and only the operator can', async (t) => {
  const demo = await demoFor(t)
  const { accounts, folder, options } = await householdOf(t, demo)
  const secret = await accounts.save('child', { loginUin: '1', cookie: cookieOf(demo, 'child') }) ?? ''
  const key = await accounts.addKey('child', 'app', {})
  const server = await pagesFor(t, demo, { ...options, allowedHosts: ['relay.test', 'music.example'], corsOrigins: ['http://listed.example'] })
  // A confirmed code: whoever gets through has a login stored.
  const attempt = async (to: Server, headers: readonly string[], more: Parameters<typeof posted>[3] = {}): Promise<string> => {
    const uuid = waitingCode(demo)
    demo.login.confirm(uuid, 'member')
    return codeOf(await posted(to, JSON.stringify({ name: 'stolen', uuid }), headers, more))
  }
  for (const host of ['127.0.0.1', 'localhost:3200', 'LOCALHOST', '[::1]', '127.1.2.3']) t.ok(await offers(server, [], { host }), host)

  const others: [string, readonly string[], Parameters<typeof posted>[3]?][] = [
    ['a name that resolves to this machine', [], { host: 'relay.test' }],
    ['an old proxy', [], { version: '1.0' }],
    ['an account', [`Authorization: Bearer ${secret}`]],
    ['a key, as the password of Basic', [`Authorization: Basic ${btoa(`any:${key}`)}`]],
    ...['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-For: ', 'x-forwarded-host: localhost', 'X-Forwarded-Proto: http', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1', 'Via: 1.1 proxy', 'CF-Connecting-IP: 127.0.0.1', 'True-Client-IP: ::1'].map((header): [string, string[]] => [header, [header]]),
    ['a page on another name, through a proxy that says nothing', ['Origin: https://music.example', 'Sec-Fetch-Site: same-origin']],
    ['a page on this machine with TLS in front', ['Origin: https://127.0.0.1', 'Sec-Fetch-Site: same-origin']]
  ]
  for (const [who, headers, more] of others) {
    t.notOk(await offers(server, headers, more), who)
    t.equal(await attempt(server, headers, more), '401 TOKEN_REQUIRED', who)
  }
  for (const headers of [['Origin: http://evil.example'], ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-site'], ['Origin: null'], ['Origin: http://listed.example', 'Sec-Fetch-Site: cross-site'], ['Origin: http://listed.example'], ['Origin: http://127.0.0.1:1']]) {
    t.equal(await attempt(server, headers), '403 CROSS_SITE', headers.join())
  }
  const behind = await pagesFor(t, demo, { ...options, trustProxy: ['127.0.0.1'] })
  t.notOk(await offers(behind, []), 'where a proxy is known, everybody may come through it')
  t.equal(await attempt(behind, []), '401 TOKEN_REQUIRED')

  const locked = await pagesFor(t, demo, { ...options, accessToken: token, allowedHosts: ['music.example'] })
  for (const headers of [[], ['Authorization: Bearer another'], [`Authorization: Bearer ${secret}`]]) t.equal(await attempt(locked, headers), '401 TOKEN_REQUIRED', 'being here is not enough with a token')
  t.notOk(await offers(locked, [`Authorization: Bearer ${secret}`]), 'who asks as an account is not the operator')
  t.equal(await attempt(locked, [`Authorization: Bearer ${token}`, 'Origin: http://evil.example', 'Sec-Fetch-Site: cross-site']), '403 CROSS_SITE')
  t.same(readdirSync(join(folder, 'accounts')), ['child.json'], 'nothing was stored')

  for (const authorization of [`Bearer ${token}`, `Basic ${btoa(`me:${token}`)}`]) t.ok(await offers(locked, [`Authorization: ${authorization}`, 'X-Forwarded-For: 203.0.113.9'], { host: 'music.example' }))
  t.equal(await attempt(locked, [`Authorization: Bearer ${token}`, 'X-Forwarded-For: 203.0.113.9', 'Origin: http://music.example', 'Sec-Fetch-Site: same-origin'], { host: 'music.example' }), '200 ')
  t.equal(await attempt(server, []), '200 ', 'a program on this machine')
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
  for (const answer of [await off.get('/login/account'), await off.post('/login/account', {})]) t.equal(answer.status, 404)
})

t.test('whatever is sent, no file is written but that of a login, and no answer repeats what came', async (t) => {
  const demo = await demoFor(t)
  const { folder, options } = await householdOf(t, demo)
  const server = await pagesFor(t, demo, options)
  const uuid = waitingCode(demo)
  demo.login.confirm(uuid, 'member')
  const names: unknown[] = ['../escape', '..', '.', '', 'Kitchen', '-x', 'a/b', 'a\\b', 'a.json', 'x'.repeat(33), 'kitchen\n', 'küche', '厨房', 'default', '__proto__', 7, null, true, [], ['kitchen'], {}, '\u0000', 'a b', '<b>']
  for (const name of names) {
    const answer = await posted(server, JSON.stringify({ name, uuid }))
    t.equal(codeOf(answer), '400 INVALID_INPUT', JSON.stringify(name))
    t.match(answer.text, /"error":"name: /)
    t.equal(answer.headers.get('cache-control'), 'no-store')
    if (typeof name === 'string' && name.length > 5 && name !== 'default') t.notOk(answer.text.includes(name))
  }
  for (const rest of [{}, { uuid, qrsig: 'x' }, { uuid: '../x' }, { qrsig: 'a b' }, { uuid: [uuid] }, { uuid: null }]) t.equal(codeOf(await posted(server, JSON.stringify({ name: 'kitchen', ...rest }))), '400 INVALID_INPUT', JSON.stringify(rest))
  for (const [body, type, code] of [['{"name":', 'application/json', '400 INVALID_JSON'], ['[]', 'application/json', '400 INVALID_INPUT'], ['null', 'application/json', '400 INVALID_INPUT'], [`{"__proto__":{"name":"kitchen"},"uuid":"${uuid}"}`, 'application/json', '400 INVALID_JSON'], [`{"name":"kitchen","uuid":"${uuid}"}`, 'text/plain', '415 UNSUPPORTED_TYPE'], [`name=kitchen&uuid=${uuid}`, 'application/x-www-form-urlencoded', '415 UNSUPPORTED_TYPE']] as const) {
    t.equal(codeOf(await posted(server, body, [], { type })), code, body)
  }
  t.equal(codeOf(await posted(server, JSON.stringify({ name: 'kitchen', uuid, more: 'x'.repeat(300_000) }))), '413 BODY_TOO_LARGE')
  t.match(JSON.parse((await posted(server, JSON.stringify({ name: 'kitchen', uuid: 'nobody-knows-it' }))).text), { isOk: false, refresh: true }, 'a code that nobody knows has expired')
  t.same(readdirSync(folder), [])
  const answer = JSON.parse((await posted(server, JSON.stringify({ name: 'kitchen', uuid }))).text)
  t.match(answer, { isOk: true, account: { name: 'kitchen', nickname: '演示会员', state: 'ok', expiresAt: Number, secret: /^mr_/, others: [] } })
  t.same(Object.keys(answer).sort(), ['account', 'isOk', 'message'])
  t.same(Object.keys(answer.account).sort(), ['expiresAt', 'name', 'nickname', 'others', 'secret', 'state'])
  t.same(readdirSync(join(folder, 'accounts')), ['kitchen.json'])
})

t.test('a folder that cannot be written to is said before the scan is used up', async (t) => {
  const demo = await demoFor(t)
  const { folder, options } = await householdOf(t, demo)
  const server = await pagesFor(t, demo, options)
  writeFileSync(join(folder, 'accounts'), '')
  const uuid = waitingCode(demo)
  demo.login.confirm(uuid, 'member')
  const answer = await posted(server, JSON.stringify({ name: 'kitchen', uuid }))
  t.equal(codeOf(answer), '500 INTERNAL')
  t.match(answer.text, 'cannot write to the folder of its accounts')
  t.notOk(answer.text.includes(folder))
  t.equal((await server.post('/checkAltLoginQr', { uuid })).body.isOk, true, 'the code still works')
})

t.test('the account in use is shown to who asks as it, and the global one to the operator', async (t) => {
  const demo = await demoFor(t)
  const { accounts, folder, options } = await householdOf(t, demo)
  const secret = await accounts.save('kitchen', { loginUin: '1', cookie: cookieOf(demo, 'member'), nickname: 'Anna' }) ?? ''
  const [full, guest] = [await accounts.addKey('kitchen', 'phone', {}), await accounts.addKey('kitchen', 'guest', { noLoginEndpoints: true })]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'user-info.json'), JSON.stringify({ loginUin: '1000000101', cookie: cookieOf(demo, 'ordinary') }))
  await accounts.tick()
  const server = await pagesFor(t, demo, { ...options, useGlobalCookie: true, globalCookie: () => accounts.cookieOf('default') })
  const seen = async (headers: Record<string, string> = {}): Promise<unknown> => {
    const { status, body, headers: got } = await server.get('/login/account', { headers })
    t.equal(got.get('cache-control'), 'no-store')
    return status === 200 ? body.account?.name ?? null : `${status} ${body.code}`
  }
  const basic = `Basic ${btoa(`any:${secret}`)}`
  t.match((await server.get('/login/account', bearer(secret))).body, { account: { name: 'kitchen', nickname: 'Anna', state: 'ok', expiresAt: Number } })
  t.equal(await seen({ authorization: `Bearer ${full}` }), 'kitchen')
  t.equal(await seen({ authorization: basic }), 'kitchen')
  t.equal(await seen({ authorization: `Bearer ${guest}` }), null, 'a guest learns nothing of the person')
  t.equal(await seen(), 'default')
  t.equal(await seen({ 'x-forwarded-for': '203.0.113.1' }), null)
  t.equal(await seen({ 'x-custom-cookie': cookieOf(demo, 'child') }), null, 'another login is in use')
  t.equal(await seen({ 'authorization': basic, 'sec-fetch-site': 'cross-site' }), '403 CROSS_SITE')
  t.equal(await seen({ 'authorization': basic, 'origin': 'http://evil.example' }), '403 CROSS_SITE')
  t.equal(await seen({ authorization: 'Bearer mr_unknown' }), '401 TOKEN_REQUIRED')
})

t.test('an account whose cookie is no login or has expired says so', async (t) => {
  const demo = await demoFor(t)
  const { accounts, options } = await householdOf(t, demo)
  const server = await pagesFor(t, demo, options)
  const cookie = cookieOf(demo, 'member')
  const renewal = { loginType: 2, musicId: '1', musicKey: 'x', keyCreatedAt: 1_600_000_000, keyExpiresIn: 259_200 } as const
  for (const [name, login, state] of [['good', { cookie }, 'ok'], ['none', { cookie: 'a=b' }, 'log in again'], ['old', { cookie: 'uin=1; provider_keyst=x', renewal }, 'log in again']] as const) {
    const secret = await accounts.save(name, { loginUin: '1', ...login }) ?? ''
    t.match((await server.get('/login/account', bearer(secret))).body, { account: { name, state } })
  }
})

t.test('the way back never leads to another origin', async (t) => {
  const file = new URL('../../public/shared/wayBack.js', import.meta.url).href
  const { returnAddress } = await import(file) as { returnAddress: (text: string | null, origin: string) => string | undefined }
  const origin = 'http://relay.test:3200'
  const piece = fc.constantFrom('/', '//', '\\', '/\\', '.', '..', '@', ':', 'http:', 'https:', 'javascript:', 'data:', 'evil.example', 'relay.test', '\t', '\n', '\r', '\u0000', ' ', '%2f', '%5c', '?', '#', 'a', '＠', '／', '\u2028', '[', ']')
  fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.array(piece, { maxLength: 8 }).map((all) => all.join('')), fc.array(piece, { maxLength: 8 }).map((all) => `/${all.join('')}`)), (text) => {
    const address = returnAddress(text, origin)
    return address === undefined || (new URL(address, 'http://elsewhere.example').origin === origin && address.startsWith(`${origin}/`))
  }), { numRuns: 5000 })
  for (const text of [null, '', 'x', 'login', '//evil.example', '/\\evil.example', '/\t/evil.example', '\\/evil.example', 'https://evil.example/', 'javascript:alert(1)', ' /', '/ x', '/x\n', 'http://relay.test:3200/', `/${'\u00e9'}`]) t.equal(returnAddress(text, origin), undefined, String(text))
  for (const text of ['/', '/#song=00DemoSong0001', '/music/?q=a%20b#song=x', '/.//evil.example', '/x@evil.example', '/?http://evil.example']) t.ok(returnAddress(text, origin)?.startsWith(`${origin}/`), text)
})

t.test('a link with a hostile way back shows none', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, polled, complaints } = await visit(t, '/login')
  const { origin } = new URL(page.url())
  for (const text of ['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    await page.goto(`${origin}/login?${new URLSearchParams({ return: text })}`)
    demo.login.confirm(await polled(), 'member')
    await page.getByRole('heading', { name: 'Logged in', exact: true }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Go back' }).count(), 0, text)
    await page.getByRole('button', { name: 'Forget it' }).click()
    await says('scan the code')
  }
  t.same(complaints, [])
})

t.test('the login leads back to the view from which it was opened', { skip: withoutBrowser }, async (t) => {
  const { demo, page, polled, complaints } = await visit(t, '/', { media: true })
  await page.getByRole('button', { name: /Soaring/ }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Log in' }).click()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await page.getByText('the login of this page').waitFor()
  t.equal(new URL(page.url()).hash, '#chart=62')
  t.same(complaints, [])
})

/** Opens the front page and chooses a song that needs a login. Returns its visit, on the login page. */
async function fromTheSong (t: Test, options: AppOptions = {}): Promise<KeepVisit> {
  const visited = await visit(t, '/', { options, media: true })
  const { page, says } = visited
  await page.getByText('not logged in').waitFor()
  await page.getByRole('searchbox').fill('Velvet Toll')
  await page.keyboard.press('Enter')
  await says('for “Velvet Toll”')
  await page.locator('#list').getByRole('button', { name: 'Velvet Toll' }).first().click()
  await says('cannot be played')
  await page.locator('#refusal').getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Log in with your phone' }).waitFor()
  return visited
}

t.test('a listener logs in from the player, keeps the login, and is back at the song, which plays', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, says, named, folder, server } = await fromTheSong(t)
  demo.login.confirm(await named('kitchen'), 'member')
  await stored(page)
  const secret = await secretOn(page)
  await page.getByRole('link', { name: 'Go back' }).click()
  await says('Playing Velvet Toll')
  await page.locator('#account').filter({ hasText: /kitchen\s*演示会员 · subscription until .* · lasts until/ }).waitFor()
  t.match(new URL(page.url()).hash, /^#search=Velvet\+Toll&song=\w+$/)
  await page.getByRole('heading', { name: 'Results for “Velvet Toll”' }).waitFor()
  t.notMatch(page.url(), 'mr_')
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /mr_|vkey|http/)
  t.equal(onDisk(folder, 'kitchen').secret, secret)
  await page.reload()
  await says('cannot be played')
  // The login was for this visit.
  await page.locator('#account').filter({ hasText: 'not logged in' }).waitFor()
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie, or secret').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByText(/lasts until/).waitFor()
  for (const line of server.log) t.notOk(line.includes(secret))
  t.same(complaints, [])
})

t.test('a listener who stores nothing is back at the song with the cookie', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, polled, folder } = await fromTheSong(t)
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await says('Playing Velvet Toll')
  await page.getByText('the login of this page').waitFor()
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.same(readdirSync(folder), [])
})

/** Starts the demo command in an empty folder. Returns its address. */
async function demoCommand (t: Test, env: Record<string, string>): Promise<string> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  // Absolute paths: the folder `config` of the repository must not be its settings.
  const line = commandLine.map((part) => part === 'tsx' ? import.meta.resolve(part) : part.includes('/') ? resolve(root, part) : part)
  const child = spawn(process.execPath, [...line, 'demo', '--json'], { cwd: folderFor(t), env: { PATH: process.env['PATH'], PORT: '0', SHED_DELAY_MS: '0', ...env } })
  t.teardown(() => { child.kill('SIGKILL') })
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data') as [string]
  child.stdout.resume()
  return (JSON.parse(text.split('\n', 1)[0] ?? '') as { address: string }).address
}

t.test('the command offers it; the demo only in a folder that somebody chose', async (t) => {
  const folder = folderFor(t)
  const address = await demoCommand(t, { CONFIG_DIR: folder })
  t.ok(await offers({ address }, []))
  const json = async (path: string, init: RequestInit = {}): Promise<any> => await (await fetch(`${address}${path}`, init)).json()
  const { uuid } = await json('/getAltLoginQr')
  await fetch(`${address}/scan/alt/${uuid}`, { method: 'POST', body: new URLSearchParams({ account: 'member' }) })
  const { account } = await json('/login/account', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'kitchen', uuid }) })
  t.match(account, { name: 'kitchen', secret: /^mr_/ })
  t.equal(onDisk(folder, 'kitchen').secret, account.secret)
  t.equal((await json('/user/getUserLikedSongs', bearer(account.secret))).body.response.total, 140)
  t.match((await json('/login/account', bearer(account.secret))).account, { name: 'kitchen' })
  t.notOk(await offers({ address: await demoCommand(t, {}) }, []))
})

const outer = Object.values(networkInterfaces()).flat().find((each) => each?.internal === false && each.family === 'IPv4')?.address

t.test('another machine is not the operator, whatever host it names', { skip: outer === undefined ? 'this machine has no network' : false }, async (t) => {
  const { port } = new URL(await demoCommand(t, { CONFIG_DIR: folderFor(t), HOST: '0.0.0.0' }))
  t.ok(await offers({ address: `http://127.0.0.1:${port}` }, [], { host: 'localhost' }))
  const address = `http://${outer}:${port}`
  t.notOk(await offers({ address }, [], { host: 'localhost' }))
  t.equal(codeOf(await posted({ address }, '{}', [], { host: '127.0.0.1' })), '401 TOKEN_REQUIRED')
})
