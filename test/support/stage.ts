/** Tests over one demo upstream of their own, with a relay and servers in front of it. */
import root, { type Test } from 'tap'
import type { DemoOptions, DemoUpstream } from '../../src/demo/upstream.ts'
import type { Relay, RelayOptions } from '../../src/library/relay.ts'
import { checkRecord, demoFor, relayFor as plainRelayFor, serverFor, type Server } from './helper.ts'
import { forgetful } from './unhurried.ts'

export interface Stage {
  readonly t: Test
  readonly demo: DemoUpstream
  readonly relay: Relay
  readonly server: Server
  /** A server whose deadline ends soon, for calls that hang. */
  readonly hasty: Server
  /** The clock of the servers of a `standing` test. It stands still until the test moves it. */
  readonly clock: { now: number }
}

/** Settings of the servers, of the demo, and of the test. */
export interface StageOptions extends RelayOptions {
  readonly demo?: DemoOptions
  readonly skip?: string | false
  readonly timeout?: number
  readonly standing?: boolean
}

export type StageTest = [title: string, body: (stage: Stage) => Promise<void>] | [
  title: string, options: StageOptions, body: (stage: Stage) => Promise<void>
]

/** A relay from the library. Each of its records is checked against the schema of its endpoint. */
export function relayFor (t: Test, demo: { origin: string }, options: RelayOptions = {}): Relay {
  const relay = plainRelayFor(t, demo, options)
  return new Proxy(relay, {
    get (_, name: keyof Relay) {
      const call = relay[name] as (...given: unknown[]) => Promise<unknown>
      if (name === 'close' || name === 'stream') return call
      return async (...given: unknown[]): Promise<unknown> => {
        const record = await call(...given)
        checkRecord(name as never, record)
        return record
      }
    }
  })
}

/** A server that starts with its first request. */
function lazy (start: () => Promise<Server>): Server {
  let starting: Promise<Server> | undefined
  let started: Server | undefined
  const ready = async (): Promise<Server> => started = await (starting ??= start())
  return {
    get address () { return started?.address ?? '' },
    get log () { return started?.log ?? [] },
    cacheKeys: () => started?.cacheKeys() ?? [],
    get: async (...given) => await (await ready()).get(...given),
    post: async (...given) => await (await ready()).post(...given)
  }
}

const define = (listens: boolean, wire = false) => (...[title, ...rest]: StageTest): void => {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] as const : rest
  const { demo: demoOptions, skip = false, timeout, standing = false, ...settings } = options as StageOptions
  root.test(title, { skip, ...timeout === undefined ? {} : { timeout } }, async (t) => {
    const demo = await demoFor(t, demoOptions)
    const clock = { now: 1_000_000 }
    const start = async (more: RelayOptions = {}): Promise<Server> =>
      await serverFor(t, demo, { ...standing ? { now: () => clock.now } : {}, ...settings, ...more }, wire)
    const listening = listens ? await start() : undefined
    await run({
      t,
      demo,
      clock,
      get relay () { return relayFor(t, demo) },
      get server () { return listening ?? lazy(start) },
      get hasty () { return lazy(async () => await start({ deadlineMs: 300 })) }
    })
  })
}

/** A test of the root, whose servers start when they are used. */
export const test = define(false)

/** A test of the root, whose server listens from the beginning. */
export const served = define(true)

/** The same where the wire is the subject: each request goes through a socket. */
export const [testOnWire, servedOnWire] = [define(false, true), define(true, true)]

type Body = (stage: Stage) => Promise<void>
type SharedTest = [Body] | [{ skip: string | false }, Body]

/**
 * Returns a function like `test`, whose tests share one demo and the servers in front of it, in their order. Before
 * each, the demo forgets its faults and what it was asked. Each test has a relay of its own.
 */
export function sharedStage (title: string): (title: string, ...rest: SharedTest) => void {
  const tests: (readonly [title: string, options: object, body: Body])[] = []
  root.test(title, { timeout: 0 }, async (t) => {
    const demo = await demoFor(t)
    const server = lazy(async () => await serverFor(t, demo, { tuning: forgetful }))
    const clock = { now: 1_000_000 }
    const hasty = lazy(async () => await serverFor(t, demo, { tuning: forgetful, deadlineMs: 300 }))
    for (const [each, options, body] of tests) {
      demo.reset()
      await t.test(each, { timeout: 1000 * Number(process.env['TEST_SECONDS'] ?? 0), ...options }, async (t) => {
        await body({ t, demo, server, hasty, clock, get relay () { return relayFor(t, demo) } })
      })
    }
  })
  return (each, ...[options, body]) => {
    tests.push(body === undefined ? [each, {}, options as Body] : [each, options, body])
  }
}
