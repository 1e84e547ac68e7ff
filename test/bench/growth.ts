/**
 * The phase of growth: what an answer costs, in CPU and memory, when there is more of something. Each line has a relay for
 * each amount, and ratios to the smallest amount. docs/performance.md explains the slopes.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { startKeeper, startRelay } from './children.ts'
import type { Server } from './children.ts'
import { digits, median, spread } from './compare.ts'
import type { Row } from './compare.ts'
import { standing, uncached, wide } from './ground.ts'
import type { Bench, Phase } from './ground.ts'
import type { Load } from './load.ts'
import { song } from './questions.ts'

type Ask = Omit<Load, 'port' | 'seconds' | 'requests'>

/** One amount. `memory`: its relay answers from memory. `upstream`: another one, or the same, asks the upstream. */
interface Step {
  readonly amount: string
  readonly memory?: readonly [Server, Ask]
  readonly upstream?: readonly [Server, Ask]
}

interface Line { readonly name: string, readonly steps: readonly Step[] }

/** Short turns: a line has many. */
const turnSeconds = 0.75

interface Turn { readonly cpu: number, readonly load: number, readonly bad: number }

async function turn ([server, ask]: readonly [Server, Ask], { load }: Bench): Promise<Turn> {
  const before = server.cpuMs()
  const { requests, statuses, cpuMs } = await load.ask({ ...ask, port: server.port, seconds: turnSeconds })
  return { cpu: (server.cpuMs() - before) * 1000 / requests, load: cpuMs * 1000 / requests, bad: Object.entries(statuses).reduce((sum, [status, count]) => status === '200' ? sum : sum + count, 0) }
}

/** Time without requests in which the CPU time at rest is measured. The kernel counts in steps of ten milliseconds. */
const restMs = 3000

/** Warms each relay up, runs the rounds, and then lets all rest. */
async function measure ({ name, steps }: Line, bench: Bench): Promise<Row[]> {
  const kinds = ['memory', 'upstream'] as const
  for (const step of steps) for (const kind of kinds) if (step[kind] !== undefined) await turn(step[kind], bench)
  const rounds = Math.min(bench.rounds, 3)
  const turns = steps.map(() => ({ memory: [] as Turn[], upstream: [] as Turn[] }))
  for (let round = 0; round < rounds; round++) {
    bench.progress(`${name}, round ${round + 1} of ${rounds}`)
    for (let i = 0; i < steps.length; i++) {
      const at = (i + round) % steps.length
      for (const kind of kinds) {
        const asked = steps[at]?.[kind]
        if (asked !== undefined) turns[at]?.[kind].push(await turn(asked, bench))
      }
    }
  }
  const servers = steps.map(({ memory, upstream }) => (memory ?? upstream)?.[0] as Server)
  const before = servers.map((server) => server.cpuMs())
  await sleep(restMs)
  const rest = servers.map((server, at) => (server.cpuMs() - (before[at] as number)) / restMs * 1000)
  const sizes = servers.map((server) => server.memory().now)
  return steps.map(({ amount }, at) => {
    const own = turns[at] as { memory: Turn[], upstream: Turn[] }
    const cells = kinds.flatMap((kind) => {
      const cpu = own[kind].map((one) => one.cpu)
      const ratios = cpu.map((value, round) => value / (turns[0]?.[kind][round]?.cpu ?? NaN))
      return cpu.length === 0 ? ['', '', ''] : [digits(median(cpu)), spread(cpu), at === 0 ? '1' : digits(median(ratios))]
    })
    const all = [...own.memory, ...own.upstream]
    return { name: `${name}: ${amount}`, cells: [...cells, digits(sizes[at] as number), at === 0 ? '1' : digits((sizes[at] as number) / (sizes[0] as number)), digits(rest[at] as number), digits(median(all.map((one) => one.load))), String(all.reduce((sum, { bad }) => sum + bad, 0))] }
  })
}

const named = (amount: number): string => amount.toLocaleString('en-US')

/** Starts a relay for each amount and measures the lines that they have. */
async function lines (bench: Bench, amounts: readonly number[], servers: (amount: number, origin: string) => Promise<Server>[], of: (pairs: readonly (readonly [number, Server[]])[]) => Line[]): Promise<Row[]> {
  return await standing((origin) => amounts.flatMap((amount) => servers(amount, origin)), async (all) => {
    const each = all.length / amounts.length
    const rows: Row[] = []
    for (const line of of(amounts.map((amount, at) => [amount, all.slice(at * each, (at + 1) * each)]))) rows.push(...await measure(line, bench))
    return rows
  })
}

