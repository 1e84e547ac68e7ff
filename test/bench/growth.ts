/**
 * The phase of growth: what an answer costs, in CPU and memory, when there is more of something. Each line has a relay
 * for each amount, and ratios to the smallest amount. docs/performance.md explains the slopes.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { startKeeper, startRelay, type Server } from './children.ts'
import {
  digits, median, ratios, rounds, spread, standing, sum, turn, uncached, wide, type Bench, type Phase, type Row,
  type Turn
} from './ground.ts'
import type { Load } from './load.ts'

type Ask = Omit<Load, 'port' | 'seconds' | 'requests'>

/** One amount. `memory`: its relay answers from memory. `upstream`: another one, or the same, asks the upstream. */
interface Step {
  readonly amount: string
  readonly memory: readonly [Server, Ask]
  readonly upstream?: readonly [Server, Ask]
}

interface Line { readonly name: string, readonly steps: readonly Step[] }

/** Short turns: a line has many. */
const seconds = 0.75
/** Time without requests in which the CPU time at rest is measured. The kernel counts in steps of ten milliseconds. */
const restMs = 3000
const kinds = ['memory', 'upstream'] as const
const songPath = '/getSongInfo?songmid=00DemoSong0001'

/** Warms each relay up, runs the rounds, and then lets all rest. */
async function measure ({ name, steps }: Line, bench: Bench): Promise<Row[]> {
  const ask = async (step: Step): Promise<Partial<Record<typeof kinds[number], Turn>>> => {
    const told: Partial<Record<typeof kinds[number], Turn>> = {}
    for (const kind of kinds) {
      if (step[kind] !== undefined) told[kind] = await turn(bench, step[kind][0], { ...step[kind][1], seconds })
    }
    return told
  }
  for (const step of steps) await ask(step)
  const turns = await rounds(bench, steps, ask, `${name}, `, Math.min(bench.rounds, 3))
  const servers = steps.map(({ memory: [server] }) => server)
  const before = servers.map((server) => server.cpuMs())
  await sleep(restMs)
  const rest = servers.map((server, at) => (server.cpuMs() - (before[at] as number)) / restMs * 1000)
  const sizes = servers.map((server) => server.memory().now)
  const of = (at: number, kind: typeof kinds[number]): Turn[] => turns[at]?.flatMap((told) => told[kind] ?? []) ?? []
  const first = (at: number, ratio: number): string => at === 0 ? '1' : digits(ratio)
  return steps.map(({ amount }, at) => {
    const cells = kinds.flatMap((kind) => {
      const [cpu, base] = [at, 0].map((step) => of(step, kind).map((one) => one.cpu)) as [number[], number[]]
      return [...spread(cpu), cpu.length === 0 ? '' : first(at, median(ratios(cpu, base)))]
    })
    const all = kinds.flatMap((kind) => of(at, kind))
    return { name: `${name}: ${amount}`, cells: [
      ...cells, digits(sizes[at] as number), first(at, (sizes[at] as number) / (sizes[0] as number)),
      digits(rest[at] as number), digits(median(all.map((one) => one.load))),
      String(sum(all.map(({ bad }) => bad)))
    ] }
  })
}

const named = (amount: number): string => amount.toLocaleString('en-US')

/** Starts relays for each amount, and measures lines of them: what its relays are asked, those with a cache and those without. */
async function lines (
  bench: Bench, amounts: readonly number[], servers: (amount: number, origin: string) => readonly Promise<Server>[],
  asked: Readonly<Record<string, (amount: number) => Ask>>
): Promise<Row[]> {
  return await standing((origin) => amounts.flatMap((amount) => servers(amount, origin)), async (all) => {
    const each = all.length / amounts.length
    const rows: Row[] = []
    for (const [name, ask] of Object.entries(asked)) {
      const steps = amounts.map((amount, at): Step => {
        const [memory, upstream] = all.slice(at * each, (at + 1) * each)
        return {
          amount: named(amount), memory: [memory as Server, ask(amount)],
          ...upstream === undefined ? {} : { upstream: [upstream, ask(amount)] }
        }
      })
      rows.push(...await measure({ name, steps }, bench))
    }
    return rows
  })
}

