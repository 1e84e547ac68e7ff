/**
 * Settings without an upstream rate limit and without load shedding: tests send many requests at once, on a busy
 * machine.
 */
export const unhurried = { upstreamRatePerHost: 0, shedDelayMs: 0 } as const
