/** For the test of sixty days: a demo upstream that can be taken away, and relays whose clocks follow it. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { NewLogin } from '../../src/accounts/accounts.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import type { AccountName } from '../../src/demo/accounts.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { folderFor, keeperFor, type Keeper } from './accountsHelper.ts'
import { spawned } from './commandProcess.ts'
import { demoFor } from './helper.ts'
import { programLine } from './program.ts'
import { unhurried } from './unhurried.ts'

/** How far the clocks of a relay are ahead, in milliseconds: the one that people set, and the one that never runs backwards. */
interface Ahead { readonly wall: number, readonly steady: number }
/** To a relay: move the clocks and look at the accounts. */
export interface Look { readonly id: number, readonly ahead: Ahead }
/** From a relay: what became of that. */
export interface Looked {
  readonly id: number
  readonly attempts: readonly string[]
  readonly states: readonly string[]
  readonly who?: number | undefined
}

/** Numbers from 0 to 1 that depend on the seed alone. */
export function seeded (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The values in an order that depends on `random` alone. */
export const shuffled = <T>(values: readonly T[], random: () => number): T[] =>
  values.map((value) => [random(), value] as const).sort(([a], [b]) => a - b).map(([, value]) => value)

/** The way of one relay to the upstream. It sees each renewal that passes. */
export interface Way {
  readonly origin: string
  /** Called before a renewal is passed on, and before its answer is. What it returns is waited for; `drop`: it goes no further. */
  watch: ((moment: 'request' | 'answer') => Promise<'drop' | 'pass'>) | undefined
  /** Nobody listens any more, and connections end. */
  cut (): Promise<void>
  mend (): Promise<void>
}

/** Opens a way to the demo. */
export async function wayTo (t: Test, demo: DemoUpstream): Promise<Way> {
  const target = Number(new URL(demo.origin).port)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let renews = false
    let order: Promise<unknown> = Promise.resolve()
    const passing = (from: Socket, to: Socket, moment: (chunk: Buffer) => 'request' | 'answer' | undefined): void => {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        const seen = moment(chunk)
        order = order.then(async () => seen === undefined ? 'pass' : await way.watch?.(seen))
          .then((what) => { if (what !== 'drop' && !to.destroyed) to.write(chunk) })
      })
      from.on('error', () => {}).on('close', () => {
        sockets.delete(from)
        order = order.then(() => { to.destroy() })
      })
    }
    passing(client, upstream, (chunk) => {
      renews ||= chunk.includes('"loginMode":2')
      return renews ? 'request' : undefined
    })
    passing(upstream, client, () => {
      const seen = renews ? 'answer' : undefined
      renews = false
      return seen
    })
  })
  const mend = async (port = 0): Promise<void> => { await once(server.listen(port, '127.0.0.1'), 'listening') }
  await mend()
  const { port } = server.address() as AddressInfo
  const way: Way = {
    origin: `http://127.0.0.1:${port}`,
    watch: undefined,
    async cut () {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    mend: async () => { await mend(port) }
  }
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return way
}

/** A relay in a process of its own. */
export interface ClockedRelay {
  readonly address: string
  /** Moves its clocks and has it look. Undefined if it ends meanwhile. */
  look (ahead: Ahead): Promise<Looked | undefined>
  /** Ends the process: SIGTERM for a stop in order, SIGKILL for a kill. */
  end (signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Whether the process has ended. */
  gone (): boolean
}

/** Starts a relay and waits until it listens. `said` gets everything that it writes. */
export async function startClocked (
  t: Test, ahead: Ahead, env: Readonly<Record<string, string>>, said: (text: string) => void
): Promise<ClockedRelay> {
  const line =
    [process.execPath, ...programLine('test/support/relayOnClock.ts'), String(ahead.wall), String(ahead.steady)]
  const { child, ended, says, stop } = spawned(undefined, line, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', DOCS: 'false', PAGES: 'false', SHED_DELAY_MS: '0',
      UPSTREAM_RATE_PER_HOST: '0', RATE_LIMIT: '100000', LOG_LEVEL: 'debug', ...env
    }
  })
  let gone = false
  void ended.then(() => { gone = true })
  t.teardown(async () => { await stop('SIGKILL') })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', said)
  const address = await says(/(?<=listening )http:\S+(?=\n)/)
  const waiting = new Map<number, (looked: Looked) => void>()
  child.on('message', (looked: Looked) => {
    waiting.get(looked.id)?.(looked)
    waiting.delete(looked.id)
  })
  let last = 0
  return {
    address,
    async look (now) {
      if (gone) return undefined
      const id = ++last
      const answer = new Promise<Looked>((resolve) => { waiting.set(id, resolve) })
      child.send({ id, ahead: now } satisfies Look, () => {})
      return await Promise.race([answer.then((looked) => ({ ...looked, who: child.pid })), ended.then(() => undefined)])
    },
    end: async (signal) => { await stop(signal) },
    gone: () => gone
  }
}

/** Logs an account of the demo in, through the QR code of its channel, as the login command does. */
export async function loggedIn (demo: DemoUpstream, name: AccountName, channel: 'main' | 'alt'): Promise<NewLogin> {
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: demo.origin, ...unhurried }), {})
  const login = runtime.upstream.logins.forRequest({})
  try {
    let id: string
    if (channel === 'main') id = (await login.startMain()).qrsig
    else {
      await login.startAlt()
      id = demo.login.ids('alt').at(-1) as string
    }
    demo.login.confirm(id, name)
    const { session } = await (channel === 'main' ? login.checkMain(id) : login.checkAlt(id))
    const renewal = session && runtime.upstream.logins.renewalOf(session)
    if (session === undefined || renewal === undefined) throw new Error(`${name} cannot log in`)
    return { ...session, renewal }
  } finally {
    await runtime.close()
  }
}

/** The account of `partner` in one folder that two relays read: `renewing` renews it, and `behind` has not looked since. */
export async function twoKeepers (t: Test): Promise<{
  readonly demo: DemoUpstream, readonly way: Way, readonly renewing: Keeper, readonly behind: Keeper,
  readonly secret: string
}> {
  const demo = await demoFor(t)
  const folder = folderFor(t)
  const way = await wayTo(t, demo)
  const renewing = await keeperFor(t, folder, way)
  const secret = await renewing.save('partner', await loggedIn(demo, 'partner', 'main')) ?? ''
  return { demo, way, renewing, behind: await keeperFor(t, folder, way), secret }
}
