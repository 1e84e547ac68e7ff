/** Measures on real relays in front of the demo: what each method asks of it, what two instances with a store do, and what answers cost at full load. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { randomFrom } from '../../src/demo/catalogue/random.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { startHelper, startRelay, type Server } from '../bench/children.ts'
import { standing, uncached, wide } from '../bench/ground.ts'
import type { Load, Outcome } from '../bench/load.ts'
import { cookieOf } from '../support/helper.ts'
import { startInstance, startProxy, startStore, type Instance } from '../support/instances.ts'
import { usual } from '../support/opensubsonicPlayer.ts'
import { replay, usualEntries, type Costs } from './model.ts'
import { demoWords, drawFromDemo, drawUnseen, session, type Ask, type Draw, type Manner } from './sessions.ts'

/** Requests of this many sessions, in the order of players. Libraries are left out: a login has one, asked for all ten minutes. */
function events (
  manner: Manner, sessions: number, draw: Draw, seed: number
): ReadonlyArray<{ readonly event: Ask, readonly path: string }> {
  const { next } = randomFrom(seed)
  return Array.from({ length: sessions }, () => session(next, draw, demoWords)).flat().filter(({ kind }) =>
    kind !== 'library')
    .flatMap((event) => {
      const path = manner.pathOf(event)
      return path === undefined ? [] : [{ event, path }]
    })
}

async function ask (address: string, path: string): Promise<void> {
  const answer = await fetch(`${address}${path}`, { redirect: 'manual' })
  await answer.arrayBuffer()
  // 404: songs that the provider does not offer are in the demo, too.
  if (answer.status >= 400 && answer.status !== 404) throw new Error(`${path}: ${answer.status}`)
}

const settingsFor = (demo: DemoUpstream): Record<string, string> => ({
  PLAYER_COOKIE: cookieOf(demo, 'member'), SUBSONIC_PASSWORD: usual.p, RATE_LIMIT: '0', UPSTREAM_RATE_PER_HOST: '0',
  TRUST_PROXY: '127.0.0.1'
})

/** Requests to the upstream for an answer that nobody had, by method, in the order in which players ask: an album brings the details of its songs. */
export async function requestsOf (t: Test, demo: DemoUpstream, manner: Manner): Promise<Costs['requestsOf']> {
  const { address } = await startInstance(t, demo.origin, settingsFor(demo))
  const counts = new Map<string, { asked: number, requests: number }>()
  for (const { event: { method }, path } of events(manner, 40, drawUnseen(), 1)) {
    const before = demo.received.length
    await ask(address, path)
    const { asked, requests } = counts.get(method) ?? { asked: 0, requests: 0 }
    counts.set(method, { asked: asked + 1, requests: requests + demo.received.length - before })
  }
  return Object.fromEntries([...counts].map(([method, { asked, requests }]) => [method, requests / asked]))
}

/** Paths of some sessions about the same few items, for measuring what their answers cost. */
export const pathsOf = (manner: Manner): readonly string[] =>
  [...new Set(events(manner, 20, drawFromDemo(0.9), 5).map(({ path }) => path))]

/** Requests to the upstream, as the model says and as they happened, for two instances behind HAProxy with a store. */
export interface Confirmed { readonly asks: number, readonly said: number, readonly is: number }

/** Lets sessions of some listeners go to two instances. */
export async function confirm (
  t: Test, demo: DemoUpstream, manner: Manner, requests: Costs['requestsOf']
): Promise<Confirmed> {
  const store = await startStore(t)
  const start = async (): Promise<Instance> =>
    await startInstance(t, demo.origin, { ...settingsFor(demo), REDIS_URL: store.url })
  const { address } = await startProxy(t, 'haproxy', [await start(), await start()])
  const list = events(manner, 80, drawFromDemo(0.9), 2)
  const received = demo.received.length
  for (const { path } of list) await ask(address, path)
  const is = demo.received.length - received
  const { upstream: said } =
    replay(list.map(({ event }) => event), { instances: 2, entries: usualEntries, store: manner.store }, requests)
  return { asks: list.length, said, is }
}

/** Duration of one measurement, after one of the same length that is not counted. */
const seconds = 4

/** Microseconds of CPU for answers to these paths, and for each request to the upstream that they take when nothing is cached. `cookie`: the login of players. */
export async function cpuOf (
  paths: readonly string[], cookie: string
): Promise<Pick<Costs, 'answerUs' | 'upstreamUs'>> {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'))
  writeFileSync(join(folder, 'user-info.json'), JSON.stringify({ cookie }), { mode: 0o600 })
  const env = { CONFIG_DIR: folder, SUBSONIC_PASSWORD: usual.p, RATE_LIMIT: '0' }
  const load = await startHelper<Load, Outcome>('load.ts', 'others')
  try {
    return await standing((origin) => [
      startRelay(origin, { ...env, ...wide }), startRelay(origin, { ...env, ...uncached })
    ], async (relays, upstream) => {
      const measure = async (relay: Server): Promise<{ us: number, requests: number }> => {
        const pass = async (): Promise<Outcome> => await load.ask({ port: relay.port, paths, connections: 10, seconds })
        await pass()
        await upstream.ask({})
        const before = relay.cpuMs()
        const { requests } = await pass()
        return {
          us: (relay.cpuMs() - before) * 1000 / requests, requests: (await upstream.ask({})).requests / requests
        }
      }
      const [cached, asking] = [await measure(relays[0] as Server), await measure(relays[1] as Server)]
      const upstreamUs = (asking.us - cached.us) / (asking.requests - cached.requests)
      return { answerUs: cached.us - cached.requests * upstreamUs, upstreamUs }
    })
  } finally {
    await load.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
