/**
 * Single flight: callers with the same key share one piece of work and its result. The work is aborted when its last
 * caller leaves, unless it has passed the point after which its result would be lost.
 */
import type { AbortSignalLike } from '../../common/abort.ts'
import { RelayError } from '../../common/errors.ts'
import { failure, relayStopping } from '../../common/kinds.ts'

/** The arguments of shared work. */
export interface SharedWork {
  /** Aborts when the last caller has left. */
  readonly signal: AbortSignal
  /** From here on the work always runs to its end, because it consumes something that works only once. */
  commit (): void
}

/** Work in progress, by key. */
export interface SingleFlight<T> {
  /**
   * Joins the work under this key, or starts it. Throws OVERLOADED when too much work is in progress, STOPPING while
   * the relay stops, and UPSTREAM_TIMEOUT when `signal` aborts first.
   */
  join (key: string, signal: AbortSignalLike | undefined, start: (work: SharedWork) => Promise<T>): Promise<T>
  /** Rejects all waiting and all later callers with STOPPING. */
  stop (): void
}

interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  callers: number
  committed: boolean
}

/** `most`: maximum number of keys in progress at once. */
export function createSingleFlight<T> (most: number): SingleFlight<T> {
  const inProgress = new Map<string, Flight<T>>()
  /** One function per waiting caller that ends its wait; undefined once the relay stops. */
  let waits: Set<() => void> | undefined = new Set()

  function begin (key: string, start: (work: SharedWork) => Promise<T>): Flight<T> {
    if (inProgress.size >= most) throw overloaded('The relay follows too many logins at once')
    const controller = new AbortController()
    const shared: Flight<T> = {
      controller,
      callers: 0,
      committed: false,
      // Starts in a microtask: the work needs `shared`.
      result: Promise.resolve().then(async () =>
        await start({
          signal: controller.signal,
          commit: () => {
            shared.committed = true
          }
        })
      ).finally(() => {
        forget(key, shared)
      })
    }
    inProgress.set(key, shared)
    return shared
  }

  function forget (key: string, shared: Flight<T>): void {
    if (inProgress.get(key) === shared) inProgress.delete(key)
  }

  async function join (
    key: string,
    signal: AbortSignalLike | undefined,
    start: (work: SharedWork) => Promise<T>
  ): Promise<T> {
    if (waits === undefined) throw relayStopping()
    if (signal?.aborted === true) throw failure('left', { call: 'login' })
    const shared = inProgress.get(key) ?? begin(key, start)
    shared.callers++
    try {
      return await unlessGone(shared.result, signal, waits)
    } finally {
      if (--shared.callers === 0 && !shared.committed) {
        forget(key, shared)
        shared.controller.abort()
      }
    }
  }

  return {
    join,
    stop () {
      // Each rejected caller leaves, which aborts the work.
      for (const end of waits ?? []) end()
      waits = undefined
    }
  }
}

/** Returns the result. Rejects when the caller leaves or the relay stops first. */
async function unlessGone<T> (
  result: Promise<T>,
  gone: AbortSignalLike | undefined,
  waits: Set<() => void>
): Promise<T> {
  let leave = (): void => {}
  let stop = (): void => {}
  const ended = new Promise<never>((_resolve, reject) => {
    leave = () => { reject(failure('left', { call: 'login' })) }
    stop = () => { reject(relayStopping()) }
    gone?.addEventListener('abort', leave)
    waits.add(stop)
  })
  try {
    return await Promise.race([result, ended])
  } finally {
    gone?.removeEventListener('abort', leave)
    waits.delete(stop)
  }
}

/** Returns OVERLOADED. `what`: the name of the exhausted resource. */
export function overloaded (what: string): RelayError {
  return new RelayError('OVERLOADED', `${what}; try again in 5 s.`, { retryAfter: 5 })
}

// @mutate login steps: login-rules login-alt login-both
