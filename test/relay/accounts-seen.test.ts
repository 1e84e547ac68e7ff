/** How people see that a stored login ends: states, metrics, health, warnings in the log, banner and doctor. The clock is the test's. */
import { spawnSync } from 'node:child_process'
import { chmodSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { accountReportLines, checkAccounts, type AccountReport } from '../../src/cli/accountReports.ts'
import { accountsInWords } from '../../src/cli/output.ts'
import { doctor } from '../../src/cli/doctor.ts'
import { createScreen } from '../../src/cli/screen.ts'
import { maintainFiles } from '../../src/accounts/status.ts'
import { writeAdvice } from '../../src/common/fileAccess.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import { run } from '../support/accountCommands.ts'
import {
  fileOf, folderFor, keeperFor, onDisk, put, sceneFor, type Keeper, type Scene
} from '../support/accountsHelper.ts'
import { demoFor, serverFor } from '../support/helper.ts'
import { loggedIn } from '../support/sixtyDays.ts'
import { brisk } from '../support/unhurried.ts'
import { sampleOf, whole } from '../support/whole.ts'

const [day, hour, minute] = [86_400_000, 3_600_000, 60_000]

/** One account in each state: `fine`, `flaky` (failing), `bare` (not renewed), `gone` (log in again), `odd` (unreadable). All but `odd` expire in half a day. */
async function oneOfEach (t: Test): Promise<Scene> {
  const scene = await sceneFor(t)
  const { keeper, upstream, folder, clock } = scene
  for (const [at, name] of ['fine', 'flaky', 'gone'].entries()) await keeper.save(name, upstream.login(`1000${at}`))
  const { renewal: _, ...bare } = upstream.login('20002')
  await keeper.save('bare', bare)
  put(folder, 'odd', '{"secret": 5}')
  clock.now += 2.5 * day
  upstream.fates.push({ code: 1000 }, { code: 104_604 })
  t.same([await keeper.renewNow('gone'), await keeper.renewNow('flaky')], ['refused', 'failed'])
  return scene
}

const statesOf = (keeper: Keeper): Record<string, string> =>
  Object.fromEntries(keeper.states().map(({ name, state }) => [name, state]))
const warnings = (keeper: Keeper): string[] => keeper.log.filter((line) => /expire/.test(line))

t.test('a relay that renews says at the start in which folder no renewed login could be stored', async (t) => {
  const { upstream } = await sceneFor(t)
  const login = upstream.login('10000')
  const said = async (renews: boolean, login: unknown): Promise<string[]> => {
    const lines: string[] = []
    const file = { path: '/dev/null/accounts/kitchen.json', seal: async () => false }
    const files = { removeLeftovers: async () => ({ removed: [], left: [] }) }
    const store = { all: () => [{ name: 'kitchen', file, login }] }
    const log = { info () {}, warn: (line: unknown) => { lines.push(String(line)) } }
    await maintainFiles(files as never, store as never, log, renews)
    return lines
  }
  t.match(await said(true, login), [/^\/dev\/null\/accounts cannot be written \(ENOTDIR\), so a renewed login /])
  t.same([await said(false, login), await said(true, { ...login, renewal: undefined })], [[], []])
})

t.test('every account has a state, with the reason and the next step', async (t) => {
  const { keeper, clock, folder, upstream, after } = await oneOfEach(t)
  await keeper.tick()
  t.same(statesOf(keeper), { bare: 'not renewed', fine: 'ok', flaky: 'failing', gone: 'log in again', odd: 'unreadable' })
  t.same(keeper.renewals(), { renewed: 1, refused: 1, failed: 1, changed: 0, busy: 0, impossible: 0 })
  const [bare, fine, flaky, gone, odd] = keeper.states()
  t.match(fine, { expiresAt: clock.now / 1000 + 3 * day / 1000, expiresIn: 3 * day / 1000, trouble: undefined })
  t.match(bare, { expiresIn: day / 2000, trouble: { why: 'its file lacks the data for a renewal', command: 'music-relay login --as bare' } })
  t.match(flaky?.trouble, { why: 'its renewal failed', next: 'The relay tries again; if that does not help: music-relay login --as flaky' })
  t.match(gone?.trouble, { why: 'the music service refuses to renew it (code 1000)', next: 'Log in again: music-relay login --as gone' })
  t.same(odd, { name: 'odd', state: 'unreadable', trouble: { why: 'its file cannot be used', next: 'See what is wrong: music-relay accounts', command: 'music-relay accounts' } })

  unlinkSync(fileOf(folder, 'odd'))
  put(folder, 'fine', 'nothing of it is JSON')
  put(folder, 'default', upstream.login('30003'))
  await after(2 * minute)
  t.same(statesOf(keeper), { bare: 'not renewed', default: 'ok', fine: 'unreadable', flaky: 'ok', gone: 'log in again' }, 'a renewal that works ends the trouble')
  t.match(keeper.states()[2], { name: 'fine', expiresAt: Number }, 'the last good one is in use')
  await keeper.save('gone', upstream.login('10002'))
  t.equal(statesOf(keeper)['gone'], 'ok')
  for (const [content, state] of [
    [{ cookie: 'mine=1' }, 'log in again'], ['{', 'unreadable'], [undefined, undefined]
  ] as const) {
    if (content === undefined) unlinkSync(fileOf(folder, 'default'))
    else put(folder, 'default', content)
    await keeper.tick()
    t.equal(statesOf(keeper)['default'], state)
    if (state === 'log in again') t.match(keeper.states()[1]?.trouble, { command: 'music-relay login' })
  }
})

t.test('renewals that are off are a state of their own', async (t) => {
  const { keeper, upstream } = await sceneFor(t, { renew: false })
  await keeper.save('home', upstream.login('10001'))
  t.match(keeper.states(), [{ state: 'not renewed', trouble: { why: 'renewals are off', next: 'Renew it: music-relay accounts renew home' } }])
  t.equal(await keeper.renewNow('home'), 'renewed')
})

t.test('a login that is not renewed is worth one warning below twelve hours, and one when it has ended', async (t) => {
  const { keeper, upstream, clock, another, after } = await sceneFor(t, { renew: false })
  await keeper.save('home', upstream.login('10001'))
  const soon = 'account home expires in 11 h 59 min: renewals are off. Renew it: music-relay accounts renew home'
  const ended = 'account home has expired: renewals are off. Renew it: music-relay accounts renew home'
  const seen = async (ms: number, looks = 1): Promise<string[]> => {
    for (let look = 0; look < looks; look++) {
      await after(ms)
    }
    return warnings(keeper)
  }
  await seen(hour, 3)
  t.same(await seen(2 * day + 9 * hour), [], 'exactly twelve hours are left')
  t.same(await seen(minute - 1000), [], 'once a minute is enough')
  clock.now += 1000 - minute
  t.same(await seen(minute, 5), [soon])
  clock.now += 12 * hour
  t.same(await seen(minute, 5), [soon, ended])
  const restarted = await another()
  await restarted.tick()
  t.same(warnings(restarted), [ended], 'a restart says it again')
  clock.now -= hour
  await restarted.tick()
  t.same(warnings(restarted), [ended, 'account home expires in 50 min: renewals are off. Renew it: music-relay accounts renew home'], 'a clock that was set back')

  await keeper.renewNow('home')
  t.equal((await seen(2.6 * day)).length, 3, 'a new key is worth a new warning')
})

t.test('each cause has its warning, and what is renewed has none', async (t) => {
  const { keeper, clock, upstream } = await oneOfEach(t)
  clock.now += 10 * minute
  upstream.fates.push({ code: 104_604 }, { code: 104_604 }, { code: 104_604 })
  for (let looks = 0; looks < 3; looks++) await keeper.tick()
  t.match(warnings(keeper).sort(), [
    'account bare expires in 11 h 50 min: its file lacks the data for a renewal. Log in again: music-relay login --as bare',
    /^account fine expires in 11 h 50 min: its renewal failed\. The relay tries again; if that does not help: music-relay login --as fine$/,
    /^account flaky expires in 11 h 50 min: its last 2 renewals failed\./,
    'account gone expires in 11 h 50 min: the music service refuses to renew it (code 1000). Log in again: music-relay login --as gone'
  ])
  clock.now += 13 * hour
  upstream.fates.splice(0)
  await keeper.tick()
  t.match(statesOf(keeper), { fine: 'ok', flaky: 'ok' })
  t.same(
    warnings(keeper).filter((line) => /has expired/.test(line)).map((line) => line.split(' ')[1]).sort(),
    ['bare', 'gone']
  )
})

t.test('a refusal by an origin in place of the upstream counts there only', async (t) => {
  const origin = 'http://127.0.0.1:4200'
  const { keeper, clock, upstream, folder, another, edit } = await sceneFor(t, { origin })
  const both = (state: string): object => ({ default: state, home: state })
  await keeper.save('home', upstream.login('10001'))
  await edit('default', upstream.login('30003'))
  clock.now += 2.5 * day
  upstream.fates.push({ code: 1000 }, { code: 1000 })
  await keeper.tick()
  await keeper.tick()
  t.same(statesOf(keeper), both('log in again'))
  for (const name of ['home', 'default']) {
    t.match(onDisk(folder, name).renewal, { state: 'log in again', reason: 1000, refusedBy: origin })
  }
  await keeper.addKey('home', 'radio', {})
  t.equal(onDisk(folder, 'home').renewal.refusedBy, origin, 'a new key leaves it as it is')
  t.same(statesOf(await another()), both('log in again'), 'there it stays so')
  t.same([upstream.requests.length, keeper.log.filter((line) => /changed: what its file says/.test(line))], [2, []])

  const real = await another({ origin: '' })
  t.same(statesOf(real), both('ok'))
  await real.tick()
  t.same(real.attempts.sort(), ['default renewed', 'home renewed'])
  for (const name of ['home', 'default']) {
    t.same(['state', 'reason', 'refusedBy'].filter((key) => key in onDisk(folder, name).renewal), [])
  }
  for (const { text } of upstream.requests) t.notMatch(text, origin)

  clock.now += 2.5 * day
  upstream.fates.push(...Array.from({ length: 4 }, () => ({ code: 104_401 }))) // the record before is tried, too
  await real.tick()
  t.notOk('refusedBy' in onDisk(folder, 'home').renewal)
  t.same(statesOf(await another()), both('log in again'), 'a refusal of the upstream itself counts everywhere')
})

/** The lines of /metrics about accounts. */
async function accountSeries (server: Awaited<ReturnType<typeof serverFor>>): Promise<Record<string, number>> {
  const { text } = await server.get('/metrics')
  return Object.fromEntries(text.split('\n').filter((line) => line.startsWith('music_relay_account'))
    .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

t.test('metrics and health show states, renewals and the next expiry, and names only if that is set', async (t) => {
  const { keeper, clock, upstream } = await oneOfEach(t)
  const server = await serverFor(t, upstream, { metrics: true, accounts: keeper } as Parameters<typeof serverFor>[2])
  const named = await serverFor(
    t, upstream, { metrics: true, metricsAccountNames: true, accounts: keeper } as Parameters<typeof serverFor>[2]
  )
  const shared = {
    'music_relay_accounts{state="ok"}': 1, 'music_relay_accounts{state="failing"}': 1, 'music_relay_accounts{state="not renewed"}': 1, 'music_relay_accounts{state="log in again"}': 1, 'music_relay_accounts{state="unreadable"}': 0,
    'music_relay_account_renewals_total{outcome="renewed"}': 0, 'music_relay_account_renewals_total{outcome="refused"}': 1, 'music_relay_account_renewals_total{outcome="failed"}': 1,
    'music_relay_account_renewals_total{outcome="changed"}': 0, 'music_relay_account_renewals_total{outcome="busy"}': 0, 'music_relay_account_renewals_total{outcome="impossible"}': 0
  }
  t.same(await accountSeries(server), { ...shared, music_relay_account_expires_seconds: 43_200 })
  await keeper.tick()
  const later = { ...shared, 'music_relay_accounts{state="unreadable"}': 1, 'music_relay_account_renewals_total{outcome="renewed"}': 1 }
  t.same(await accountSeries(server), { ...later, music_relay_account_expires_seconds: 43_200 }, 'the first to expire')
  const label = (name: string): string => `music_relay_account_expires_seconds{account="${name}"}`
  t.same(await accountSeries(named), {
    ...later, [label('bare')]: 43_200, [label('fine')]: 259_200, [label('flaky')]: 43_200, [label('gone')]: 43_200
  })
  clock.now += day / 2 + 1000
  t.equal((await accountSeries(server))['music_relay_account_expires_seconds'], -1, 'negative once it has expired')

  const health = (await server.get('/health/upstream')).body
  t.same(health.accounts, {
    'ok': 1, 'failing': 1, 'not renewed': 1, 'log in again': 1, 'unreadable': 1,
    'firstExpiry': new Date(clock.now - 1000).toISOString()
  })
  const texts =
    [(await server.get('/metrics')).text, JSON.stringify(health), (await named.get('/health/upstream')).text]
  for (const name of ['fine', 'flaky', 'bare', 'gone', 'odd']) {
    for (const text of texts) t.notMatch(text, new RegExp(`\\b${name}\\b`))
  }

  for (const { name } of keeper.list()) await keeper.remove(name)
  t.notOk('music_relay_account_expires_seconds' in await accountSeries(server), 'no account, no time')
  t.notOk('firstExpiry' in (await server.get('/health/upstream')).body.accounts)
  const without = await serverFor(t, upstream, { metrics: true })
  t.same(await accountSeries(without), {})
  t.notOk('accounts' in (await without.get('/health/upstream')).body)
})

t.test('the banner names the accounts, first those that need somebody', async (t) => {
  const { keeper } = await oneOfEach(t)
  await keeper.tick()
  t.equal(accountsInWords(keeper.states()), 'bare (12 h 0 min, not renewed: music-relay login --as bare), flaky (12 h 0 min, failing: music-relay login --as flaky), ' +
    'gone (12 h 0 min, log in again: music-relay login --as gone), odd (unreadable: music-relay accounts), fine (3 d 0 h)')
  const many = Array.from(
    { length: 11 }, (_, at) => ({ name: `a${at}`, state: 'ok', expiresIn: 60 - 120 * (at % 2), expiresAt: 1 } as const)
  )
  t.match(
    accountsInWords([...many, { name: 'b', state: 'ok' }]), /^a0 \(1 min\), a1 \(expired\), .*a7 \(expired\), 4 more$/
  )
  t.equal(accountsInWords([{ name: 'b', state: 'ok' }]), 'b (ok)')
})

t.test('the doctor says of each account how long it lasts or what to do, and changes nothing', async (t) => {
  const { folder, clock, upstream, keeper } = await oneOfEach(t)
  await keeper.tick()
  const place = { folder }
  const settings = settingsOf({ upstreamOrigin: upstream.origin })
  const check = async (own = settings): Promise<Record<string, AccountReport>> =>
    Object.fromEntries((await checkAccounts(place, own, clock.now)).map((report) => [report.account, report]))
  const requests = upstream.requests.length
  const found = await check()
  t.same(Object.entries(found).map(([name, { state }]) => [name, state]), [
    ['bare', 'not renewed'], ['fine', 'ok'], ['flaky', 'overdue'], ['gone', 'log in again'], ['odd', 'unreadable']
  ])
  t.match(found['fine'], { account: 'fine', state: 'ok', expiresAt: clock.now / 1000 + 259_200, problems: [] })
  t.match(found['flaky']?.problems, [/^no relay has renewed it\. .* music-relay accounts renew flaky$/])
  t.match(found['gone']?.problems, ['the music service refuses to renew it (code 1000). Log in again: music-relay login --as gone'])
  t.match(found['odd']?.problems, [/odd\.json: \w+: \S/])
  t.match((await check(settingsOf({ upstreamOrigin: upstream.origin, renewLogins: false })))['fine'], {
    state: 'not renewed', problems: [/renewals are off/]
  })
  t.match((await check(settingsOf({ accountsSecret: 'a secret of the operator' })))['fine'], { state: 'ok' }, 'open files are read')
  if (process.platform !== 'win32') {
    chmodSync(fileOf(folder, 'fine'), 0o644)
    t.match((await check())['fine'], { state: 'ok', problems: [`Others on this machine can read it: chmod 600 ${fileOf(folder, 'fine')}`] })
    chmodSync(fileOf(folder, 'fine'), 0o600)
    chmodSync(fileOf(folder, 'gone'), 0o644)
    const { gone } = await check()
    t.match(gone === undefined ? [] : accountReportLines([gone], clock.now), [
      / next step$/, /music-relay login --as gone$/, / {20}Others on this machine can read it: chmod 600 \S+$/
    ], 'each problem has a line of its own')
    chmodSync(fileOf(folder, 'gone'), 0o600)
  }
  t.match(accountReportLines(Object.values(found), clock.now), [
    /^account +state +expires in +next step$/, /^bare +not renewed +12 h 0 min +its file lacks/, /^fine +ok +3 d 0 h$/,
    /^flaky +overdue +12 h 0 min/, /^gone +log in again +12 h 0 min/, /^odd +unreadable +\S/
  ])
  const due = (keeper.get('fine')?.renewsAt ?? 0) * 1000
  for (const [hours, state] of [[-0.5, 'ok'], [0.5, 'ok'], [1.5, 'overdue']] as const) {
    t.match(
      (await checkAccounts(place, settings, due + hours * 3_600_000)).find(({ account }) => account === 'fine'),
      { state }, `${hours} h after it is due`
    )
  }
  clock.now += 3 * day
  t.match((await check())['fine'], { state: 'overdue' })
  t.match(
    accountReportLines([(await check())['fine'] as AccountReport], clock.now)[1],
    /^fine +overdue +expired +it has expired, and no relay has renewed it\./
  )
  const asked =
    await checkAccounts(place, settings, clock.now, async () => await Promise.resolve({ alive: false, vip: null }))
  t.same(asked.find(({ account }) => account === 'fine')?.problems, ['it has expired, and no relay has renewed it. Start one, see its log, or renew it: music-relay accounts renew fine'],
    'a login that a renewal may save is no reason to log in again')
  t.equal(upstream.requests.length, requests)
})

t.test('the advice about a file that cannot be written follows from the reason', async (t) => {
  const advice = { ENOSPC: 'Free some space: df -h', EDQUOT: 'Free some space: df -h', EROFS: 'Mount it writable: findmnt -T', EIO: 'Make it writable: ls -ld' }
  for (const [code, words] of Object.entries(advice)) {
    t.equal(Object.values(writeAdvice(code, '/data/accounts')).join(': '), `${words} /data/accounts`)
  }
})

t.test('an account that needs attention decides the exit code of the doctor', async (t) => {
  const { upstream, keeper, folder } = await sceneFor(t)
  const demo = await demoFor(t)
  const ask = async (json: boolean): Promise<{ code: number, out: string }> => {
    let out = ''
    const task = {
      settings: settingsOf({ upstreamOrigin: demo.origin, imageOrigin: demo.origin }),
      tuning: brisk({ searchPauseMs: 0 }), cookieFile: undefined, accounts: { folder },
      screen: createScreen({ write () {} }, {}), out: (text: string) => { out += text },
      signal: new AbortController().signal
    }
    const code = await doctor({ ...task, json, all: true, colour: false })
    return { code, out: json ? out : out.slice(out.indexOf('\n\n') + 2) } // what follows the verdict
  }
  // Another provider's login, which this one does not accept.
  await keeper.save('home', upstream.login('10001'))
  await keeper.save('well', await loggedIn(demo, 'member', 'alt'))
  put(folder, 'odd', '{')
  const ill = await ask(true)
  const { ok, accounts } = JSON.parse(ill.out)
  t.match([ill.code, ok, accounts], [1, false, [
    { account: 'home', state: 'ok', login: { alive: false } },
    { account: 'odd', state: 'unreadable', problems: [/not valid JSON/] },
    { account: 'well', state: 'ok', login: { alive: true, vip: { member: true, until: '2027-03-01' } } }
  ]])
  t.match(accountReportLines(accounts, Date.now()), [
    /^account +state +expires in +login +subscription +next step$/,
    /^home +ok +2 d 23 h +ended +the music service does not accept this login any more\. Renew it: music-relay accounts renew home$/,
    /^odd +unreadable /, /^well +ok +2 d 23 h +alive +until 2027-03-01$/
  ])
  if (!whole) return
  for (const name of ['home', 'odd']) await keeper.remove(name)
  const row = (end: string): RegExp => new RegExp(`^account +state +expires in .*\nwell +ok +2 d 23 h${end}\n`)
  t.match(await ask(false), { code: 0, out: row(' +alive +until 2027-03-01') })
  demo.next('music.UserInfo.userInfoServer/GetLoginUserInfo', { code: 500003 }, 99)
  t.match((await ask(false)).out, row(''), 'a provider that does not say is no dead login')
})

t.test('the moods of renewals show as docs/upstream.md says', async (t) => {
  const began = 1_800_000_000_000
  const both = (state: string): object => ({ main: state, alt: state })
  const cases: readonly (readonly [moods: readonly string[], first: object, later?: object])[] = [
    [['renewal-refused'], both('log in again')],
    ...['renewal-busy', 'renewal-500', 'renewal-mistyped'].map((mood) => [[mood], both('failing')] as const),
    ...['renewal-web-only', 'renewal-phone-only'].map((mood) => [[mood], both('ok')] as const),
    [['renewal-site-only'], { main: 'ok', alt: 'failing' }],
    [['renewal-lost'], { main: 'failing' }, { main: 'log in again' }],
    [['renewal-lost', 'renewal-forgiving'], { main: 'failing' }, { main: 'ok' }]
  ]
  for (const [moods, first, later = first] of sampleOf(cases, 3, 2)) {
    const demo = await demoFor(t, { now: () => began, moods: [...moods] })
    const clock = { now: began }
    const move = (ms: number): void => { clock.now += ms; demo.clock.move(ms) }
    const keeper = await keeperFor(t, folderFor(t), demo, { now: () => clock.now })
    if ('alt' in first) await keeper.save('alt', await loggedIn(demo, 'member', 'alt'))
    await keeper.save('main', await loggedIn(demo, 'partner', 'main'))
    move(2.5 * day)
    await keeper.tick()
    t.same(statesOf(keeper), first, moods.join())
    move(3 * minute)
    await keeper.tick()
    t.same(statesOf(keeper), later, `${moods.join()}, three minutes later`)
  }
})

t.test('a proposed command is about the same folder, whatever its name is', async (t) => {
  const folder = join(t.testdir({ "the radio's folder": {} }), "the radio's folder")
  const { out } = await run(['accounts'], { CONFIG_DIR: folder })
  const [, variable = ''] = /^ {2}(CONFIG_DIR=.+) music-relay login --as living-room$/m.exec(out) ?? []
  const advice = writeAdvice('ENOSPC', folder).command.replace('df -h', 'echo')
  for (const line of [`${variable} printenv CONFIG_DIR`, advice]) {
    t.equal(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout, `${folder}\n`, line)
  }
})
