/** Limits for all clients together and for each client, computed from the settings. */
import type { Settings } from './settings.ts'
import {
  createHolding, createUsage, createWorkCount, type Holding, type Ledger, type WorkCount
} from '../common/ledger.ts'
import type { Tuning } from './tuning.ts'

/** Returns the maximum number of waiting login checks. */
export function pollLimitOf (
  { settings, tuning }: {
    readonly settings: Pick<Settings, 'maxConnections'>,
    readonly tuning: Pick<Tuning, 'pollPercent'>
  }
): number {
  return Math.ceil(settings.maxConnections * tuning.pollPercent / 100)
}

/** Returns an empty ledger with the limits of the settings. */
export function createLedger (
  { settings, tuning, now }: { readonly settings: Settings, readonly tuning: Tuning, readonly now: () => number }
): Ledger {
  const { maxConnections, rateLimit, rateLimitLoginStarts } = settings
  const pollLimit = pollLimitOf({ settings, tuning })
  const part = (total: number, percent: number): number => Math.ceil(total * percent / 100)
  const work = createWorkCount(tuning.rateLimitClients)
  return {
    connections: createHolding({ total: maxConnections, share: part(maxConnections, tuning.connectionSharePercent) }),
    unsentBytes: createHolding({
      total: tuning.unsentBytes,
      share: part(tuning.unsentBytes, tuning.unsentSharePercent)
    }),
    answerBytes: asWork(work, createHolding({
      total: Math.max(tuning.heldAnswerBytes, 2 * settings.maxAnswerBytes),
      share: Math.max(part(tuning.heldAnswerBytes, tuning.heldAnswerSharePercent), 2 * settings.maxAnswerBytes)
    })),
    bodyBytes: createHolding({
      total: tuning.heldBodyBytes,
      share: part(tuning.heldBodyBytes, tuning.heldBodySharePercent)
    }),
    waitingBytes: createHolding({
      total: tuning.waitingBytes,
      share: part(tuning.waitingBytes, tuning.unsentSharePercent)
    }),
    streams: createHolding({ total: tuning.streams, share: tuning.streamsPerClient }),
    // `rateLimitLoginStarts` 0 removes all limits of a client on logins.
    loginPolls: createHolding({
      total: pollLimit,
      share: rateLimitLoginStarts > 0 ? tuning.pollLimitPerClient : Infinity,
      reserved: part(pollLimit, tuning.pollReservedPercent)
    }),
    upstreamCalls: createUsage(
      rateLimit === 0 ? Infinity : rateLimit * tuning.callsPerRequest,
      tuning.rateLimitClients,
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
