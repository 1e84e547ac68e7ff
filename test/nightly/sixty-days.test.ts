/**
 * Three accounts live for sixty days behind two relays that share a folder, through refusals, lost answers, outages,
 * kills, restarts, a full disk, wrong clocks and a shared store. The order of the troubles follows from a seed:
 * `SIXTY_SEEDS=1,2,3`.
 */
import { lstatSync, readFileSync, readdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'iovalkey'
import t, { type Test } from 'tap'
import { accountNamed } from '../../src/demo/accounts.ts'
import { secretsOf } from '../../src/demo/loginRecord.ts'
import { fileOf, folderFor, keptAccounts, onDisk } from '../support/accountsHelper.ts'
import { cookieOf, demoFor, until } from '../support/helper.ts'
import { startStore, without } from '../support/instances.ts'
import { loggedIn, seeded, shuffled, startClocked, wayTo, type ClockedRelay, type Way } from '../support/sixtyDays.ts'

/** Longest time between two looks, in hours, less one. The relay looks every second; `SIXTY_STEP=1` is a long run. */
const stepHours = Number(process.env['SIXTY_STEP'] ?? 6)
const [day, hour, minute] = [86_400_000, 3_600_000, 60_000]
const channels = { ordinary: 'main', member: 'alt', partner: 'main' } as const
type Person = keyof typeof channels
const people = Object.keys(channels) as Person[]
const paths = ['/user/getUserLikedSongs?limit=5', '/getDailyRecommend']
const renewal = ['music.login.LoginServer/Login?code=', 'QQConnectLogin.LoginServer/QQLogin?code=']

/** What a request may be answered. `away`: the upstream is; `waiting`: a key is lost or has expired, and is renewed as soon as that is possible. */
type Rule = 'own' | 'away' | 'waiting'

interface Seat { readonly way: Way, relay: ClockedRelay | undefined }

/** The household, its relays, and what was seen. */
async function household (t: Test, random: () => number) {
  const demo = await demoFor(t)
  const begun = demo.clock.now()
  const folder = folderFor(t)
  const store = without('redis-server') === false ? await startStore(t) : undefined
  const redis = store && new Redis(store.url)
  t.teardown(() => { redis?.disconnect() })
  const said: string[] = []
  const secrets = new Set<string>()
  const wrong: string[] = []
  const seen = { requests: 0, kills: 0, stops: 0, refused: 0, away: 0, days: 0 }
  const ahead = { wall: 0, steady: 0 }
  const seats: [Seat, Seat] =
    [{ way: await wayTo(t, demo), relay: undefined }, { way: await wayTo(t, demo), relay: undefined }]
  const renewedAt: Partial<Record<Person, number>> = {}
  let shared = false
  let trouble = 'nothing'

  const first = await keptAccounts(folder)
  const texts: Partial<Record<Person, string>> = {}
  for (const name of people) {
    texts[name] = await first.save(name, await loggedIn(demo, name, channels[name])) as string
    secrets.add(texts[name] as string)
    if (name !== 'ordinary') secrets.add(texts[name] = await first.addKey(name, 'player', { readOnly: true }))
    Object.values(secretsOf(accountNamed(name))).forEach((secret) => { secrets.add(secret) })
  }
  await first.close()
  const headers: Record<Person, string> =
    { ordinary: `Bearer ${texts.ordinary}`, member: `Bearer ${texts.member}`, partner: `Basic ${Buffer.from(`anybody:${texts.partner}`).toString('base64')}` }
  secrets.add(headers.partner.slice(6))

  const complain = (what: string): void => { wrong.push(`day ${((demo.clock.now() - begun) / day).toFixed(2)}, ${trouble}: ${what}`) }
  const relays = (): ClockedRelay[] => seats.flatMap(({ relay }) => relay === undefined || relay.gone() ? [] : [relay])

  async function start (seat: Seat): Promise<void> {
    seat.relay = await startClocked(t, ahead, {
      CONFIG_DIR: folder, UPSTREAM_ORIGIN: seat.way.origin, IMAGE_ORIGIN: seat.way.origin,
      ...shared && store !== undefined ? { REDIS_URL: store.url } : {}
    }, (text) => { said.push(text) })
  }
  async function startMissing (): Promise<void> {
    for (const seat of seats) if (seat.relay === undefined || seat.relay.gone()) await start(seat)
  }
  async function end (seat: Seat, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (seat.relay === undefined || seat.relay.gone()) return
    seen[signal === 'SIGKILL' ? 'kills' : 'stops']++
    await seat.relay.end(signal)
  }

  /** Time passes for the upstream, the relays and the store. */
  async function move (ms: number): Promise<void> {
    demo.clock.move(ms)
    ahead.wall += ms
    ahead.steady += ms
    if (redis === undefined || !shared) return
    for (const key of await redis.keys('music-relay:lock:*')) {
      const left = await redis.pttl(key)
      if (left > ms) await redis.pexpire(key, left - ms)
      else await redis.del(key)
    }
  }

  /** All relays look, as they do every second, and all files are whole. */
  async function look (): Promise<void> {
    for (const looked of await Promise.all(relays().map(async (relay) => await relay.look(ahead)))) {
      for (const state of looked?.states ?? []) if (!state.endsWith(' ok')) complain(state)
      for (const name of people) {
        if (looked?.attempts.includes(`${name} renewed`) !== true) continue
        const last = renewedAt[name] ?? 0
        if (demo.clock.now() - last < 1.5 * day && !/kill|answer|clock/.test(trouble)) {
          complain(`${name} was renewed after ${((demo.clock.now() - last) / day).toFixed(2)} days`)
        }
        renewedAt[name] = demo.clock.now()
      }
      if (process.env['SIXTY_SAY'] !== undefined && looked !== undefined && looked.attempts.length > 0) t.comment(
        `${((demo.clock.now() - begun) / day).toFixed(3)} ${looked.who} ${trouble}: ${looked.attempts.join(', ')}`
      )
    }
    for (const name of people) {
      const { mode } = lstatSync(fileOf(folder, name)).isSymbolicLink() ? { mode: 0o600 }
        : lstatSync(fileOf(folder, name))
      if ((mode & 0o777) !== 0o600) complain(`${name} has mode ${mode.toString(8)}`)
      const { renewal: { musicKey, refreshKey, previous } } = onDisk(folder, name)
      for (const secret of [musicKey, refreshKey, previous?.musicKey]) if (secret !== undefined) secrets.add(secret)
    }
  }

  const expected = new Map<string, string>()
  async function ask (name: Person, relay: ClockedRelay, path: string): Promise<{ status: number, text: string }> {
    const answer = await fetch(`${relay.address}${path}`, { headers: { authorization: headers[name] } })
    return { status: answer.status, text: await answer.text() }
  }

  /** Whether a key that the relays could know is alive. */
  const isRenewed = (name: Person): boolean => {
    const { renewal: { musicKey, previous } } = onDisk(folder, name)
    return demo.keys.valid(musicKey) || demo.keys.valid(previous?.musicKey ?? '')
  }

  /** One request. Returns whether it got the account's own answer. */
  async function asked (name: Person, relay: ClockedRelay, path: string, rule: Rule): Promise<boolean> {
    seen.requests++
    const isLost = !isRenewed(name)
    let answer: Awaited<ReturnType<typeof ask>> | undefined
    // The relay was killed meanwhile, or has just closed a connection without a request: clients ask again.
    do answer = await ask(name, relay, path).catch(() => undefined)
    while (answer === undefined && !relay.gone())
    if (answer === undefined) return true
    const { status, text } = answer
    if (status === 200 && text === expected.get(`${name} ${path}`)) return true
    const { code } = JSON.parse(text) as { code?: unknown }
    // Without upstream a stale answer counts that has other sources, as long as it is nobody else's.
    const allowed = rule === 'away' ? [502, 503, 504].includes(status) || (status === 200 && ![...expected.values()]
      .includes(text)) : rule === 'waiting' && code === 'COOKIE_REJECTED' && (isLost || !isRenewed(name))
    if (!allowed) complain(`${name} got ${status} ${text.slice(0, 150)} (${rule})`)
    seen[rule === 'away' ? 'away' : 'refused']++
    for (const other of people) if (text.includes(accountNamed(other).uin)) complain(`${name} sees ${other}`)
    return false
  }

  /** Requests of all three, each at one of the relays. Returns whether all got their own. */
  async function everybody (rule: Rule = 'own'): Promise<boolean> {
    const all = relays()
    const got = await Promise.all(people.map(async (name) => await asked(
      name, all[Math.floor(random() * all.length)] as ClockedRelay, paths[random() < 0.75 ? 0 : 1] as string, rule
    )))
    return got.every(Boolean)
  }

  const renewals = (): number[] => people.map((name) => demo.keys.of(name).renewals)

  /** Hours pass, with looks, and with requests after some of them. */
  async function pass (hours: number, rule: Rule = 'own', until = (): boolean => false): Promise<void> {
    const end = Math.min(demo.clock.now() + hours * hour, begun + 59.9 * day)
    while (demo.clock.now() < end && !until()) {
      const before = renewals()
      await move(Math.min(end - demo.clock.now(), hour * (1 + random() * stepHours)))
      // Some requests come while keys are renewed.
      await Promise.all([look(), ...random() < 0.25 ? [everybody(rule)] : []])
      await move(1000)
      await look()
      renewals().forEach((count, at) => { if (rule !== 'waiting' && count > (before[at] as number) + 1) {
        complain(`${people[at]} was renewed ${count - (before[at] as number)} times within some hours`)
      } })
      if (!until() && random() < 0.4) await everybody(rule)
    }
  }

  /** After a key was lost or has expired: all get their own answers again within the hour. */
  async function recover (): Promise<void> {
    for (let round = 0; round < 25; round++) {
      await move(2 * minute)
      await look()
      await move(1000)
      await look()
      const got = await Promise.all(relays()
        .flatMap((relay) => people.map(async (name) => await asked(name, relay, paths[0] as string, 'waiting'))))
      if (got.every(Boolean)) return
    }
    complain('not all recovered within the hour')
  }

  return {
    demo, folder, seats, seen, wrong, said, secrets, expected, ahead, random, begun,
    complain, relays, start, startMissing, end, move, look, asked, everybody, pass, recover, renewals,
    days: () => (demo.clock.now() - begun) / day,
    share (on: boolean) { shared = on && store !== undefined },
    during (name: string) { trouble = name }
  }
}

type Household = Awaited<ReturnType<typeof household>>
const between = ({ random }: Household, low: number, high: number): number => low + random() * (high - low)

/** Nobody can write the files of accounts: the names of what would replace them are too long, for administrators too. */
async function full ({ folder }: Household): Promise<() => void> {
  const accounts = join(folder, 'accounts')
  await until(() => !readdirSync(accounts).some((file) => file.endsWith('.lock')))
  const long = (name: string): string => join(accounts, `${name}-${'x'.repeat(240 - name.length)}.json`)
  for (const name of people) {
    renameSync(fileOf(folder, name), long(name))
    symlinkSync(long(name), fileOf(folder, name))
  }
  return () => {
    for (const name of people) {
      unlinkSync(fileOf(folder, name))
      renameSync(long(name), fileOf(folder, name))
    }
  }
}

/** A mood of the upstream for some hours, shorter than what is left of a key's life when it is due. */
const mood = (name: string) => async (home: Household): Promise<void> => {
  home.demo.moods.on(name)
  await home.pass(between(home, 2, 10))
  home.demo.moods.off(name)
}

/** Something that happens to the next renewal. An upstream that forgives renews the key before once more within an hour. */
const next = (
  begin: (home: Household, happened: () => void) => void | (() => boolean)
) => async (home: Household): Promise<void> => {
  const { demo, seats } = home
  let over = false
  demo.moods.on('renewal-forgiving')
  const isOver = begin(home, () => { over = true }) ?? (() => over)
  await home.pass(72, 'waiting', isOver)
  for (const { way } of seats) way.watch = undefined
  if (home.random() < 0.5 || home.relays().length === 0) await home.startMissing()
  await home.recover()
  await home.startMissing()
  await home.recover()
  demo.moods.off('renewal-forgiving')
}

/** The relay that renews is killed: before its request, before the answer comes, or some moments after it came. */
const kill = (moment: 'request' | 'answer' | 'after') => next((home, happened) => {
  for (const seat of home.seats) {
    seat.way.watch = async (now) => {
      if (now !== (moment === 'request' ? 'request' : 'answer')) return 'pass'
      for (const { way } of home.seats) way.watch = undefined
      if (moment === 'after') void sleep(home.random() * 20)
        .then(async () => { await home.end(seat, 'SIGKILL') }).then(happened)
      else await home.end(seat, 'SIGKILL').then(happened)
      return moment === 'after' ? 'pass' : 'drop'
    }
  }
})

async function away (home: Household, hours: number, until?: () => boolean): Promise<void> {
  await Promise.all(home.seats.map(async ({ way }) => { await way.cut() }))
  await home.pass(hours, 'away', until)
  await Promise.all(home.seats.map(async ({ way }) => { await way.mend() }))
  // The relays let one request through after seconds, and then all.
  for (let round = 0; round < 10; round++) {
    await home.move(10_000)
    await home.look()
    if (await home.everybody('away')) break
  }
}

const troubles: Readonly<Record<string, (home: Household) => Promise<void>>> = {
  'the first form is refused': async (home) => {
    home.demo.next(renewal[0] as string, { code: home.random() < 0.5 ? 104_403 : 10_006 })
    await home.pass(48)
  },
  'only the form of the web works': mood('renewal-web-only'),
  'only the form of a phone works': mood('renewal-phone-only'),
  'only the form of the site works': mood('renewal-site-only'),
  'wrong types': mood('renewal-mistyped'),
  'too frequent': mood('renewal-busy'),
  'renewals are 500': mood('renewal-500'),
  'an answer is lost': next(({ demo }) => {
    demo.moods.on('renewal-lost')
    return () => !demo.moods.list().some(({ name, on }) => on && name === 'renewal-lost')
  }),
  'an answer cannot be used': next(({ demo }, happened) => {
    demo.next(renewal[0] as string, { mutate: (answer) => {
      answer.data.musickey = 5
      happened()
    } })
  }),
  'the upstream is away for hours': async (home) => { await away(home, between(home, 2, 10)) },
  'the upstream is away for 30 hours': async (home) => {
    await away(home, 30)
    await home.recover()
    // What failed last during the outage is tried again within six hours. A key may expire before.
    await home.pass(8, 'waiting')
    await home.recover()
  },
  'a key expires, and then only the form of the site works': async (home) => {
    const due = (): boolean => (['ordinary', 'partner'] as const)
      .some((name) => home.demo.keys.of(name).created < home.demo.clock.now() - 1.7 * day)
    await home.pass(60, 'own', due)
    await away(home, 45, () => (['ordinary', 'partner'] as const).some((name) => !home.demo.keys.of(name).valid))
    home.demo.moods.on('renewal-site-only')
    await home.pass(8, 'waiting')
    home.demo.moods.off('renewal-site-only')
    await home.recover()
  },
  'a kill': async (home) => {
    await home.end(home.seats[home.random() < 0.5 ? 0 : 1], 'SIGKILL')
    await home.pass(between(home, 1, 12))
    await home.startMissing()
  },
  'a kill of both': async (home) => {
    await Promise.all(home.seats.map(async (seat) => { await home.end(seat, 'SIGKILL') }))
    await home.move(between(home, 0, 3) * hour)
    await home.startMissing()
  },
  'a kill before a renewal': kill('request'),
  'a kill during a renewal': kill('answer'),
  'a kill after a renewal': kill('after'),
  'a restart': async (home) => {
    for (const seat of home.seats) {
      await home.end(seat, 'SIGTERM')
      await home.start(seat)
    }
  },
  'nothing can be written': async (home) => {
    const free = await full(home)
    await home.pass(between(home, 2, 10))
    free()
  },
  'the clock is set': async (home) => {
    const by = (home.random() < 0.5 ? -1 : 1) * between(home, 0.01, 6) * day
    home.ahead.wall += by
    await home.look()
    // By a clock that is a day behind, a key is renewed too late.
    await home.pass(between(home, 1, 60), 'waiting')
    home.ahead.wall -= by
    await home.recover()
  }
}

for (const seed of (process.env['SIXTY_SEEDS'] ?? '1').split(',').map(Number)) {
  t.test(`seed ${seed}: three accounts live for sixty days, and every request is answered as its account`, async (t) => {
    const home = await household(t, seeded(seed))
    const { demo, seen, wrong, folder } = home
    await home.startMissing()
    const [relay] = home.relays() as [ClockedRelay]
    for (const path of paths) for (const name of people) home.expected.set(`${name} ${path}`, await (await fetch(
      `${relay.address}${path}`, { headers: { 'x-custom-cookie': cookieOf(demo, name) } }
    )).text())
    if (process.env['SIXTY_SAY'] !== undefined) for (const [k, v] of home.expected) t.comment(`${k} ${v.slice(0, 200)}`)
    t.equal(new Set(home.expected.values()).size, people.length * paths.length, 'their answers differ')

    const deck = shuffled(Object.entries(troubles), home.random)
    let events = 0
    for (; home.days() < 55; events++) {
      const [name, happens] = deck[events % deck.length] as (typeof deck)[number]
      // With a shared store, and without.
      if (events % 8 === 3) {
        home.during('a shared store')
        home.share(events % 16 === 3)
        await troubles['a restart']?.(home)
      }
      home.during(name)
      await happens(home)
      home.during(`after: ${name}`)
      await home.pass(between(home, 24, 60))
    }
    home.during('the end')
    await home.pass(Infinity)
    t.same(wrong, [], 'every request was answered as its account')
    t.ok(await home.everybody())
    t.comment(`seed ${seed}: ${home.days().toFixed(1)} days, ${events} of ${deck.length} troubles, ${seen.requests} requests (${seen.refused} refused while a key was lost or expired, ${seen.away} without upstream), ${seen.kills} kills, ${seen.stops} stops, renewals ${home.renewals().join(' ')}`)
    for (const [at, count] of home.renewals().entries()) {
      t.ok(count >= 18 && count <= 60, `${people[at]}: ${count} renewals`)
    }
    const log = home.said.join('')
    t.match(log, /is renewed/)
    for (const secret of home.secrets) if (log.includes(secret)) t.fail(`a secret is in the log: ${secret.slice(0, 12)}`)
    for (const name of people) t.match(JSON.parse(readFileSync(fileOf(folder, name), 'utf8')), { loginUin: String })

    // The tokens end: that is said, and nothing else changes.
    for (let hours = 0; hours < 72; hours++) {
      await home.move(hour)
      await Promise.all(home.relays().map(async (each) => await each.look(home.ahead)))
    }
    for (const name of people) t.match(onDisk(folder, name).renewal, { state: 'log in again', reason: 104_400 }, name)
  })
}
