/** Environment variables: which one counts if a setting has two, and warnings about unknown variables and keys. */

const prefix = 'MUSIC_RELAY_'

/**
 * Returns the variable that is set for a name: `MUSIC_RELAY_PORT`, else `PORT`. Undefined if neither is set. An empty
 * variable is not set, unless `emptyCounts`.
 */
export function variableSet (env: NodeJS.ProcessEnv, name: string, emptyCounts = false): string | undefined {
  return [`${prefix}${name}`, name].find((variable) => {
    const value = env[variable]
    return value !== undefined && (emptyCounts || value !== '') && !isServiceLink(variable, value)
  })
}

/**
 * Kubernetes sets these in all containers of a namespace with a service called music-relay or music-relay-redis. They
 * are no settings.
 */
function isServiceLink (variable: string, value = ''): boolean {
  return /^MUSIC_RELAY_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(variable)
    || (/^MUSIC_RELAY_(\w+_)?PORT$/.test(variable) && /^(tcp|udp|sctp):\/\//.test(value))
}

/** Variables of other programs that look like a misspelt short name. */
const everyday = new Set(['CCACHE', 'HOSTS', 'PAGER', 'PORTS', 'POST'])

/** Names up to this length are close to many other names, so that only the smallest mistakes in them are reported. */
const shortName = 6

/**
 * Returns one warning for each variable that is probably misspelt, or that has the prefix and is unknown. `settings`:
 * the names without prefix. `removed`: those of former settings, which have a separate warning. No warning shows a
 * value.
 */
export function unknownVariables (
  env: NodeJS.ProcessEnv,
  settings: readonly string[],
  removed: readonly string[]
): string[] {
  const names = ['CONFIG_DIR', ...settings]
  const known = new Set([...names, ...removed].flatMap((name) => [name, `${prefix}${name}`]))
  return Object.entries(env).flatMap(([variable, value]) => {
    const upper = variable.toUpperCase()
    // The second check is for Windows, where the case of a name does not count.
    if (
      known.has(variable) || (known.has(upper) && env[upper] === value) || everyday.has(variable)
      || isServiceLink(variable, value)
    ) { return [] }
    const prefixed = upper.startsWith(prefix)
    const own = prefixed ? upper.slice(prefix.length) : upper
    if (own === 'COOKIE_PARAM_NAME') return [`environment variable ${variable}: unknown; cookieParamName has no variable, set it in service-config.json.`]
    const near = (edits: number): string[] =>
      names.flatMap((name) => {
        if (prefixed ? isNear(own, name, edits) : isNear(upper, `${prefix}${name}`, edits)) return [`${prefix}${name}`]
        if (prefixed || (name.length <= shortName && variable[0] !== name[0])) return []
        return (name.length > shortName ? isNear(upper, name, edits) : isNear(variable, name, Math.min(edits, 1)))
          ? [name] : []
      })
    const meant = near(2).length === 0 ? undefined : [near(0), near(1), near(2)].find((found) => found.length > 0)
    if (meant !== undefined) return [`environment variable ${variable}: unknown; did you mean ${meant.join(' or ')}?`]
    return prefixed ? [`environment variable ${shown(variable)}: unknown; known are ${prefix} followed by ${names.join(', ')}.`] : []
  })
}

/** A name with odd characters may be a misplaced value, so only its beginning is shown. */
function shown (variable: string): string {
  return /^\w{1,60}$/.test(variable) ? variable : `${prefix}…`
}

/**
 * Whether one text becomes the other with this many edits: a letter inserted, deleted or replaced, or two neighbours
 * swapped.
 */
function isNear (a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let strange = 0 // most names are unrelated and end here, which saves time at the start
  for (const letter of a) if (!b.includes(letter) && ++strange > edits) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const [left, right] = [a.slice(at), b.slice(at)]
  if (edits === 0 || left === right) return left === right
  const swapped = (text: string): string => `${text.slice(1, 2)}${text.slice(0, 1)}${text.slice(2)}`
  return isNear(left.slice(1), right.slice(1), edits - 1) || isNear(left.slice(1), right, edits - 1)
    || isNear(left, right.slice(1), edits - 1)
    || isNear(swapped(left), right, edits - 1) || isNear(left, swapped(right), edits - 1)
}

/**
 * Suggests the keys that were probably meant: nearly the same letters, or the wrong key as a part. Otherwise lists all
 * keys.
 */
export function knownKeys (wrong: string, keys: readonly string[]): string {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const sorted = (text: string): string => [...letters(text)].sort().join('')
  const same = keys.filter((key) =>
    sorted(key) === sorted(wrong) || (letters(wrong).length > 3 && letters(key).includes(letters(wrong)))
  )
  const near = (edits: number): string[] =>
    keys.filter((key) => isNear(letters(wrong), letters(key), key.length > shortName ? edits : Math.min(edits, 1)))
  const meant = [same, near(1), near(2)].find((found) => found.length > 0)
  return meant === undefined ? `Known keys: ${keys.join(', ')}.` : `Did you mean ${meant.join(' or ')}?`
}

// Removed settings. They are ignored, and one warning names those that are still set.

const fixed = 'the value is fixed now'
const byDeadline = 'deadlineMs limits the upstream calls of a request'

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
export function withoutRemoved<T extends object> (
  values: T
): { readonly current: T, readonly removed: readonly Removed[] } {
  const entries = Object.entries(values)
  const isRemoved = (key: string): boolean => Object.hasOwn(removedSettings, key)
  return {
    current: Object.fromEntries(entries.filter(([key]) => !isRemoved(key))) as T,
    removed: entries.filter(([key, value]) => isRemoved(key) && value !== undefined).map(([key]) => ({
      name: key,
      reason: removedSettings[key] as string
    }))
  }
}

/** Writes one line that names all given settings, grouped by reason. Writes nothing if there are none. */
export function warnOfRemoved (removed: readonly Removed[], warn: ((line: string) => void) | undefined): void {
  if (removed.length === 0) return
  const reasons = [...new Set(removed.map(({ reason }) => reason))]
  const advice = reasons.map((reason) => `Remove ${removed.filter((one) => one.reason === reason).map(({ name }) => name).join(', ')}: ${reason}.`)
  warn?.(`Settings that no longer exist are ignored. ${advice.join(' ')}`)
}
