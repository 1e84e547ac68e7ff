/** Browser sessions: what the file holds, how long one lasts, who ends it, and for whom it counts. */
import { readFileSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSessions, type SessionsOptions, type StoredSessions } from '../../src/accounts/sessions.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { cookieOf, demoFor, serverFor } from '../support/helper.ts'
import { bearer, codeOf, householdOf, posted } from '../support/loginPages.ts'
import { keepsFiles, withoutFiles } from '../support/noFiles.ts'

const day = 86_400_000
const sealing = 'a secret of the operator'

interface Scene {
  readonly sessions: StoredSessions
  readonly folder: string
  readonly clock: { now: number }
  readonly secrets: Map<string, string>
  readonly log: string[]
  another (more?: Partial<SessionsOptions>): Promise<StoredSessions>
}

async function scene (t: Test, secret = ''): Promise<Scene> {
  const folder = folderFor(t)
  const clock = { now: Date.now() }
  const secrets = new Map([['kitchen', 'mr_kitchen'], ['hall', 'mr_hall']])
  const log: string[] = []
  const another = async (more: Partial<SessionsOptions> = {}): Promise<StoredSessions> => {
    const sessions = await openSessions({
      folder, secret, accounts: { secretOf: (name) => secrets.get(name) }, now: () => clock.now,
      log: { error: (line: string) => { log.push(line) } } as never, ...more
    })
    t.teardown(() => { sessions.close() })
    return sessions
  }
  return { sessions: await another(), folder, clock, secrets, log, another }
}

t.test('a session is 256 random bits; the file holds no text that opens one, and none without the secret that seals it', async (t) => {
  for (const secret of ['', sealing]) {
    const { sessions, folder, another, log } = await scene(t, secret)
    const text = await sessions.begin({ account: 'kitchen', operator: true })
    t.match(text, /^[\w-]{43}$/)
    const file = readFileSync(join(folder, 'sessions.json'), 'utf8')
    t.notOk(file.includes(text) || file.includes('mr_kitchen'))
    t.equal(file.includes('kitchen'), secret === '')
    t.match((await another()).find(text), { account: 'kitchen', operator: true })
    for (const [, hash = ''] of file.matchAll(/"hash": "([\w-]+)"/g)) t.equal(sessions.find(hash), undefined)
    if (secret === '') continue
    for (const wrong of ['', 'another secret of somebody']) {
      const stolen = await another({ secret: wrong })
      t.equal(stolen.find(text), undefined)
      await t.rejects(stolen.begin({ operator: true }), { name: 'ConfigError', message: /ACCOUNTS_SECRET/ }, 'and it is not overwritten')
    }
    t.match(log.join(), /sessions\.json: encrypted with another ACCOUNTS_SECRET/)
    t.ok((await another()).find(text))
  }
})

t.test('a session ends by log out, after sixty days without use, by the operator, and with the login that it is bound to', async (t) => {
  const { sessions, clock, secrets, another } = await scene(t)
  const begin = async (account: string): Promise<string> => await sessions.begin({ account })
  const [left, unused, used, revoked, other] =
    [await begin('kitchen'), await begin('hall'), await begin('kitchen'), await begin('kitchen'), await begin('hall')]
  await sessions.end(left)
  t.equal(sessions.find(left), undefined)
  clock.now += 59 * day
  t.ok(sessions.find(used))
  t.ok(sessions.find(other))
  clock.now += 2 * day
  t.equal(sessions.find(unused), undefined)
  t.ok(sessions.find(used), 'a use prolongs it')
  const again = await begin('kitchen')
  const { id } = sessions.find(again) as { id: string }
  const command = await another()
  t.equal(await command.revoke(id), 1)
  await sessions.refresh()
  t.same([sessions.find(again), sessions.find(revoked)], [undefined, undefined], 'a command ends it for the relay')
  secrets.set('kitchen', 'mr_new')
  t.equal(sessions.find(used), undefined, 'a new secret, or another account of this name')
  secrets.delete('hall')
  t.equal(sessions.find(other), undefined)
  t.equal(sessions.list().length, 0)
})

t.test('while the process can open no file, no browser is logged out', { skip: keepsFiles }, async (t) => {
  const { sessions, another, log } = await scene(t)
  const first = await sessions.begin({ account: 'kitchen' })
  const second = await (await another()).begin({ account: 'hall' })
  await withoutFiles(async () => { await sessions.refresh() })
  t.match([sessions.find(first)?.account, log], ['kitchen', []])
  await sessions.refresh()
  t.same([first, second].map((text) => sessions.find(text)?.account), ['kitchen', 'hall'])
})

