/**
 * Spaces requests to the gateway's search module. The upstream refuses searches that follow each other too quickly
 * (code 2001, `is_filter` -12). Of searches 200 ms apart 2 of 12 had rows, 3 s apart 9 of 12, 4 s apart 16 of 16, in
 * another place 2 s apart 114 of 114; the refusal ends after 60 to 90 s (2026-08 to 2026-10). So the pace is slower for
 * a while after a refusal.
 */
import type { AbortSignalLike } from '../common/abort.ts'
import { pausedFor } from './http/failures.ts'
import type { Client } from '../common/ledger.ts'
import type { clockOf } from '../common/timers.ts'
import type { hostLimits } from './hosts.ts'
import { createLanes } from './lane.ts'

/** The pace of searches. Tests use others. */
export const searchLimits = {
  /**
   * Time between two requests to the gateway's search module, over all callers. At 0.2 s most were refused as too fast,
   * at 2 s none was; public clients wait a second (2026-09).
   */
  searchIntervalMs: 1000,
  /** The same for a while after such a refusal: at 3 s every fourth was refused, at 4 s none of 16 (2026). */
  searchSlowIntervalMs: 4000,
  /** How long a search program is not used after such a refusal. Refusals lasted 60 to 90 s (2026-09). */
  searchPauseMs: 60_000
}

type SearchLimits = typeof searchLimits & Pick<typeof hostLimits, 'upstreamQueueMs'>

/** One searcher: a client program, for a caller with or without a login. `client` is charged. */
export interface Searcher { readonly program: string, readonly loggedIn: boolean, readonly client: Client | undefined }

/** The turns of one relay. */
export interface SearchTurns {
  /**
   * Waits for a turn, or until `signal` aborts. Throws UPSTREAM_PAUSED during a pause, or if the wait would be too
   * long: at once, or when a client that was served longer ago takes the place. Returns the milliseconds that it
   * waited; `waited`: the milliseconds that the same caller waited before.
   */
  take (searcher: Searcher, call: string, signal: AbortSignalLike, waited: number): Promise<number>
  /**
   * Records that searches were too fast for this program: it is not used for a while, for callers with the same login
   * state.
   */
  refused (searcher: Searcher): void
}

/** One wait for each program, since all but the last may refuse, and one for albums and singers. */
const mostWaits = 5

/** Creates the turns; the first is due at once. `now` returns milliseconds of a monotonic clock. */
export function createSearchTurns (
  { searchIntervalMs, searchSlowIntervalMs, searchPauseMs, upstreamQueueMs }: SearchLimits,
  { now, timers }: ReturnType<typeof clockOf>
): SearchTurns {
  let slowUntil = -Infinity
  // The upstream counts by address, so the pace is the same for all callers.
  const isSlow = (): boolean => now() < slowUntil
  const apartMs = (): number => isSlow() ? Math.max(searchIntervalMs, searchSlowIntervalMs) : searchIntervalMs
  const lane = createLanes({ now, timers }).open({ apartMs })
  // Bounded: the keys are the relay's own programs.
  const pauses = { anonymous: new Map<string, number>(), loggedIn: new Map<string, number>() }
  const pausesOf = ({ loggedIn }: Searcher): Map<string, number> => pauses[loggedIn ? 'loggedIn' : 'anonymous']

  function assertNotPaused (searcher: Searcher, call: string): void {
    const time = now()
    const pausedUntil = pausesOf(searcher)
    for (const [each, until] of pausedUntil) if (until <= time) pausedUntil.delete(each)
    // One refused program may no longer work; two mean that this address is refused.
    const until = pausedUntil.size > 1 ? Math.min(...pausedUntil.values()) : pausedUntil.get(searcher.program)
    // Another call may have the data, so these are faults of the call.
    if (until !== undefined) {
      throw pausedFor(until - time, call, 'pause.search')
    }
  }

  return {
    async take (searcher, call, signal, waited) {
      assertNotPaused(searcher, call)
      const begun = now()
      const turnMs = isSlow() ? Math.max(upstreamQueueMs, searchSlowIntervalMs) : upstreamQueueMs
      const longestMs = Math.min(turnMs, Math.max(mostWaits * upstreamQueueMs, turnMs) - waited)
      const leave = await lane.enter(searcher.client, longestMs, signal)
      if (leave === undefined) {
        throw pausedFor(Math.max(apartMs(), lane.dueMs()), call, 'full.search')
      }
      leave()
      assertNotPaused(searcher, call)
      return now() - begun
    },
    refused (searcher) {
      slowUntil = now() + searchPauseMs
      pausesOf(searcher).set(searcher.program, slowUntil)
    }
  }
}
