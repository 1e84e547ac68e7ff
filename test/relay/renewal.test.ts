/**
 * The renewal of stored logins: when, with which requests, and that no failure, kill or second instance loses a login.
 * The clock is the test's; files, sockets and processes are real.
 */
import { lstatSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { Redis } from 'iovalkey'
import t, { type Test } from 'tap'
import { openStore } from '../../src/cache/redis.ts'
import { dueAt, pauseAfter, renewalFactsOf, renewalTimes } from '../../src/accounts/record.ts'
import { withFileLock } from '../../src/common/fileLock.ts'
import type { Credential } from '../../src/upstream/wire/credentials.ts'
import {
  before, blocked, canary, fileOf, holding, keyLife, onDisk, put, sceneFor, unwritable, type Keeper, type KeyUpstream,
  type Scene, type UpstreamLogin
} from '../support/accountsHelper.ts'
import { userInfoIn } from '../support/userInfo.ts'
import { testClock } from '../support/clock.ts'
import { until } from '../support/helper.ts'
import { startStore, without } from '../support/instances.ts'
import { killAt } from '../support/killPoints.ts'
import { settled } from '../support/settled.ts'
import { whole } from '../support/whole.ts'

const day = 86_400_000
const minute = 60_000

/** An account `home` that logged in just now, and the accounts of a relay. */
async function ready (
  t: Test, options: Parameters<typeof sceneFor>[1] = {}
): Promise<Scene & { login: UpstreamLogin }> {
  const scene = await sceneFor(t, options)
  await scene.keeper.save('home', scene.upstream.login('10001'))
  return { ...scene, login: scene.upstream.logins.get('10001') as UpstreamLogin }
}

const credential = (keeper: Keeper, name = 'home'): Credential => keeper.credentialOf(name) as Credential
const recordOf = (folder: string, name = 'home'): any => onDisk(folder, name).renewal
/** The next requests are refused as too frequent, which says nothing about the login. */
const busy = (upstream: KeyUpstream, count: number): void => {
  upstream.fates.splice(0, Infinity, ...Array.from({ length: count }, () => ({ code: 104_604 })))
}

t.test('a key is renewed at two thirds of its life, again and again, and survives restarts', async (t) => {
  const scene = await ready(t)
  const { clock, upstream, folder } = scene
  let keeper = scene.keeper
  const [days, hours] = whole ? [60, 1] as const : [20, 12] as const
  for (let passed = 0; passed < days * 24; passed += hours, clock.now += hours * 60 * minute) {
    await keeper.tick()
    if (!upstream.works(credential(keeper).key)) t.fail(`the key is dead after ${passed} hours`)
    keeper.answered('home', credential(keeper))
    if (passed % 60 === 0) keeper = await scene.another()
  }
  const renewals = upstream.requests.length
  t.ok(renewals >= days * 0.4 && renewals <= days * 0.57, `${renewals} renewals in ${days} days`)
  t.match(
    onDisk(folder, 'home').cookie,
    /^uin=o10001; provider_key=Q_H_L_CANARY_10001_(\d+); provider_keyst=Q_H_L_CANARY_10001_\1; providerLoginType=2; mine=1$/
  )
  t.match(keeper.get('home'), { state: 'ok', renewedAt: Number, expiresAt: Number })
  for (const each of [scene.keeper, keeper]) t.notMatch(each.log.join('\n'), canary)
})

t.test('the time is two thirds of the life, ten percent around, and the same after a restart', async (t) => {
  const now = 1_800_000_000_000
  const parts = Array.from({ length: 500 }, (_, number) => {
    const login = { cookie: `uin=1; provider_key=k${number}`, renewal: {
      loginType: 2 as const, musicId: '1', musicKey: `k${number}`, keyCreatedAt: now / 1000, keyExpiresIn: keyLife
    } }
    const due = dueAt(login, now, renewalTimes)
    return due === dueAt(structuredClone(login), now + day, renewalTimes) ? (due - now) / 1000 / keyLife : NaN
  })
  t.ok(Math.min(...parts) >= 0.6 && Math.min(...parts) < 0.61)
  t.ok(Math.max(...parts) <= 0.7334 && Math.max(...parts) > 0.72)
  const of = (renewal: object): number => dueAt({
    cookie: 'uin=1; provider_key=k', renewal: { loginType: 2, musicId: '1', musicKey: 'k', ...renewal }
  }, now, renewalTimes)
  for (const [keyCreatedAt, what] of [
    [undefined, 'of unknown age'], [now, 'from the far future'], [now / 1000 + 3601, 'from the future']
  ] as const) t.equal(of({ keyCreatedAt }), 0, `${what}: at once`)
  t.ok(of({ keyCreatedAt: now / 1000 + 3600 }) > now, 'the clock of the upstream may be an hour ahead')
  for (const [keyExpiresIn, life] of [[1, 3_600_000], [1e12, 90 * day], [undefined, 3 * day]] as const) {
    t.equal(
      of({ keyCreatedAt: now / 1000, keyExpiresIn }), of({ keyCreatedAt: now / 1000, keyExpiresIn: life / 1000 }),
      'a life that cannot be is not believed'
    )
    const part = (of({ keyCreatedAt: now / 1000, keyExpiresIn }) - now) / life
    t.ok(part >= 0.6 && part <= 0.7334, `${part}`)
  }
  t.ok(of({ keyCreatedAt: 1, renewedAt: now / 1000 }) > now, 'after a renewal the own clock counts')
  t.equal(
    Math.round(dueAt({ cookie: 'uin=1; provider_key=k', createdAt: now / 1000 }, now, renewalTimes)), 1_800_164_489_092,
    'after an update, too: no version renews what another one has not yet'
  )
  for (let failures = 1; failures < 2000; failures += failures < 12 ? 1 : 400) {
    const expected = Math.min(6 * 60 * minute, minute * 2 ** (failures - 1))
    t.same(
      [0, 0.5, 1].map((part) => Math.round(pauseAfter(failures, renewalTimes, part))),
      [0.9, 1, 1.1].map((part) => Math.round(part * expected)), `the pause after ${failures} failures`
    )
  }
})

t.test('the requests have the documented form, with the documented types', async (t) => {
  const scene = await ready(t)
  const { keeper, upstream } = scene
  const large = '1152921504600000203'
  await keeper.save('alt', upstream.login(large, 1))
  const { key } = credential(keeper)
  t.same(await Promise.all([keeper.renewNow('home'), keeper.renewNow('home')]), ['renewed', 'renewed'], 'asked for twice at once, it is one renewal')
  t.equal(await keeper.renewNow('alt'), 'renewed')
  t.same(keeper.log, ['account home is renewed', 'account alt is renewed'])
  const [main, alt] = upstream.requests
  const login = { module: 'music.login.LoginServer', method: 'Login' }
  t.match(main, {
    ...login, comm: { ct: 24, cv: 0, format: 'json', tmeAppID: 'qqmusic', tmeLoginType: 2, uin: '10001', authst: key },
    headers: { cookie: new RegExp(`qqmusic_key=${key}`) }
  })
  const shared = { openid: `${canary}-open`, refresh_key: '', loginMode: 2 }
  t.same(main?.param, {
    ...shared, access_token: `${canary}-access`, refresh_token: `${canary}-token-10001`, expired_in: 2_000_000_000,
    musicid: 10001, str_musicid: '10001', musickey: key
  })
  t.match(alt, { ...login, comm: { ct: 11, cv: 13_020_508, v: 13_020_508, tmeAppID: 'qqmusic', tmeLoginType: 1 } })
  t.same(alt?.param, {
    ...shared, unionid: `${canary}-union`, refresh_token: `${canary}-token-${large}`, str_musicid: large,
    musickey: `W_X_${canary}_${large}_1`
  })
  t.equal(await keeper.renewNow('home'), 'renewed')
  t.equal(upstream.requests[2]?.param.refresh_key, `${canary}-refresh-key-2`, 'what an answer brought is used next')
  const { refreshKey, refreshKeyChanged } = recordOf(scene.folder)
  t.equal(refreshKeyChanged, refreshKey !== `${canary}-refresh-key-2`, 'whether there is another refresh key stays known')
  const told = renewalFactsOf(recordOf(scene.folder))
  t.match(told, {
    channel: 'main', fields: ['keyCreatedAt', 'keyExpiresIn', 'openId', 'unionId', 'accessToken', 'accessTokenExpiresAt', 'refreshToken', 'refreshKey'], keyLife, refreshKeyChanged
  })
  t.notMatch(JSON.stringify(told), canary, 'names only')

  /** Stores a login of which little is known, and returns its key. */
  const little = async (uin: string): Promise<string> => {
    const { renewal, ...rest } = upstream.login(uin, 2)
    const { musicId, musicKey, refreshToken = '' } = renewal as NonNullable<typeof renewal>
    await keeper.save('long', { ...rest, renewal: { loginType: 2, musicId, musicKey, refreshToken } })
    return musicKey
  }
  await little(large)
  t.equal(await keeper.renewNow('long'), 'renewed')
  t.ok(upstream.requests[3]?.text.includes(`"musicid":${large},`), 'a number of 19 digits is not rounded')
  t.match(upstream.requests[3]?.param, {
    openid: '', access_token: '', expired_in: 0, refresh_key: ''
  }, 'what is not known is empty')
  for (const [uin, musickeyCreateTime, told] of [['30003', 0, 'failed'], ['30004', 1, 'renewed']] as const) {
    await keeper.remove('long')
    upstream.fates.push({ record: { musickey: await little(uin), musickeyCreateTime } })
    t.equal(await keeper.renewNow('long'), told, 'a key of unknown age that comes back lives on if it has an age now')
  }
  await keeper.remove('long')
  await little('30005')
  upstream.fates.push({ code: 10_006 }, { code: 10_006 }, { code: 10_006 })
  t.equal(await keeper.renewNow('long'), 'renewed')
  t.equal(upstream.requests.at(-1)?.comm.psrf_access_token_expiresAt, 0)
})

t.test('a form is only tried after one that was refused as a form', async (t) => {
  const { keeper, upstream, folder } = await ready(t)
  await keeper.save('alt', upstream.login('20002', 1))
  const asked = async (name: string, ...codes: number[]): Promise<[string, ...unknown[]]> => {
    upstream.fates.splice(0, Infinity, ...codes.map((code) => ({ code })))
    upstream.requests.length = 0
    return [await keeper.renewNow(name), ...upstream.requests.map(({ comm, module }) => `${module} ${comm.ct}`)]
  }
  const [web, phone, main, desktop] = ['music.login.LoginServer 24', 'music.login.LoginServer 11', 'QQConnectLogin.LoginServer 24', 'music.login.LoginServer 19']
  t.same(await asked('home'), ['renewed', web])
  for (const code of [10_006, 500_001, 500_003, 104_403, 2000, 20_261, 12_345]) {
    t.same(await asked('home', code), ['renewed', web, phone], `${code}`)
  }
  t.match(upstream.requests[1], {
    comm: { ct: 11, tmeLoginType: 2, qq: '10001', authst: String, platform: undefined },
    headers: { 'user-agent': /android/ }
  })
  const { key } = credential(keeper)
  t.same(await asked('home', 10_006, 500_003, 10_006), ['renewed', web, phone, main, desktop])
  t.match(upstream.requests[3], {
    comm: {
      ct: 19, cv: 2192, guid: /^[0-9A-F]{32}$/, wid: /^\d{19}$/, uin: '10001', authst: key, psrf_qqopenid: String,
      psrf_qqaccess_token: String, psrf_qqunionid: String, psrf_access_token_expiresAt: Number, platform: undefined
    },
    param: {
      musicid: 10_001, musickey: key, appid: '100497308', deviceName: String, deviceType: String, expired_in: 0,
      forceRefreshToken: 0, onlyNeedAccessToken: 0
    }
  })
  t.same(await asked('home', 10_006, 500_003, 10_006, 10_006), ['failed', web, phone, main, desktop])
  t.same(await asked('alt', 10_006, 10_006, 10_006), ['failed', phone, web])
  t.same(
    [upstream.requests[0]?.param.strAppid, upstream.requests[1]?.param.strAppid], [undefined, 'wx48db31d50e334801']
  )
  for (const code of [2001, 20_271, 20_272, 20_274, 20_277, 20_278, 20_279, 20_450, 104_604]) {
    t.same(await asked('home', code), ['failed', web], `${code}`)
  }
  keeper.answered('home', credential(keeper))
  await until(() => recordOf(folder).previous === undefined)
  t.same(await asked('home', 500_003, 104_400), ['refused', web, phone])
  t.same(await asked('home'), ['impossible'], 'a login that ended is not renewed any more')
})

t.test('a form that needs a valid key says nothing about an expired one; it does about the tokens', async (t) => {
  for (const code of [1000, 104_401]) {
    const { keeper, upstream, clock, after } = await ready(t)
    clock.now += 3.5 * day
    upstream.fates.push({ code: 104_403 }, { code: 10_006 }, { code }, { code: 104_403 })
    await keeper.tick()
    t.same(
      [upstream.requests.length, keeper.attempts, keeper.get('home')?.state], [4, ['home failed'], 'ok'], `${code}`
    )
    t.match(keeper.log.join('\n'), 'account home was not renewed (biz_104403): the relay tries again')
    await after(2 * minute)
    t.equal(keeper.attempts.at(-1), 'home renewed', 'as soon as another form works')
  }
  const { keeper, upstream } = await ready(t)
  upstream.fates.push({ code: 104_403 }, { code: 10_006 }, { code: 104_400 })
  t.equal(await keeper.renewNow('home'), 'refused')
  t.match(keeper.get('home'), { state: 'log in again', reason: 104_400 })
})

t.test('what an answer leaves empty keeps its value, and an answer that cannot be is not used', async (t) => {
  const { keeper, upstream, folder, clock } = await ready(t)
  const old = onDisk(folder, 'home')
  upstream.fates.push({
    record: { refresh_key: '', keyExpiresIn: 0, musickeyCreateTime: 0, musicid: '', str_musicid: '' }
  })
  t.equal(await keeper.renewNow('home'), 'renewed')
  t.same(recordOf(folder), {
    ...old.renewal, musicKey: 'Q_H_L_CANARY_10001_2', renewedAt: clock.now / 1000, previous: old.renewal
  })
  t.equal(onDisk(folder, 'home').secret, old.secret)

  for (const [record, reason] of [
    [{ str_musicid: '99999' }, 'other_account'], [{ musickey: '' }, 'biz_0'], [{ musickey: 'a; b=c' }, 'biz_0'],
    [{ musickey: 5 }, 'biz_0'], [{ code: 20_279 }, 'biz_20279'],
    [{ musickey: 'Q_H_L_CANARY_10001_1', musickeyCreateTime: 0 }, 'same_key']
  ] as const) {
    const scene = await ready(t)
    scene.upstream.fates.push({ record })
    const stored = readFileSync(fileOf(scene.folder, 'home'), 'utf8')
    t.same([
      await scene.keeper.renewNow('home'), readFileSync(fileOf(scene.folder, 'home'), 'utf8')
    ], ['failed', stored], JSON.stringify(record))
    t.match(scene.keeper.log.join('\n'), `account home was not renewed (${reason})`)
    t.equal(scene.upstream.requests.length, 1, 'no other form is tried: the old key may be dead')
  }
  const later = { musickey: 'Q_H_L_CANARY_10001_1', musickeyCreateTime: Math.floor(Date.now() / 1000) + 1000 }
  const longer = await ready(t)
  longer.upstream.fates.push({ record: later })
  t.equal(await longer.keeper.renewNow('home'), 'renewed', 'the same key with a new time lives on')
  for (const code of [1000, 104_400, 104_401]) {
    const inner = await ready(t)
    inner.upstream.fates.push({ record: { code, musickey: 'Q_H_L_CANARY_10001_1' } })
    t.equal(await inner.keeper.renewNow('home'), 'refused', `${code} further inside, beside the old key`)
    t.match(inner.keeper.get('home'), { state: 'log in again', reason: code })
  }
})

t.test('1000, 104400 and 104401 mean: log in again; that stays so until somebody does', async (t) => {
  for (const code of [1000, 104_400, 104_401]) {
    const { keeper, upstream, folder, clock, another, after } = await ready(t)
    clock.now += 2.5 * day
    upstream.fates.push({ code })
    await keeper.tick()
    t.match(keeper.get('home'), { state: 'log in again', reason: code })
    t.match(onDisk(folder, 'home').renewal, { state: 'log in again', reason: code, refusedBy: undefined })
    t.ok(keeper.credentialOf('home'), 'its key may work until it expires')
    t.match(keeper.log.join('\n'), `account home has ended: the upstream refuses to renew it (code ${code}). Log in again: music-relay login --as home`)
    const restarted = await another()
    for (const each of [keeper, restarted]) {
      clock.now += day
      each.ended('home', credential(each))
      await each.tick()
    }
    t.equal(upstream.requests.length, 1)
    await restarted.save('home', upstream.login('10001'))
    t.match(restarted.get('home'), { state: 'ok', reason: undefined })
    await after(2.5 * day, restarted)
    t.equal(upstream.requests.length, 2)
    t.ok(upstream.works(credential(restarted).key))
  }
})

t.test('every other failure is tried again after a minute, then twice as long, up to six hours', async (t) => {
  const { keeper, upstream, clock, login } = await ready(t)
  clock.now += 2.5 * day
  const failures: ((answer: any) => void)[] = [
    (answer) => answer.writeHead(500).end(), (answer) => answer.destroy(), (answer) => answer.end('<html>'),
    (answer) => answer.end('{"code":0}')
  ]
  const times: number[] = []
  /** In milliseconds, ten percent around. */
  const pauseAfter = (attempts: number): number => Math.min(360, 2 ** (attempts - 1)) * minute
  for (let number = 0; number < 14; number++) {
    // Here nothing is renewed upstream: the key is put back after the answer.
    const { key } = login
    upstream.fates.push([{ code: 104_604 }, ...failures][number % 5] as { code: number })
    if (number > 0) clock.now += 0.85 * pauseAfter(number) // nothing is due before nine tenths
    while (upstream.fates.length > 0) {
      await keeper.tick()
      if (upstream.fates.length > 0) clock.now += 20_000
    }
    login.key = key
    times.push(clock.now)
  }
  const gaps = times.slice(1).map((time, index) => (time - (times[index] as number)) / minute)
  gaps.forEach((gap, index) => {
    const expected = pauseAfter(index + 1) / minute
    t.ok(gap >= 0.9 * expected && gap <= 1.1 * expected + 0.4, `${index + 1}: ${gap} minutes`)
  })
  clock.now -= 30 * day // the clock was wrong, and is set back
  await keeper.tick()
  clock.now += 7 * 60 * minute
  await keeper.tick()
  t.equal(keeper.attempts.at(-1), 'home renewed', 'after the pause; it does not wait for that time to come back')
  for (const reason of ['biz_104604', 'http_500', 'bad_payload']) t.match(keeper.log.join('\n'), `account home was not renewed (${reason})`)
  t.notMatch(keeper.log.join('\n'), canary)
})

t.test('each time is exact: a key becomes due, and a pause ends; a clock that is set back neither ends nor prolongs it', async (t) => {
  const { keeper, clock, upstream, folder } =
    await ready(t, { tuning: { renewJitterPercent: 0, renewRetryMaxMs: minute } })
  const tried = async (at: number): Promise<number> => {
    clock.now = at
    await keeper.tick()
    return keeper.attempts.length
  }
  const due = dueAt(onDisk(folder, 'home'), clock.now, { ...renewalTimes, renewJitterPercent: 0 })
  busy(upstream, 3)
  t.same(
    [await tried(due - 1), await tried(due), await tried(due + minute - 1), await tried(due + minute)], [0, 1, 1, 2]
  )
  const later = due + 60 * minute
  t.same([
    await tried(later), await tried(later - minute), await tried(later - 1), await tried(later)
  ], [3, 3, 3, 4], 'the clock was set back')
  t.equal(keeper.attempts.at(-1), 'home renewed')
})

t.test('a restart long after a renewal renews a key that is due at once, and one right after it does not', async (t) => {
  const scene = await ready(t)
  const { clock, keeper, upstream } = scene
  t.equal(await keeper.renewNow('home'), 'renewed')
  const dead = credential(keeper)
  const early = await scene.another()
  early.ended('home', dead)
  await early.tick()
  t.equal(upstream.requests.length, 1)
  clock.now += 3 * day
  await (await scene.another()).tick()
  t.equal(upstream.requests.length, 2)
})

t.test('a clock that jumps to and fro causes one renewal in ten minutes, and no more attempts than pauses, in one instance and in two', async (t) => {
  let uptime = 0
  const { keeper, clock, upstream, another, login } = await ready(t, { uptime: () => uptime })
  const other = await another()
  const begun = clock.now
  const jumps = async (count: number): Promise<void> => {
    for (let at = 1; at <= count; at++) {
      uptime += 350
      clock.now = at % 3 === 0 ? begun : begun + at * 10 * day
      for (const each of [keeper, other]) {
        await each.tick()
        each.ended('home', credential(each))
        await each.tick()
      }
    }
  }
  await jumps(20)
  t.equal(upstream.requests.length, 1)
  uptime += 10 * minute
  await jumps(20)
  t.equal(upstream.requests.length, 2)
  t.equal(credential(keeper).key, login.key, 'nothing is lost')
  uptime += 10 * minute
  busy(upstream, 100)
  await jumps(20)
  t.equal(upstream.requests.length, 4, 'a failure is followed by its pause, in each instance')
})

t.test('while another instance renews, a call waits for its key, and this one looks again after a minute; for nobody else it waits', async (t) => {
  let turn: 'taken' | undefined = 'taken'
  let given = 0
  let looks = 0
  const scene = await ready(t)
  const { clock, upstream, folder, another } = scene
  const old = onDisk(folder, 'home')
  await scene.keeper.renewNow('home')
  const next = onDisk(folder, 'home')
  put(folder, 'home', old)
  const keeper = await another({
    tuning: { renewJitterPercent: 0 }, now: () => { looks++; return clock.now },
    lock: async () => turn ?? (() => { given++ })
  })
  const answer = keeper.replaced('home', credential(keeper))
  await until(() => keeper.attempts.length > 0)
  put(folder, 'home', next)
  t.match(await answer, `provider_key=${next.renewal.musicKey};`)
  t.same([keeper.attempts, upstream.requests.length], [['home busy'], 1])

  await keeper.tick()
  clock.now += 3 * day
  for (const outcomes of [2, 3]) {
    await keeper.tick()
    await keeper.tick()
    t.equal(keeper.attempts.length, outcomes)
    clock.now += minute
  }
  turn = undefined
  busy(upstream, 2)
  await keeper.tick()
  t.same([keeper.attempts.at(-1), given], ['home failed', 1], 'the turn is given back')
  looks = 0
  t.equal(await keeper.replaced('home', credential(keeper)), undefined)
  t.ok(looks < 20, `nobody has the turn: a refused call does not go on looking (${looks})`)
})

t.test('an answer that was lost ends as "log in again", or the old key still works', async (t) => {
  for (const fate of ['lost', 'cut'] as const) {
    const { keeper, upstream, clock, after } = await ready(t)
    clock.now += 2.5 * day
    upstream.fates.push(fate)
    await keeper.tick()
    t.match(keeper.get('home'), { state: 'ok' }, `${fate}: nothing is known yet`)
    t.equal(upstream.requests.length, 1, 'no other form is tried: the request may have counted')
    t.match(keeper.log.join('\n'), /account home was not renewed \(\w+\): the relay tries again/)
    await after(2 * minute)
    t.equal(upstream.requests[1]?.param.musickey, upstream.requests[0]?.param.musickey)
    t.match(keeper.get('home'), { state: 'log in again', reason: 1000 })
  }
})

t.test('a call that says that the login ended begins a renewal, once, and never waits for it', async (t) => {
  const { keeper, upstream, clock, folder, edit } = await ready(t)
  const first = credential(keeper)
  for (let number = 0; number < 100; number++) keeper.ended('home', first)
  t.same(credential(keeper), first, 'the call does not wait')
  await until(() => keeper.attempts.join() === 'home renewed')
  keeper.ended('home', first)
  await keeper.tick()
  t.equal(upstream.requests.length, 1, 'a late refusal of the old key says nothing about the new one')
  keeper.ended('home', { ...first, key: 'of another' })
  keeper.ended('absent', first)
  await keeper.tick()
  t.equal(upstream.requests.length, 1)

  // Each new key is refused at once, too: no loop.
  const begun = clock.now
  for (; clock.now < begun + 60 * minute; clock.now += minute / 2) {
    keeper.answered('home', credential(keeper))
    keeper.ended('home', credential(keeper))
    await keeper.tick()
  }
  t.ok(upstream.requests.length >= 3 && upstream.requests.length <= 7, `${upstream.requests.length} in an hour`)

  await keeper.renewNow('home') // the one that is under way, or one more
  const dead = credential(keeper)
  keeper.answered('home', dead)
  await until(() => recordOf(folder).previous === undefined)
  keeper.ended('home', dead)
  const { length } = keeper.attempts
  const backup = onDisk(folder, 'home')
  await keeper.save('home', upstream.login('10001'))
  await edit('home', backup)
  clock.now += 11 * minute
  keeper.ended('home', dead)
  // a login from a backup is tried, though its key was refused before
  await until(() => keeper.attempts.length > length)
})

t.test('keys that are rotated while calls are under way: each call gets one that works, and none begins a renewal', async (t) => {
  const { keeper, upstream, clock } = await ready(t)
  let isOver = false
  let refused = 0
  const wrong: string[] = []
  const calls = Array.from({ length: 20 }, async (_, at) => {
    while (!isOver) {
      const mine = credential(keeper)
      for (let turns = at % 4; turns >= 0; turns--) await new Promise(setImmediate)
      if (upstream.works(mine.key)) continue
      refused++
      const before = upstream.requests.length
      const cookie = await keeper.replaced('home', mine)
      const key = /provider_key=([^;]+)/.exec(cookie ?? '')?.[1]
      if (!upstream.works(key) && upstream.requests.length === before) wrong.push(`${key} after ${mine.key}`)
    }
  })
  for (let turn = 0; turn < 10; turn++) {
    clock.now += 11 * minute
    t.equal(await keeper.renewNow('home'), 'renewed')
    keeper.answered('home', credential(keeper))
    await settled()
  }
  isOver = true
  await Promise.all(calls)
  t.same(wrong, [])
  t.ok(refused > 0, `${refused} calls met a dead key`)
  t.equal(upstream.requests.length, 10)
})

t.test('a refused call waits for a renewal under way, two seconds at most', async (t) => {
  const { options: { timers }, pending, advance } = testClock()
  const { keeper, upstream } = await ready(t, { timers })
  const old = credential(keeper)
  const { held, go } = holding(upstream)
  const renewal = keeper.renewNow('home')
  await until(() => held() === 1)
  let ended = false
  const answer = keeper.replaced('home', old).finally(() => { ended = true })
  let waited = 0
  for (; !ended; waited += 50) {
    await until(() => ended || pending() > 0)
    await advance(50)
  }
  t.same([await answer, waited], [undefined, 2000])
  const next = keeper.replaced('home', old)
  go()
  t.equal(await renewal, 'renewed')
  t.match(await next, `provider_key=${credential(keeper).key};`)
  t.equal(await keeper.replaced('absent', old), undefined)
})

t.test('who asks with a dead key waits ten minutes at most after the upstream has recovered, without more renewals than that', async (t) => {
  const { keeper, upstream, clock, after } = await ready(t)
  clock.now += 3.5 * day
  const ill = (): void => { busy(upstream, 50) }
  ill()
  const hours = async (count: number, asking?: () => Credential, step = minute): Promise<number> => {
    const before = upstream.requests.length
    for (const end = clock.now + count * 60 * minute; clock.now < end; clock.now += step) {
      if (asking !== undefined) keeper.ended('home', asking())
      await keeper.tick()
    }
    return upstream.requests.length - before
  }
  t.ok(await hours(12, undefined, 5 * minute) < 15)
  ill()
  t.ok(await hours(2, () => ({ ...credential(keeper), key: 'of long ago' })) <= 1, 'nobody asks with it: the pause is long')
  ill()
  const { length } = keeper.attempts
  keeper.ended('home', credential(keeper))
  await until(() => keeper.attempts.length > length) // the first refusal begins one at once, in the background
  const count = await hours(2, () => credential(keeper))
  t.ok(count >= 10 && count <= 13, `${count} in two hours`)
  upstream.fates.length = 0
  keeper.ended('home', credential(keeper))
  await after(11 * minute)
  t.equal(keeper.attempts.at(-1), 'home renewed')
})

t.test('the record before is kept until the new key has answered; refused before that, the old one is tried', async (t) => {
  const { keeper, upstream, folder, another, clock, login, after } = await ready(t)
  const old = credential(keeper)
  await keeper.renewNow('home')
  t.equal(recordOf(folder).previous.musicKey, old.key)
  t.not(credential(keeper).key, old.key)
  keeper.answered('home', old)
  // Another process has changed the login, and this one has not looked since.
  const [next, changed] = [onDisk(folder, 'home'), { ...onDisk(folder, 'home'), cookie: `${onDisk(folder, 'home').cookie}; more=1` }]
  put(folder, 'home', changed)
  keeper.answered('home', credential(keeper))
  await keeper.close()
  t.same(onDisk(folder, 'home'), changed, 'an answer to the old key proves nothing, nor one to a login that is not there any more')
  put(folder, 'home', next)

  // The upstream lost the new key: after a restart, its first use is refused.
  const fresh = login.key
  login.key = old.key
  const restarted = await another()
  t.equal(credential(restarted).key, fresh)
  restarted.ended('home', credential(restarted))
  t.equal(credential(restarted).key, old.key)
  t.match(restarted.cookieOf('home'), `provider_key=${old.key};`)
  await restarted.tick()
  await after(11 * minute, restarted)
  t.equal(upstream.requests.length, 1, 'it is used as it is')
  await after(2.5 * day, restarted)
  t.same([restarted.attempts.at(-1), upstream.requests.length], ['home renewed', 2], 'and renewed from there; the other key is not tried')
  t.ok(upstream.works(credential(restarted).key))
  t.equal(recordOf(folder).previous.musicKey, old.key)
  restarted.answered('home', credential(restarted))
  await until(() => recordOf(folder).previous === undefined)
  t.ok(upstream.works(recordOf(folder).musicKey))

  // Both are dead.
  await restarted.renewNow('home')
  login.key = 'none of them'
  const [second, first] = [credential(restarted).key, recordOf(folder).previous.musicKey as string]
  clock.now += 11 * minute
  restarted.ended('home', credential(restarted))
  t.equal(credential(restarted).key, first)
  restarted.ended('home', credential(restarted))
  await until(() => restarted.get('home')?.state === 'log in again')
  t.same(
    upstream.requests.slice(-2).map(({ param }) => param.musickey).sort(), [first, second].sort(), 'both were tried'
  )
})

t.test('a file that cannot be written is not renewed: the upstream would give up the old key', async (t) => {
  const { keeper, upstream, folder, after } = await ready(t)
  let writable = unwritable(folder, 'home')
  await after(2.5 * day)
  t.equal(upstream.requests.length, 0)
  t.match(
    keeper.log.join('\n'),
    /account home cannot be renewed: \S+home\.json cannot be written or read \(ENAMETOOLONG\)\. Make it writable: ls -ld \S+accounts$/m
  )
  t.match(keeper.states(), [{ state: 'failing', trouble: { why: /home\.json cannot be written or read \(ENAMETOOLONG\)$/, next: /^Make it writable: ls -ld / } }], 'a new login would not help')
  writable()
  await after(2 * minute)
  t.equal(keeper.attempts.at(-1), 'home renewed')
  t.match(keeper.states(), [{ state: 'ok' }])
  writable = unwritable(folder, 'home')
  for (let answers = 0; answers < 3; answers++) keeper.answered('home', credential(keeper))
  await keeper.close()
  t.equal(keeper.log.filter((line) => line === 'account home: its file cannot be written (ENAMETOOLONG)').length, 1, 'a full disk is told once, not at each answer')
  writable()
})

t.test('a renewed login that cannot be written is used, and written as soon as that is possible, or by a stop', async (t) => {
  const { keeper, upstream, folder, after } = await ready(t)
  let writable = (): void => {}
  const renewedUnwritten = async (): Promise<void> => {
    before(upstream, () => { writable = unwritable(folder, 'home') })
    t.equal(await keeper.renewNow('home'), 'renewed')
  }
  await renewedUnwritten()
  t.match(keeper.log.join('\n'), /is renewed, but its file cannot be written \(ENAMETOOLONG\)/)
  await keeper.tick()
  t.same(
    [credential(keeper).key, recordOf(folder).musicKey].map(upstream.works), [true, false],
    'the old one on disk does not come back'
  )
  writable()
  await after(2 * minute)
  t.same([upstream.works(recordOf(folder).musicKey), upstream.requests.length], [true, 1])
  await renewedUnwritten()
  writable()
  await keeper.close()
  t.ok(upstream.works(recordOf(folder).musicKey), 'a stop writes it')
  t.ok(lstatSync(fileOf(folder, 'home')).isFile())
})

t.test('while a renewed login cannot be written, an emptied file ends it, and a missing one does not: the disk may come back', async (t) => {
  const { keeper, upstream, folder, after } = await ready(t)
  await keeper.save('default', upstream.login('30003'))
  for (const name of ['home', 'default']) {
    const file = fileOf(folder, name)
    const old = onDisk(folder, name)
    let unblock = (): void => {}
    before(upstream, () => { unblock = blocked(folder, name) })
    t.equal(await keeper.renewNow(name), 'renewed')
    await keeper.tick()
    t.match(keeper.states().find((one) => one.name === name), { state: 'unreadable' })
    unblock()
    await after(minute)
    t.ok(upstream.works(credential(keeper, name).key))
    t.not(keeper.states().find((one) => one.name === name)?.state, 'unreadable', 'there is no file')
    if (name === 'home') {
      put(folder, name, old)
      await after(minute)
      t.ok(upstream.works(recordOf(folder, name).musicKey), 'it is written')
      unlinkSync(file)
      await Promise.all([
        keeper.tick(), keeper.replaced(name, credential(keeper)), keeper.replaced(name, credential(keeper))
      ])
      t.equal(keeper.log.filter((line) => line === 'account home is removed').length, 1)
    } else {
      writeFileSync(file, '{}')
      await keeper.tick()
      t.equal(keeper.credentialOf(name), undefined, 'somebody removed it')
    }
  }
})

t.test('a renewal that was complete on disk but for its name takes effect, and nothing else that lies there', async (t) => {
  for (const name of ['home', 'default']) {
    const { keeper, upstream, folder, another } = await ready(t)
    if (name === 'default') await keeper.save(name, upstream.login('30003'))
    const old = onDisk(folder, name)
    t.equal(await keeper.renewNow(name), 'renewed')
    const next = onDisk(folder, name)
    const leave = (number: number, content: unknown): void => { writeFileSync(
      `${fileOf(folder, name)}.${number}`, typeof content === 'string' ? content : JSON.stringify(content)
    ) }
    put(folder, name, old)
    leave(1_111_111_111, JSON.stringify(next).slice(0, -10))
    leave(1_111_111_112, { ...next, renewal: {
      ...next.renewal, musicKey: 'other', previous: { ...next.renewal.previous, musicKey: 'older' }
    } })
    leave(1_111_111_113, { ...next, loginUin: 'o1' })
    t.equal(credential(await another(), name).key, old.renewal.musicKey)
    leave(1_111_111_114, next)
    const restarted = await another()
    t.equal(credential(restarted, name).key, next.renewal.musicKey)
    t.ok(upstream.works(recordOf(folder, name).musicKey))
    t.match(restarted.log.join('\n'), `account ${name}: a renewal that was interrupted is completed`)
    put(folder, name, old)
    await restarted.tick()
    t.equal(await restarted.renewNow(name), 'changed', 'also by an instance that runs, before it asks')
    t.ok(upstream.works(credential(restarted, name).key))
    t.equal(upstream.requests.length, 1)
    put(folder, name, old)
    await restarted.tick()
    const dead = credential(restarted, name)
    restarted.ended(name, dead)
    await until(() => credential(restarted, name).key === next.renewal.musicKey)
    t.equal(upstream.requests.length, 1, 'at once when a call is refused, also while no further renewal may begin')
  }
})

t.test('user-info.json is renewed, too, and keeps what else it holds', async (t) => {
  const { keeper, upstream, folder, another, after, edit } = await ready(t)
  await edit('default', upstream.login('30003', 1))
  const other = await another()
  // A relay that follows the file, as the command does.
  const followed = userInfoIn(folder)
  await followed.load()
  const events: string[] = []
  t.teardown(followed.watch({ changed: ({ cookie = '' }) => { events.push(cookie) }, refused: (reason) => {
    events.push(`refused: ${reason.message}`)
  } }))
  await after(2.5 * day)
  await until(() => events.length > 0)
  t.same(events, [onDisk(folder, 'default').cookie])
  t.same(keeper.attempts.sort(), ['default renewed', 'home renewed'])
  t.match([Object.keys(onDisk(folder, 'default')), onDisk(folder, 'default').loginUin], [
    ['loginUin', 'cookie', 'renewal'], 'o30003'
  ])
  t.ok(upstream.works(credential(keeper, 'default').key))
  await other.tick()
  t.same(other.attempts, [], 'another process uses the renewed one')
  t.ok(upstream.works(credential(other, 'default').key))
  keeper.answered('default', credential(keeper, 'default'))
  await keeper.close()
  t.equal(recordOf(folder, 'default').previous, undefined, 'a stop waits for what an answer writes')
  t.same(other.log.filter((line) => /error|cannot/.test(line)), [])
})

t.test('switched off, nothing is renewed; a cookie without its record, or with another key, cannot be', async (t) => {
  const { options: { timers } } = testClock() // no wait would end
  const { keeper, upstream, clock, folder, another } = await ready(t, { renew: false, timers })
  const login = upstream.login('40004')
  await keeper.save('bare', { loginUin: login.loginUin, cookie: login.cookie })
  await keeper.save('pasted', { ...login, cookie: 'uin=40004; provider_key=pasted' })
  const renewal = login.renewal as NonNullable<typeof login.renewal>
  await keeper.save('foreign', { ...login, renewal: { ...renewal, musicId: '99999' } })
  await keeper.save('mixed', login)
  put(folder, 'mixed', { ...onDisk(folder, 'mixed'), renewal: {
    ...renewal, previous: { ...renewal, musicId: '99999', musicKey: 'of-another' }
  } })
  t.equal(await keeper.replaced('home', credential(keeper)), undefined, 'a call waits for nothing that nobody does')
  clock.now += 2.9 * day
  const other = await another()
  other.ended('home', credential(other))
  await other.close()
  t.same(other.attempts, [])
  keeper.ended('home', credential(keeper))
  await keeper.tick()
  t.equal(upstream.requests.length, 0)
  t.same(keeper.list().map(({ name, renewable }) => [name, renewable]), [
    ['bare', false], ['foreign', false], ['home', true], ['mixed', true], ['pasted', false]
  ])
  keeper.ended('mixed', credential(keeper, 'mixed'))
  t.equal(credential(keeper, 'mixed').key, renewal.musicKey, 'a record of another account does not stand in')
  for (const name of ['bare', 'foreign', 'pasted']) t.equal(await keeper.renewNow(name), 'impossible')
  unlinkSync(fileOf(folder, 'mixed'))
  t.equal(await keeper.renewNow('mixed'), 'impossible', 'nor what somebody has removed')
  t.equal(upstream.requests.length, 0)
  t.equal(await keeper.renewNow('home'), 'renewed', 'unless somebody asks for it')
})

t.test('a stop waits for a renewal under way, and a new login that comes meanwhile stays', async (t) => {
  const { keeper, upstream, folder, clock, another } = await ready(t)
  const one = holding(upstream)
  clock.now += 2.5 * day
  void keeper.tick()
  await until(() => one.held() === 1)
  let closed = false
  const closing = keeper.close().then(() => { closed = true })
  await settled()
  t.notOk(closed)
  one.go()
  await closing
  t.ok(upstream.works(recordOf(folder).musicKey))

  const next = await another()
  const two = holding(upstream)
  const renewal = next.renewNow('home')
  await until(() => two.held() === 1)
  const other = await another()
  const saved = other.save('home', { loginUin: 'o50005', cookie: 'uin=50005; provider_key=of-person' })
  two.go()
  t.equal(await renewal, 'renewed')
  await saved
  t.equal(onDisk(folder, 'home').loginUin, 'o50005')
})

t.test('many accounts that are due are renewed a few at a time, and a stop begins no more', async (t) => {
  const { keeper, upstream, clock, another } = await ready(t, { tuning: { renewalsAtOnce: 2 } })
  for (let number = 0; number < 10; number++) await keeper.save(`a${number}`, upstream.login(`6000${number}`))
  const { held, go } = holding(upstream, 11)
  clock.now += 2.5 * day
  void keeper.tick()
  await until(() => held() === 2)
  const closing = keeper.close()
  go()
  await closing
  t.equal(upstream.requests.length, 2)
  upstream.fates.length = 0
  const next = await another()
  await next.tick()
  t.equal(upstream.requests.length, 11, 'the others are renewed after the start')
  for (const { name } of next.list()) t.ok(upstream.works(credential(next, name).key))
})

t.test('two processes with one folder renew once', async (t) => {
  const { keeper, upstream, clock, another } = await ready(t)
  const all = [keeper, ...await Promise.all(Array.from({ length: 3 }, async () => await another()))]
  for (let round = 1; round <= (whole ? 10 : 3); round++) {
    clock.now += 2.5 * day
    await Promise.all(all.map(async (each) => { await each.tick() }))
    t.same([upstream.requests.length, ...all.map((each) => upstream.works(credential(each).key))], [
      round, true, true, true, true
    ])
  }
})

t.test('an attempt that waits for the file ends when another process has renewed it, also if that was seen meanwhile', async (t) => {
  const { upstream, folder, another, after } = await ready(t)
  const old = onDisk(folder, 'home')
  await after(2.5 * day)
  const next = onDisk(folder, 'home')
  put(folder, 'home', old)
  let begins = (): void => {}
  const begun = new Promise<void>((resolve) => { begins = resolve })
  const other = await another({ lock: async () => { begins(); return undefined } })
  let waiting: Promise<void> | undefined
  await withFileLock(fileOf(folder, 'home'), async () => {
    waiting = other.tick()
    await begun
    put(folder, 'home', next)
    await other.tick()
    t.equal(credential(other).key, next.renewal.musicKey)
  })
  await waiting
  t.same(other.attempts, ['home changed'])
  t.equal(upstream.requests.length, 1)
  t.ok(upstream.works(credential(other).key))
})

t.test('instances that share a store take turns, and without its answer each works alone', { skip: without('redis-server') }, async (t) => {
  const store = await startStore(t)
  const log = { info () {}, warn () {} }
  const open = async (): ReturnType<typeof openStore> => {
    const shared = await openStore({ url: store.url, secret: 'of the instances', timeoutMs: 2000 }, log)
    t.teardown(async () => { await shared.close() })
    await until(async () => typeof await shared.lock('ready', 1000) !== 'undefined')
    return shared
  }
  const [one, two] =
    await Promise.all([open(), open()]) as [Awaited<ReturnType<typeof open>>, Awaited<ReturnType<typeof open>>]
  const free = await one.lock('account 1', 60_000)
  t.type(free, 'function')
  t.equal(await two.lock('account 1', 60_000), 'taken')
  t.type(await two.lock('account 2', 60_000), 'function')
  const client = new Redis(store.url)
  const names = await client.keys('*')
  client.disconnect()
  t.equal(names.length, 3)
  t.notMatch(names.join(' '), /account/, 'the store does not learn whose turn it is')
  ;(free as () => void)()
  await until(async () => await two.lock('account 1', 60_000) !== 'taken')

  const { keeper, upstream, clock, another, after } =
    await ready(t, { lock: async (uin) => await one.lock(uin, 60_000) })
  const other = await another({ lock: async (uin) => await two.lock(uin, 60_000) })
  for (let round = 1; round <= (whole ? 5 : 2); round++) {
    clock.now += 2.5 * day
    await Promise.all([keeper.tick(), other.tick()])
    t.equal(upstream.requests.length, round)
    await other.tick()
    await keeper.tick()
    for (const each of [keeper, other]) t.ok(upstream.works(credential(each).key))
  }
  await store.end()
  await after(2.5 * day)
  t.equal(keeper.attempts.at(-1), 'home renewed')
  await other.tick()
  t.ok(upstream.works(credential(other).key))
})

t.test('a kill leaves a key that works, unless its answer never arrived', async (t) => {
  await killAt(t, ['cut', 'rename'])
})