t.test('a session that begins while the file is looked at counts at once', async (t) => {
  const { sessions } = await scene(t)
  const begin = async (): Promise<string> => await sessions.begin({ account: 'kitchen', client: 'a' })
  await begin() // so that the look finds a file that is not the one it knows
  const { readFile } = fs
  const replace = (by: typeof readFile): void => {
    fs.readFile = by
    syncBuiltinESMExports()
  }
  let hasRead = (): void => {}
  let letGo = (): void => {}
  const read = new Promise<void>((resolve) => { hasRead = resolve })
  const held = new Promise<void>((resolve) => { letGo = resolve })
  replace((async (...given: Parameters<typeof readFile>) => {
    replace(readFile)
    const text = await readFile(...given)
    hasRead()
    await held
    return text
  }) as typeof readFile)
  const look = sessions.refresh()
  await read
  const text = await begin()
  letGo()
  await look
  t.match(sessions.find(text), { account: 'kitchen' })
})

t.test('while the process can open no file, who would stay logged in is told to come back, and not that a folder is wrong', { skip: keepsFiles }, async (t) => {
  const demo = await demoFor(t)
  const { accounts, options } = await householdOf(t, demo)
  const secret = await accounts.save('kitchen', { loginUin: '1', cookie: cookieOf(demo, 'member') }) ?? ''
  const server = await serverFor(t, demo, { pages: true, ...options } as object)
  const headers = { 'sec-fetch-site': 'same-origin', 'authorization': `Bearer ${secret}` }
  await withoutFiles(async () => {
    t.match(await server.post('/login/session', {}, { headers }), { status: 503, body: { code: 'OVERLOADED' } })
  })
  t.equal((await server.post('/login/session', {}, { headers })).status, 200)
})

t.test('a use is written once a day', async (t) => {
  const { sessions, clock } = await scene(t)
  const text = await sessions.begin({ account: 'kitchen' })
  const usedAt = (): number => Number(sessions.find(text) && sessions.list()[0]?.usedAt)
  const begun = usedAt()
  clock.now += day - 1000
  t.equal(usedAt(), begun)
  clock.now += 1000
  t.equal(usedAt(), begun + day / 1000)
})

t.test('a browser has several accounts, acts as one, and gets another text whenever it may do more', async (t) => {
  const { sessions, secrets } = await scene(t)
  const first = await sessions.begin({ account: 'kitchen' })
  const { id } = sessions.find(first) as { id: string }
  const second = await sessions.begin({ account: 'hall', replaces: first })
  const operator = await sessions.begin({ operator: true, replaces: second })
  t.same([sessions.find(first), sessions.find(second)], [undefined, undefined])
  t.match(sessions.find(operator), { id, account: 'hall', others: ['kitchen'], operator: true })
  const back = await sessions.begin({ account: 'kitchen', replaces: operator })
  t.match(sessions.find(back), { account: 'kitchen', others: ['hall'], operator: true })
  await sessions.end(back, 'kitchen')
  t.match(
    sessions.find(back), { account: undefined, others: ['hall'], operator: true }, 'no other account takes its place'
  )
  secrets.set('hall', 'mr_new')
  t.match(sessions.find(back), { account: undefined, others: [], operator: true })
  const [plain] = [await sessions.begin({ account: 'kitchen' })]
  await sessions.end(plain, 'kitchen')
  t.equal(sessions.find(plain), undefined)
  let text = await sessions.begin({ account: 'kitchen' })
  for (let at = 0; at < 12; at++) {
    secrets.set(`room-${at}`, `mr_${at}`)
    text = await sessions.begin({ account: `room-${at}`, replaces: text })
  }
  t.match(sessions.find(text), { account: 'room-11', others: { length: 9 } })
})

t.test('a client has a share, and all have a bound', async (t) => {
  const { sessions, folder } = await scene(t)
  const texts: string[] = []
  for (let at = 0; at < 21; at++) texts.push(await sessions.begin({ account: 'hall', client: 'a' }))
  t.same(texts.map((text) => sessions.find(text) !== undefined), [
    false, ...Array.from({ length: 20 }, () => true)
  ], 'its oldest one gives way')
  const file = join(folder, 'sessions.json')
  const content = JSON.parse(readFileSync(file, 'utf8')) as { sessions: object[] }
  content.sessions.push(
    ...Array.from({ length: 980 }, (_, at) => ({ ...content.sessions[0], hash: `of another browser ${at}` }))
  )
  writeFileSync(file, JSON.stringify(content))
  await t.rejects(sessions.begin({ account: 'hall', client: 'b' }), { code: 'OVERLOADED' })
  await sessions.begin({ account: 'kitchen', replaces: texts[20] })
})

