import type { Tuning } from './constants.ts'

/** Settings without an upstream rate limit and without load shedding: tests send many requests at once, on a busy machine. */
export const unhurried = { upstreamRatePerHost: 0, shedDelayMs: 0 } as const

/** Constants of a relay whose searches may follow each other at once, and that stops at once, and the ones that a test needs. */
export const brisk = (own: Tuning = {}): Tuning =>
  ({ searchIntervalMs: 0, searchSlowIntervalMs: 0, drainMs: 0, ...own })

/** No memory of failures, so that none of a test changes what the next one sees. */
export const forgetful = {
  fallbackFailures: Infinity, circuitFailures: Infinity, circuitSamples: Infinity, hostFailingParts: Infinity,
  retryBurst: 10_000
} as const satisfies Tuning
