/** Settings without a pace towards the upstream and without early refusals: tests ask at once for what a day brings, on a machine with other work. */
export const unhurried = { upstreamRatePerHost: 0, shedDelayMs: 0 } as const
