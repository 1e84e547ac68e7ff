/** Limits for all clients together and for each client, computed from the settings. */
import type { Settings } from './settings.ts'
import {
  createHolding, createUsage, createWorkCount, type Holding, type Ledger, type WorkCount
} from '../common/ledger.ts'
import type { ResolvedOptions, Tuning } from './runtime.ts'

/** Limits besides the settings, and the share of one client. Tests use others. */
export const clientLimits = {
  /**
   * Share of `maxConnections` for checks of the alternative login that wait for the phone. Each holds a connection. By
   * default 200: more people logging in within the same half minute are an attack.
   */
  pollPercent: 10,
  /** Concurrent login polls of one client. A person has one, and leaves one or two behind by reloading the page. */
  pollLimitPerClient: 3,
  /**
   * Share of the waiting checks that is reserved for clients without a poll. By default 50 people can start a login
   * while others hold the rest.
   */
  pollReservedPercent: 25,
  /**
   * Upstream calls that a client may cause per request of `rateLimit`. A chart with `resolveMid` causes one for each of
   * its songs, and a listener opens a few of them. A script that opens only those would use the share of all others.
   */
  callsPerRequest: 2,
  /** Share of `maxConnections` for one address. A household has some dozens. */
  connectionSharePercent: 25,
  /**
   * Maximum number of bytes of upstream answers, compressed and not, that requests in progress hold. A usual answer has
   * 5 to 50 KB, so hundreds of requests fit. For a large one, the data made from it is charged after it was read.
   */
  heldAnswerBytes: 48 * 1024 * 1024,
  /** Share of one client, or one answer of the largest size, compressed and not, if that is more. */
  heldAnswerSharePercent: 50,
  /**
   * Maximum number of bytes of request bodies in progress: as many as 64 of the largest. A usual batch has a few KB.
   */
  heldBodyBytes: 16 * 1024 * 1024,
  /** Share of one client. */
  heldBodySharePercent: 25,
  /**
   * Maximum number of bytes of finished answers for slow readers. Beyond it, a connection of the client with the most
   * unread bytes is closed.
   */
  unsentBytes: 32 * 1024 * 1024,
  /**
   * Maximum number of bytes of requests that wait for an earlier one on their connection. A share is enough for a
   * thousand requests.
   */
  waitingBytes: 32 * 1024 * 1024,
  /** Share of one address in both limits. */
  unsentSharePercent: 25,
  /**
   * Maximum number of audio files that are streamed at once. Each costs two connections and some 0.3 MB of buffers.
   * When all are taken, a paused or too slow one is closed.
   */
  streams: 128,
  /** Maximum for one address. A household has several players, and a page opens the next song before this one ends. */
  streamsPerClient: 16,
  /** Rate limit counters in memory. The least recently used one is evicted. 5000 take about a megabyte. */
  rateLimitClients: 5000
}

type Given = Pick<ResolvedOptions, 'settings' | 'tuning' | 'now'>

/** Returns the maximum number of waiting login checks. */
export function pollLimitOf (
  { settings: { maxConnections }, tuning }: {
    readonly settings: Pick<Settings, 'maxConnections'>,
    readonly tuning?: Tuning | undefined
  }
): number {
  return Math.ceil(maxConnections * (tuning?.['pollPercent'] ?? clientLimits.pollPercent) / 100)
}

/** Returns an empty ledger with the limits of the settings. */
export function createLedger ({ settings, tuning, now }: Given): Ledger {
  const { maxConnections, rateLimit, rateLimitLoginStarts } = settings
  const limits = { ...clientLimits, ...tuning }
  const pollLimit = pollLimitOf({ settings, tuning })
  const part = (total: number, percent: number): number => Math.ceil(total * percent / 100)
  const work = createWorkCount(limits.rateLimitClients)
  return {
    connections: createHolding({ total: maxConnections, share: part(maxConnections, limits.connectionSharePercent) }),
    unsentBytes: createHolding({
      total: limits.unsentBytes,
      share: part(limits.unsentBytes, limits.unsentSharePercent)
    }),
    answerBytes: asWork(work, createHolding({
      total: Math.max(limits.heldAnswerBytes, 2 * settings.maxAnswerBytes),
      share: Math.max(part(limits.heldAnswerBytes, limits.heldAnswerSharePercent), 2 * settings.maxAnswerBytes)
    })),
    bodyBytes: createHolding({
      total: limits.heldBodyBytes,
      share: part(limits.heldBodyBytes, limits.heldBodySharePercent)
    }),
    waitingBytes: createHolding({
      total: limits.waitingBytes,
      share: part(limits.waitingBytes, limits.unsentSharePercent)
    }),
    streams: createHolding({ total: limits.streams, share: limits.streamsPerClient }),
    // `rateLimitLoginStarts` 0 removes all limits of a client on logins.
    loginPolls: createHolding({
      total: pollLimit,
      share: rateLimitLoginStarts > 0 ? limits.pollLimitPerClient : Infinity,
      reserved: part(pollLimit, limits.pollReservedPercent)
    }),
    upstreamCalls: createUsage(
      rateLimit === 0 ? Infinity : rateLimit * limits.callsPerRequest,
      limits.rateLimitClients,
      now
    ),
    work
  }
}

/** What is held has been read, which was work. */
function asWork (work: WorkCount, holding: Holding): Holding {
  return {
    ...holding,
    take (client, amount = 1) {
      work.charge(client, amount)
      return holding.take(client, amount)
    },
    charge (client, amount) {
      work.charge(client, amount)
      holding.charge(client, amount)
    }
  }
}