/** Answers of one question, or of all of them as often. The last relay has the default settings, and keeps what they allow. */
async function cachedAnswers (bench: Bench): Promise<Row[]> {
  const bytesEach = 14_000
  const unbound = await lines(bench, [1000, 10_000, 100_000, 1_000_000], (amount, origin) => [startKeeper(amount, amount * bytesEach, origin)], (pairs) => [
    { name: 'cached answers, one requested', steps: pairs.map(([amount, [server]]) => ({ amount: named(amount), memory: [server as Server, { paths: ['/getSongInfo?songmid=song_0'], connections: 10 }] })) },
    { name: 'cached answers, all requested', steps: pairs.map(([amount, [server]]) => ({ amount: named(amount), memory: [server as Server, { paths: ['/getSongInfo?songmid=song_{n}'], below: amount, connections: 10 }] })) }
  ])
  const usual = await lines(bench, [1_000_000], (amount, origin) => [startKeeper(amount, undefined, origin)], (pairs) => [
    { name: 'answers offered to the default bound, 5,000 asked', steps: pairs.map(([amount, [server]]) => ({ amount: named(amount), memory: [server as Server, { paths: ['/getSongInfo?songmid=song_{n}'], below: 5000, connections: 10 }] })) }
  ])
  return [...unbound, ...usual]
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
      const account = { secret: secrets[at], createdAt: Math.floor(Date.now() / 1000), loginUin: login?.uin, cookie: login?.cookie }
      writeFileSync(join(folder, String(amount), 'accounts', `account-${at}.json`), JSON.stringify(account), { mode: 0o600 })
    }
  }
  const settings = (amount: number): Record<string, string> => ({ CONFIG_DIR: join(folder, String(amount)), RENEW_LOGINS: 'false', RATE_LIMIT: '1000000' })
  try {
    return await lines(bench, amounts, (amount, origin) => [startRelay(origin, { ...wide, ...settings(amount) }), startRelay(origin, { ...uncached, ...settings(amount) })], (pairs) => [{
      name: 'accounts',
      steps: pairs.map(([amount, [keeps, asks]]) => {
        const ask = { paths: [song.ours], headers: secrets.slice(0, amount).map((secret) => `authorization: Bearer ${secret}`), connections: 10 }
        return { amount: named(amount), memory: [keeps as Server, ask], upstream: [asks as Server, ask] }
      })
    }])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Connections stay open from turn to turn, and all of them ask. */
const connections = async (bench: Bench): Promise<Row[]> => await lines(bench, [1, 100, 1000, 5000], (_amount, origin) => [startRelay(origin, { ...wide, MAX_CONNECTIONS: '10000' })], (pairs) => [{
  name: 'connections',
  steps: pairs.map(([amount, [server]]) => ({ amount: named(amount), memory: [server as Server, { paths: [song.ours], connections: amount, keep: true }] }))
}])

/** Addresses of clients behind a proxy, each with a count of its own. */
const addresses = async (bench: Bench): Promise<Row[]> => await lines(bench, [1, 100, 1000, 5000], (_amount, origin) => [startRelay(origin, { ...wide, TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '1000000' })], (pairs) => [{
  name: 'client addresses',
  steps: pairs.map(([amount, [server]]) => ({
    amount: named(amount),
    memory: [server as Server, { paths: [song.ours], headers: Array.from({ length: amount }, (_, at) => `x-forwarded-for: 10.${at >> 16}.${at >> 8 & 255}.${at & 255}`), connections: 10 }]
  }))
}])

/** A hundred songs are the most that an answer has. */
const charts = async (bench: Bench): Promise<Row[]> => await lines(bench, [1, 10, 100], (_amount, origin) => [startRelay(origin, wide), startRelay(origin, uncached)], (pairs) => [{
  name: 'songs of a chart',
  steps: pairs.map(([amount, [keeps, asks]]) => {
    const ask = { paths: [`/getRanks?topId=62&limit=${amount}`], connections: 10 }
    return { amount: named(amount), memory: [keeps as Server, ask], upstream: [asks as Server, ask] }
  })
}])

export const growth: Phase = {
  name: 'growth',
  about: 'CPU and memory of an answer while something grows; short turns, three rounds at most; ratios to the smallest amount',
  run: async (bench) => {
    const rows: Row[] = []
    for (const line of [cachedAnswers, storedAccounts, connections, addresses, charts]) rows.push(...await line(bench))
    return { columns: ['memory us', 'spread', 'ratio', 'uncached us', 'spread', 'ratio', 'MB', 'ratio', 'CPU ms/s at rest', 'load us', 'not 200'], rows }
  }
}
