/**
 * Work that several callers share: who asks for a key while it is under way waits for the same result. It ends early
 * when its last caller leaves, unless it has passed the point after which its result would be lost.
 */
import { RelayError, UpstreamError } from '../errors.ts'

export interface Flight {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
  /** From here on the work runs to its end, whoever leaves: what it consumes cannot be had twice. */
  commit (): void
}

export interface Flights<T> {
  join (key: string, signal: AbortSignal | undefined, start: (flight: Flight) => Promise<T>): Promise<T>
  /** Refuses everybody who waits and everybody who comes. */
  stop (): void
}

interface Shared<T> { readonly result: Promise<T>, readonly controller: AbortController, callers: number, committed: boolean }

export function createFlights<T> (most: number): Flights<T> {
  const flights = new Map<string, Shared<T>>()
  /** Ends the wait of each caller; undefined once the relay stops. */
  let waits: Set<() => void> | undefined = new Set()

  function begin (key: string, start: (flight: Flight) => Promise<T>): Shared<T> {
    if (flights.size >= most) throw overloaded('The relay follows too many logins at once')
    const controller = new AbortController()
    const shared: Shared<T> = {
      controller,
      callers: 0,
      committed: false,
      // In a microtask, so that `shared` exists when the work begins.
      result: Promise.resolve().then(async () => await start({ signal: controller.signal, commit: () => { shared.committed = true } })).finally(() => { forget(key, shared) })
    }
    flights.set(key, shared)
    return shared
  }

  function forget (key: string, shared: Shared<T>): void {
    if (flights.get(key) === shared) flights.delete(key)
  }

  async function join (key: string, signal: AbortSignal | undefined, start: (flight: Flight) => Promise<T>): Promise<T> {
    if (waits === undefined) throw stopped()
    if (signal?.aborted === true) throw left()
    const shared = flights.get(key) ?? begin(key, start)
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
      // Who is sent away leaves, which ends the work.
      for (const end of waits ?? []) end()
      waits = undefined
    }
  }
}

/** The result, or the moment its caller leaves or the relay stops, whichever is first. */
async function unlessGone<T> (result: Promise<T>, gone: AbortSignal | undefined, waits: Set<() => void>): Promise<T> {
  let leave = (): void => {}
  let stop = (): void => {}
  const ended = new Promise<never>((_resolve, reject) => {
    leave = () => { reject(left()) }
    stop = () => { reject(stopped()) }
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

const left = (): UpstreamError => new UpstreamError('UPSTREAM_TIMEOUT', 'The caller left before the answer.', { fault: 'time', call: 'login', outcome: 'client_gone' })
const stopped = (): RelayError => new RelayError('STOPPING', 'The relay is stopping; try again in a moment.', { retryAfter: 5 })

function overloaded (what: string): RelayError {
  return new RelayError('OVERLOADED', `${what}; try again in 5 s.`, { retryAfter: 5 })
}

/** Counts callers and refuses those beyond a total and beyond a share of each client. */
export interface Seats {
  take (client: string | undefined): { free (): void }
  taken (): number
}

export function createSeats (total: number, perClient: number): Seats {
  const taken = new Map<string | undefined, number>()
  let all = 0
  const heldBy = (client: string | undefined): number => taken.get(client) ?? 0

  function change (client: string | undefined, by: 1 | -1): void {
    all += by
    const own = heldBy(client) + by
    if (own === 0) taken.delete(client)
    else taken.set(client, own)
  }

  return {
    taken: () => all,
    take (client) {
      if (all >= total) throw overloaded('As many login polls as this relay holds are waiting')
      if (client !== undefined && heldBy(client) >= perClient) throw overloaded('This client has as many login polls waiting as one may have')
      change(client, 1)
      return { free () { change(client, -1) } }
    }
  }
}