/** Answers of one question, or of all of them as often. The last relay has the default settings, and keeps what they allow. */
async function cachedAnswers (bench: Bench): Promise<Row[]> {
  const bytesEach = 14_000
  return [
    ...await lines(bench, [1000, 10_000, 100_000, 1_000_000], (amount, origin) => [
      startKeeper(amount, amount * bytesEach, origin)
    ], {
      'cached answers, one requested': () => ({ paths: ['/getSongInfo?songmid=song_0'], connections: 10 }),
      'cached answers, all requested': (below) => ({ paths: ['/getSongInfo?songmid=song_{n}'], below, connections: 10 })
    }),
    ...await lines(bench, [1_000_000], (amount, origin) => [startKeeper(amount, undefined, origin)], {
      'answers offered to the default bound, 5,000 asked': () => ({ paths: ['/getSongInfo?songmid=song_{n}'], below: 5000, connections: 10 })
    })
  ]
}

/** Each account has its answer in memory, and its secret is sent as often as the others'. */
async function storedAccounts (bench: Bench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-accounts-'))
  const amounts = [1, 10, 100, 1000]
  const secrets = Array.from({ length: 1000 }, () => `mr_${randomBytes(32).toString('base64url')}`)
  const [login] = demoAccounts()
  for (const amount of amounts) {
    mkdirSync(join(folder, String(amount), 'accounts'), { recursive: true, mode: 0o700 })
    for (let at = 0; at < amount; at++) {
      const account =
        { secret: secrets[at], createdAt: Math.floor(Date.now() / 1000), loginUin: login?.uin, cookie: login?.cookie }
      writeFileSync(
        join(folder, String(amount), 'accounts', `account-${at}.json`), JSON.stringify(account), { mode: 0o600 }
      )
    }
  }
  const settings = (amount: number): Record<string, string> =>
    ({ CONFIG_DIR: join(folder, String(amount)), RENEW_LOGINS: 'false', RATE_LIMIT: '1000000' })
  try {
    return await lines(bench, amounts, (amount, origin) => [
      startRelay(origin, { ...wide, ...settings(amount) }), startRelay(origin, { ...uncached, ...settings(amount) })
    ], {
      accounts: (amount) => ({
        paths: [songPath], headers: secrets.slice(0, amount).map((secret) => `authorization: Bearer ${secret}`),
        connections: 10
      })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Connections stay open from turn to turn, and all of them ask. */
const connections = async (bench: Bench): Promise<Row[]> => await lines(
  bench, [1, 100, 1000, 5000], (_amount, origin) => [startRelay(origin, { ...wide, MAX_CONNECTIONS: '10000' })],
  {
    connections: (amount) => ({ paths: [songPath], connections: amount, keep: true })
  }
)

/** Addresses of clients behind a proxy, each with a count of its own. */
const addresses = async (bench: Bench): Promise<Row[]> =>
  await lines(bench, [1, 100, 1000, 5000], (_amount, origin) => [
    startRelay(origin, { ...wide, TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '1000000' })
  ], {
    'client addresses': (length) => ({ paths: [songPath], headers: Array.from(
      { length }, (_, at) => `x-forwarded-for: 10.${at >> 16}.${at >> 8 & 255}.${at & 255}`
    ), connections: 10 })
  })

/** A hundred songs are the most that an answer has. */
const charts = async (bench: Bench): Promise<Row[]> =>
  await lines(bench, [1, 10, 100], (_amount, origin) => [startRelay(origin, wide), startRelay(origin, uncached)], {
    'songs of a chart': (amount) => ({ paths: [`/getRanks?topId=62&limit=${amount}`], connections: 10 })
  })

export const growth: Phase = {
  name: 'growth',
  about: 'CPU and memory of an answer while something grows; short turns, three rounds at most; ratios to the smallest amount',
  run: async (bench) => {
    const rows: Row[] = []
    for (const line of [cachedAnswers, storedAccounts, connections, addresses, charts]) rows.push(...await line(bench))
    return { columns: ['memory us', 'spread', 'ratio', 'uncached us', 'spread', 'ratio', 'MB', 'ratio', 'CPU ms/s at rest', 'load us', 'not 200'], rows }
  }
}