t.test('the first access token ends the operator\'s sessions, and says what exists from before', async (t) => {
  const { sessions, another, secrets } = await scene(t)
  t.equal(await sessions.tokenSet(true), undefined, 'nothing was stored')
  t.equal(await sessions.tokenSet(false), undefined)
  const [operator, listener] = [await sessions.begin({ operator: true }), await sessions.begin({ account: 'kitchen' })]
  for (const name of ['kitchen', 'hall']) await sessions.stored(name, { through: 'page', by: 'browser 1' })
  await sessions.begin({ account: 'hall' })
  secrets.delete('hall')
  const next = await another()
  const { sessions: count, stored } = await next.tokenSet(true) ?? {}
  t.match([count, stored], [2, { kitchen: { at: Number, through: 'page', by: 'browser 1' } }])
  t.same(Object.keys(stored ?? {}), ['kitchen'], 'an account that was removed is not named')
  t.same([next.find(operator), next.find(listener)?.account], [undefined, 'kitchen'])
  t.equal(await (await another()).tokenSet(true), undefined, 'once')
})

t.test('a session counts for the relay\'s own pages, never for players, widgets and other pages, and changes something only for a page', async (t) => {
  const demo = await demoFor(t)
  const { accounts, options } = await householdOf(t, demo)
  const secret = await accounts.save('kitchen', { loginUin: '1', cookie: cookieOf(demo, 'member') }) ?? ''
  const key = await accounts.addKey('kitchen', 'app', {})
  const server = await serverFor(t, demo, {
    pages: true, meting: true, accessToken: 'open-sesame', corsOrigins: ['http://listed.example'], ...options
  } as object)
  const own = ['Sec-Fetch-Site: same-origin']
  const begin = async (headers: readonly string[]): Promise<
    ReturnType<typeof posted> extends Promise<infer A> ? A : never
  > => await posted(server, '{}', headers, { path: '/login/session' })
  for (const [headers, code] of [
    [[...own, `Authorization: Bearer ${key}`], '401 TOKEN_REQUIRED'], [[...own, 'Authorization: Bearer wrong-one'], '401 TOKEN_REQUIRED'], [[`Authorization: Bearer ${secret}`], '403 CROSS_SITE'], [[...own, 'Authorization: Bearer open-sesame'], '401 TOKEN_REQUIRED'],
    [['Origin: http://listed.example', `Authorization: Bearer ${secret}`], '403 CROSS_SITE']
  ] as const) {
    t.equal(codeOf(await begin(headers)), code)
  }
  const [, cookie = ''] = /^(music_relay_session=[\w-]{43}); Path=\/; Max-Age=5184000; HttpOnly; SameSite=Lax$/.exec((await begin([...own, `Authorization: Bearer ${secret}`])).headers.get('set-cookie') ?? '') ?? []
  const liked = '/user/getUserLikedSongs?limit=1'
  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await server.get(path, { headers: { cookie, ...headers } })).status
  const site = (value: string): Record<string, string> => ({ 'sec-fetch-site': value })
  t.match((await server.get(liked, { headers: { cookie, ...site('same-origin') } })).body, {
    body: { response: { total: 140 } }
  })
  t.match((await server.get('/login/session', { headers: { cookie, ...site('same-origin') } })).body, {
    account: { name: 'kitchen', state: 'ok' }, others: [], endsAt: Number, operator: false, storesLogins: false
  })
  t.equal((await server.get(
    liked, { headers: { cookie, ...site('same-origin') } }
  )).headers.get('cache-control')?.includes('public') ?? false, false)
  for (const headers of [
    site('cross-site'), site('same-site'), { origin: 'http://evil.example' },
    { origin: 'http://listed.example', ...site('cross-site') }
  ]) t.equal(await status(liked, headers), 401, JSON.stringify(headers))
  t.equal(
    (await server.get('/rest/ping?f=json', { headers: { cookie, ...site('same-origin') } })).body['subsonic-response'].status, 'failed'
  )
  t.equal(
    (await server.get('/login/account', { headers: { cookie: `${cookie}x`, ...site('same-origin') } })).status, 401
  )
  for (const path of ['/login/session/end', '/login/operator']) {
    t.equal(codeOf(await posted(server, '{"code":"x"}', [`Cookie: ${cookie}`], { path })), '403 CROSS_SITE', path)
  }
  const ended = await posted(server, '{}', [`Cookie: ${cookie}`, ...own], { path: '/login/session/end' })
  t.match(ended.headers.get('set-cookie'), /^music_relay_session=; Path=\/; Max-Age=0; /)
  t.equal(await status(liked, site('same-origin')), 401)
  t.equal((await server.get(liked, bearer(secret))).status, 200)
})

