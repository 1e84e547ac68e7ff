/** Removed settings. They are ignored, and one warning names those that are still set. */

const fixed = 'the value is fixed now'
const byDeadline = 'deadlineMs limits the upstream calls of a request'

/** The removed settings, each with the reason. */
export const removedSettings: Readonly<Record<string, string>> = {
  connectTimeoutMs: byDeadline,
  headersTimeoutMs: byDeadline,
  bodyTimeoutMs: byDeadline,
  upstreamLimitPerHost: 'one host gets half of upstreamLimit',
  upstreamBurstPerHost: 'a burst is four seconds of upstreamRatePerHost',
  midBatchSize: fixed,
  upstreamQueue: fixed,
  upstreamQueueMs: fixed,
  circuitFailures: fixed,
  circuitPercent: fixed,
  circuitSamples: fixed,
  circuitWindowMs: fixed,
  circuitPauseMs: fixed,
  retryDelayMinMs: fixed,
  retryDelayMaxMs: fixed,
  retryPercent: fixed,
  retryFloor: fixed,
  retryBurst: fixed,
  linkFailures: fixed,
  linkPauseMs: fixed,
  loginHopDeadlineMs: fixed,
  loginDeadlineMs: fixed,
  pollDeadlineMs: fixed,
  pollLimit: 'it is a tenth of maxConnections',
  pollLimitPerClient: 'it is 3, and without limit when rateLimitLoginStarts is 0',
  rateLimitBatchWeight: fixed,
  rateLimitLoginChecks: 'it is three times rateLimitLoginStarts',
  rateLimitClients: fixed,
  shedUtilisationPercent: 'shedDelayMs detects overload',
  shedMemoryPercent: fixed,
  maxRequestsPerConnection: fixed,
  clientHeadersTimeoutMs: fixed,
  clientRequestTimeoutMs: fixed,
  clientCheckMs: fixed,
  clientKeepAliveMs: fixed,
  cacheEntries: 'cacheBytes limits the cache',
  redisTimeoutMs: fixed,
  softDeadlineMs: fixed,
  upstreamConnections: 'it follows upstreamLimit'
}

/** A removed setting. `name`: the key or the variable as the operator wrote it. */
export interface Removed { readonly name: string, readonly reason: string }

/** Splits values into those of existing settings (`current`) and the removed settings among them. */
export function withoutRemoved<T extends object> (values: T): { readonly current: T, readonly removed: readonly Removed[] } {
  const entries = Object.entries(values)
  const isRemoved = (key: string): boolean => Object.hasOwn(removedSettings, key)
  return {
    current: Object.fromEntries(entries.filter(([key]) => !isRemoved(key))) as T,
    removed: entries.filter(([key, value]) => isRemoved(key) && value !== undefined).map(([key]) => ({ name: key, reason: removedSettings[key] as string }))
  }
}

/** Writes one line that names all given settings, grouped by reason. Writes nothing if there are none. */
export function warnOfRemoved (removed: readonly Removed[], warn: ((line: string) => void) | undefined): void {
  if (removed.length === 0) return
  const reasons = [...new Set(removed.map(({ reason }) => reason))]
  const advice = reasons.map((reason) => `Remove ${removed.filter((one) => one.reason === reason).map(({ name }) => name).join(', ')}: ${reason}.`)
  warn?.(`Settings that no longer exist are ignored. ${advice.join(' ')}`)
}
