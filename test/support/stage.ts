/** Tests over one demo upstream of their own, with a relay and servers in front of it that start when they are used. */
import root, { type Test } from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import type { Relay, RelayOptions } from '../../src/library/relay.ts'
import { checkRecord, demoFor, relayFor as plainRelayFor, serverFor, type Server } from './helper.ts'

export interface Stage {
  readonly t: Test
  readonly demo: DemoUpstream
  readonly relay: Relay
  readonly server: Server
  /** A server whose deadline ends soon, for calls that hang. */
  readonly hasty: Server
}

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

type Body = (stage: Stage) => Promise<void>
type StageTest = [Body] | [{ skip: string | false }, Body]

/** A test of the root, with a stage. */
export function test (title: string, ...[options, body]: StageTest): void {
  const run = typeof options === 'function' ? options : body as Body
  root.test(title, typeof options === 'function' ? {} : options, async (t) => {
    const demo = await demoFor(t)
    await run({
      t,
      demo,
      get relay () { return relayFor(t, demo) },
      get server () { return lazy(async () => await serverFor(t, demo)) },
      get hasty () { return lazy(async () => await serverFor(t, demo, { deadlineMs: 300 })) }
    })
  })
}

/** No memory of failures, so that none of a test changes what the next one sees. */
export const forgetful = {
  tuning: { fallbackFailures: Infinity, circuitFailures: Infinity, circuitSamples: Infinity, hostFailingParts: Infinity, retryBurst: 10_000 }
}

/**
 * Returns a function like `test`, whose tests share one demo and the servers in front of it, in their order. Before each, the
 * demo forgets its faults and what it was asked. Each test has a relay of its own.
 */
export function sharedStage (title: string): typeof test {
  const tests: (readonly [title: string, options: object, body: Body])[] = []
  root.test(title, { timeout: 0 }, async (t) => {
    const demo = await demoFor(t)
    const server = lazy(async () => await serverFor(t, demo, forgetful))
    const hasty = lazy(async () => await serverFor(t, demo, { ...forgetful, deadlineMs: 300 }))
    for (const [each, options, body] of tests) {
      demo.reset()
      await t.test(each, { timeout: 1000 * Number(process.env['TEST_SECONDS'] ?? 0), ...options }, async (t) => {
        await body({ t, demo, server, hasty, get relay () { return relayFor(t, demo) } })
      })
    }
  })
  return (each, ...[options, body]) => { tests.push(body === undefined ? [each, {}, options as Body] : [each, options, body]) }
}
