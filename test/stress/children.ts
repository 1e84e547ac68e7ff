/**
 * Child processes that answer messages: the relay, its upstream, the load generator. Each has an event loop of its own.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { RelayOptions } from '../../src/library/relay.ts'
import type { Load, Outcome } from './load.ts'
import type { Size } from './relay.ts'
import type { Counts, Orders } from './upstream.ts'

export interface Child<Ask, Told> {
  /** First message of the child: its address, if it has one. */
  readonly origin: string
  ask (ask: Ask): Promise<Told>
  end (): Promise<void>
}

async function start<Ask, Told> (file: string, args: readonly string[] = []): Promise<Child<Ask, Told>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--expose-gc', '--import', 'tsx'] })
  const waiting = new Map<number, { resolve: (told: never) => void, reject: (error: Error) => void }>()
  const gone = new Promise<void>((resolve) => { child.once('exit', () => { resolve() }) })
  const promised = async (id: number): Promise<unknown> => await new Promise((resolve, reject) => { waiting.set(id, { resolve, reject }) })
  const ready = promised(0)
  child.on('message', ({ id, told }: { id: number, told: never }) => {
    waiting.get(id)?.resolve(told)
    waiting.delete(id)
  })
  child.once('exit', (code) => { for (const { reject } of waiting.values()) reject(new Error(`${file} ended with ${code}`)) })
  let last = 0
  return {
    origin: await ready as string,
    async ask (ask) {
      const id = ++last
      child.send({ id, ask: ask as object })
      return await promised(id) as Told
    },
    async end () {
      if (child.connected) child.disconnect()
      await gone
    }
  }
}

export type RelayChild = Child<Record<never, never>, Size>
export type UpstreamChild = Child<Orders, Counts>
export type LoadChild = Child<Load, Outcome>

/**
 * Starts the relay from its sources or from the build. Code added by the transpiler costs a busy relay a tenth of its
 * speed.
 */
export const startRelay = async (settings: RelayOptions, module: 'src/app.ts' | 'dist/src/app.js' = 'src/app.ts'): Promise<RelayChild> => await start('./relay.ts', [JSON.stringify(settings), module])
export const startUpstream = async (): Promise<UpstreamChild> => await start('./upstream.ts')
export const startLoad = async (): Promise<LoadChild> => await start('./load.ts')
