/** Tests over a demo upstream and a server in front of it, which listens from the beginning. */
import root, { type Test } from 'tap'
import type { DemoOptions, DemoUpstream } from '../../src/demo/upstream.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { demoFor, serverFor, type Server } from './helper.ts'

export interface Served {
  readonly t: Test
  readonly demo: DemoUpstream
  readonly server: Server
  /** The clock of the server. It stands still until the test moves it. */
  readonly clock: { now: number }
}

/** Settings of the server, of the demo, and of the test. */
export interface ServedOptions extends RelayOptions { readonly demo?: DemoOptions, readonly skip?: string | false, readonly timeout?: number, readonly standing?: boolean }

/** A test of the root. With `standing`, the relay has the clock of the test. */
export function served (title: string, ...[options, body]: [(served: Served) => Promise<void>] | [ServedOptions, (served: Served) => Promise<void>]): void {
  const run = typeof options === 'function' ? options : body as (served: Served) => Promise<void>
  const { demo: demoOptions, skip, timeout, standing, ...settings } = typeof options === 'function' ? {} as ServedOptions : options
  root.test(title, { ...(skip === undefined ? {} : { skip }), ...(timeout === undefined ? {} : { timeout }) }, async (t) => {
    const demo = await demoFor(t, demoOptions)
    const clock = { now: 1_000_000 }
    const server = await serverFor(t, demo, { ...(standing === true ? { now: () => clock.now } : {}), ...settings })
    await run({ t, demo, server, clock })
  })
}