t.test('a page learns who is logged in, changes between the accounts of its browser, and logs one or all of them out', async (t) => {
  const demo = await demoFor(t)
  const { accounts, options } = await householdOf(t, demo)
  const secrets = new Map<string, string>()
  for (const [name, uin] of [['kitchen', 'member'], ['hall', 'child']] as const) secrets.set(
    name, await accounts.save(name, { loginUin: name === 'hall' ? '2' : '1', cookie: cookieOf(demo, uin) }) ?? ''
  )
  const server = await serverFor(t, demo, { pages: true, accessToken: 'open-sesame', ...options } as object)
  let cookie = ''
  const post = async (path: string, body: object, ...more: string[]): Promise<any> => {
    const answer = await posted(
      server, JSON.stringify(body), ['Sec-Fetch-Site: same-origin', `Cookie: ${cookie}`, ...more], { path }
    )
    cookie = /^(music_relay_session=[\w-]*);/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? cookie
    return { status: answer.status, ...JSON.parse(answer.text) }
  }
  const shown = async (more: Record<string, string> = {}): Promise<any> =>
    (await server.get('/login/session', { headers: { cookie, 'sec-fetch-site': 'same-origin', ...more } })).body
  const basic = { authorization: `Basic ${Buffer.from(':open-sesame').toString('base64')}` }
  t.same(await shown(basic), { account: null, others: [], operator: true, storesLogins: true })
  t.match(await post('/login/session', {}, `Authorization: Bearer ${secrets.get('kitchen')}`), {
    status: 200, account: { name: 'kitchen' }, others: [], operator: false
  })
  t.match(await post('/login/session', {}, `Authorization: Bearer ${secrets.get('hall')}`), {
    status: 200, account: { name: 'hall' }, others: [{ name: 'kitchen' }], endsAt: Number
  })
  t.match(await post('/login/session', {}), { status: 401, code: 'TOKEN_REQUIRED' }, 'its own cookie is not the secret')
  t.match(await post('/login/session', { account: 'garden' }), { status: 400, code: 'INVALID_INPUT', error: /^account: / })
  t.match(await post('/login/session', { account: 'kitchen' }), {
    status: 200, account: { name: 'kitchen' }, others: [{ name: 'hall' }]
  })
  t.match(await shown(basic), {
    account: { name: 'kitchen' }, operator: true, storesLogins: true
  }, 'a browser to which the token was typed sends both')
  t.match((await server.get(
    '/user/getUserLikedSongs?limit=1', { headers: { cookie, 'sec-fetch-site': 'same-origin', ...basic } }
  )).body, { body: { response: { total: 140 } } })
  t.equal((await server.get('/user/getUserLikedSongs?limit=1', {
    headers: { cookie, 'sec-fetch-site': 'same-origin', authorization: 'Bearer mr_wrong' }
  })).status, 401)
  t.match(await post('/login/session/end', { account: 'kitchen' }), {
    status: 200, account: null, others: [{ name: 'hall' }], endsAt: Number
  })
  t.match(await post('/login/session/end', {}), { status: 200, account: null, others: [], operator: false })
  t.equal(cookie, 'music_relay_session=')
  t.equal((await server.get('/login/session', { headers: { cookie } })).status, 401)
})

t.test('a page of another port gets no use of a session, is told why, and leaves no answer in the browser for the relay\'s own pages', async (t) => {
  const demo = await demoFor(t)
  const { accounts, options } = await householdOf(t, demo)
  const secret = await accounts.save('kitchen', { loginUin: '1', cookie: cookieOf(demo, 'member') }) ?? ''
  const server = await serverFor(t, demo, { pages: true, cache: true, fallbackMode: false, ...options } as object)
  const begun = await posted(server, '{}', ['Sec-Fetch-Site: same-origin', `Authorization: Bearer ${secret}`], { path: '/login/session' })
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';')
  const ask = async (path: string, site: string, more: Record<string, string> = { cookie }) =>
    await server.get(path, { headers: { ...more, 'sec-fetch-site': site } })
  const liked = '/user/getUserLikedSongs?limit=1'
  t.equal((await ask(liked, 'same-origin')).status, 200)
  t.match(await ask(liked, 'same-site'), { status: 403, body: { code: 'CROSS_SITE' } })
  t.match(await ask(liked, 'same-site', { cookie: `music_relay_session=${'x'.repeat(43)}` }), { status: 403, body: { code: 'CROSS_SITE' } }, 'nor does it learn whether a session lives')
  t.match(await ask(liked, 'same-site', {}), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
  const lyric = await ask('/getLyric?songmid=00DemoSong0001', 'same-site')
  t.match([lyric.status, lyric.headers.get('vary')], [200, /\bcookie\b.*\bsec-fetch-site\b/])
})
