import { withHost } from './faults.ts'
import type { Received } from './types.ts'

export interface Recorder {
  received: Received[]
  /** Records the request as received and in flight. Call the returned function when it has been answered. */
  begin: (request: Received) => () => void
  calls: (name: string) => Received[]
  inFlight: (name: string) => number
  maxInFlight: (name: string) => number
  reset: () => void
}

/**
 * Maximum number of recorded requests. Beyond this the older half is dropped: a demo that runs for weeks must not grow.
 */
const mostReceived = 20_000

/** Records the requests to upstream hosts, for tests. */
export function recorder (): Recorder {
  const received: Received[] = []
  const flying = new Map<string, number>()
  const highest = new Map<string, number>()

  const begin = (request: Received): (() => void) => {
    if (received.length >= mostReceived) received.splice(0, mostReceived / 2)
    received.push(request)
    const names = new Set(request.calls)
    for (const name of names) {
      const now = (flying.get(name) ?? 0) + 1
      flying.set(name, now)
      highest.set(name, Math.max(now, highest.get(name) ?? 0))
    }
    return () => {
      for (const name of names) flying.set(name, (flying.get(name) ?? 1) - 1)
    }
  }

  return {
    received,
    begin,
    calls: (name) =>
      received.filter((request) =>
        request.calls.some((call) => call === name || withHost(request.host, call) === name)
      ),
    inFlight: (name) => flying.get(name) ?? 0,
    maxInFlight: (name) => highest.get(name) ?? 0,
    // Requests in flight still count. Only the recorded requests and the maxima are dropped.
    reset: () => {
      received.length = 0
      highest.clear()
    }
  }
}
