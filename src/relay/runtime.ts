/**
 * The runtime of one relay: its settings, and everything that its endpoints share. Library and HTTP server are thin
 * adapters of it.
 */
import type { BaseLogger } from 'pino'
import type { AccountBook } from './accountBook.ts'
import { createCache, type Cache } from '../cache/memory.ts'
import { ttlOf, createAnonymousKeys } from '../cache/policy.ts'
import type { Settings } from './settings.ts'
import { createLedger, pollLimitOf } from './clientLimits.ts'
import { createDetailSlots, createSongFacts } from './songFacts.ts'
import type { EndpointState } from './endpoint.ts'
import { createUpstreamMonitor, type UpstreamMonitor } from '../upstream/monitor.ts'
import { RelayError } from '../common/errors.ts'
import type { Ledger } from '../common/ledger.ts'
import type { Timers } from '../common/timers.ts'
import { createTtlMap } from '../common/ttlMap.ts'
import { createInputValidator, type InputValidator } from './validate.ts'
import { createFinished, type Finished } from './finished.ts'
import { createTurns, type Turns } from '../common/turns.ts'
import { createLogins, type Logins } from '../upstream/login/logins.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'
import { createCounters, type Counters } from '../upstream/callCounters.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import { createLoginClient } from '../upstream/login/client.ts'
import { createAudioFiles, type AudioFiles } from '../upstream/http/audio.ts'
import { egressOf } from '../upstream/http/egress.ts'
import { imageOrigin } from '../upstream/http/origins.ts'
import { playerAddress } from '../upstream/wire/hosts.ts'
import type { UpstreamObserver } from '../upstream/read/observer.ts'
import type { SharedStore } from '../cache/redis.ts'
import type { Tuning } from './tuning.ts'
import { version } from '../common/version.ts'

/** Options of a relay, validated and with defaults. */
export interface ResolvedOptions {
  readonly settings: Settings
  readonly tuning: Tuning
  /** Returns the current text of the global cookie. */
  readonly globalCookie: () => string | undefined
  readonly log: BaseLogger
  /** Clock in milliseconds that never runs backwards. */
  readonly now: () => number
  readonly timers: Timers
}

/** The parts of one relay, besides its plugins. */
export interface Runtime extends ResolvedOptions {
  readonly validator: InputValidator
  /** What each client holds and has caused. */
  readonly ledger: Ledger
  /** Stored accounts. Undefined in the library. */
  readonly accounts: AccountBook | undefined
  /** Locks something among instances. Undefined without a shared store. */
  readonly lock: SharedStore['lock'] | undefined
  /** Whether the shared store answers. Undefined without one. */
  readonly storeIsUp: SharedStore['isUp'] | undefined
  readonly upstream: UpstreamClient
  readonly logins: Logins
  /** Audio files of the provider, for players that stream through the relay. */
  readonly audioFiles: AudioFiles
  /** Observations about the upstream calls so far. */
  readonly observed: Observed
  readonly answers: Answers
  /** Shares the event loop among long answers. */
  readonly turns: Turns
  readonly resources: EndpointResources
  /** Ends all waiting login polls because the relay is stopping. Their callers get an error. */
  stopLogins (): void
  /** Ends all upstream requests as well. Their callers get an error. */
  abortUpstream (): void
  /** Ends all work and closes all connections to the upstream. */
  close (): Promise<void>
}

interface Observed {
  readonly counters: Counters
  readonly monitor: UpstreamMonitor
  readonly observer: UpstreamObserver
}

/** Where answers are cached, and under which keys. */
interface Answers {
  /** Undefined if the setting `cache` is off. */
  readonly cache: Cache | undefined
  /** Long answers that are made of cached ones. */
  readonly finished: Finished
  /** Whether shared caches, such as a proxy, may store anonymous answers. */
  readonly isPublic: boolean
  /** Returns the cache key of an anonymous answer. */
  readonly anonymousKey: ReturnType<typeof createAnonymousKeys>
  /** Returns a name for an account of this relay, for cache keys. Each new login of the account gets a new name. */
  readonly accountName: (account: string, credential: Credential) => string
}

/** Resources that requests to the endpoints share. Each request gets its own slots and song facts from them. */
interface EndpointResources extends EndpointState {
  /** Slots for the detail requests of `resolveMid`: at most five at once for the whole relay. */
  readonly detailSlots: ReturnType<typeof createDetailSlots>
  /** Facts of songs from earlier details. Undefined if the setting `cache` is off. */
  readonly songFacts: ReturnType<typeof createSongFacts> | undefined
}

/** Replacements for the relay's own parts. */
export interface RuntimeParts {
  readonly upstream?: (own: UpstreamClient) => UpstreamClient
  readonly observer?: UpstreamObserver
  /** Store through which instances share their cache. */
  readonly store?: SharedStore | undefined
  readonly accounts?: AccountBook | undefined
}

/** Returns the runtime of a relay. No connection is opened until a call needs one. */
export function createRuntime (options: ResolvedOptions, parts: RuntimeParts = {}): Runtime {
  const { settings, tuning, log, now, timers } = options
  const ledger = createLedger(options)
  const transport = { ...upstreamOptions(options), upstreamCalls: ledger.upstreamCalls }
  const counters = createCounters()
  const own = createUpstreamClient({ ...transport, counters, answerBytes: ledger.answerBytes })
  const upstream = parts.upstream?.(own) ?? own
  // One connection per waiting poll, so that no poll waits for another one.
  const loginClient = createLoginClient({ ...transport, pollConnections: Math.max(256, pollLimitOf(options)) })
  const audioFiles = createAudioFiles({ ...transport, imageOrigin: settings.imageOrigin || imageOrigin })
  const monitor = createUpstreamMonitor({ log })
  const observer = parts.observer ?? monitor.observer
  const logins = createLogins({
    ...tuning,
    client: loginClient,
    now,
    timers,
    pollLimit: pollLimitOf(options),
    observer: alsoCounting(observer, counters),
    polls: ledger.loginPolls,
    calls: ledger.upstreamCalls
  })
  return {
    settings,
    tuning,
    log,
    now,
    timers,
    globalCookie: options.globalCookie,
    validator: createInputValidator(),
    ledger,
    accounts: parts.accounts,
    lock: parts.store?.lock,
    storeIsUp: parts.store?.isUp,
    upstream,
    logins,
    audioFiles,
    observed: { counters, monitor, observer },
    answers: createAnswers(options, upstream, parts.store),
    turns: createTurns(tuning.sliceBytes),
    resources: {
      detailSlots: createDetailSlots(tuning.detailSlots),
      songFacts: settings.cache ? createSongFacts(tuning.songNames, ttlOf.slow.fresh, now) : undefined,
      listMarks: createTtlMap(tuning.listMarks, tuning.listMarksMs, now),
      imageOrigin: settings.imageOrigin || imageOrigin,
      playerAddress: (address) => playerAddress(address, transport.upstreamOrigin),
      log
    },
    stopLogins: logins.stop,
    abortUpstream: upstream.stop,
    async close () {
      logins.stop()
      await Promise.all([upstream.close(), loginClient.close(), audioFiles.close()])
    }
  }
}

function createAnswers (
  { settings, tuning, now, timers, log }: Pick<ResolvedOptions, 'settings' | 'tuning' | 'now' | 'timers' | 'log'>,
  { assertCapacity }: UpstreamClient,
  store: SharedStore | undefined
): Answers {
  const isPublic = !settings.useGlobalCookie && settings.accessToken === ''
  const cache = settings.cache
    ? createCache({
        assertCapacity,
        cacheBytes: settings.cacheBytes,
        cacheEntries: Math.max(1, Math.floor(settings.cacheBytes / tuning.cacheEntryBytes)),
        softDeadlineMs: tuning.softDeadlineMs,
        now,
        timers,
        onBackgroundError: (error) => { logBackgroundError(error, log) },
        shared: store?.cacheFor(now, [version, settings.upstreamOrigin, settings.imageOrigin, isPublic])
      })
    : undefined
  const finished = createFinished(Math.min(settings.cacheBytes, tuning.finishedBytes))
  return { cache, finished, isPublic, anonymousKey: createAnonymousKeys(), accountName: numberedLogins() }
}

/** Returns the options of the upstream clients: settings, constants, and the limits per host that follow from them. */
export function upstreamOptions (
  { settings, tuning, now, timers }: Pick<ResolvedOptions, 'settings' | 'tuning' | 'now' | 'timers'>
) {
  // Settings are picked by name, so that no secret of the operator gets there.
  const { maxAnswerBytes, deadlineMs, upstreamLimit, upstreamRatePerHost } = settings
  const upstreamOrigin = settings.upstreamOrigin || undefined
  return {
    ...tuning,
    maxAnswerBytes,
    deadlineMs,
    upstreamLimit,
    upstreamRatePerHost,
    now,
    timers,
    upstreamOrigin,
    egress: egressOf(settings.upstreamProxy, upstreamOrigin),
    upstreamLimitPerHost: Math.ceil(settings.upstreamLimit * tuning.upstreamHostPercent / 100),
    upstreamBurstPerHost: settings.upstreamRatePerHost * tuning.upstreamBurstSeconds,
    // At least one connection per concurrent request, so that no request waits for another one.
    upstreamConnections: Math.max(tuning.upstreamConnections, settings.upstreamLimit)
  }
}

function alsoCounting (observer: UpstreamObserver, counters: Counters): UpstreamObserver {
  return {
    ...observer,
    callEnded (end) {
      counters.count(end.call, end.outcome)
      observer.callEnded?.(end)
    }
  }
}

/** Logs the failure of a background fetch. Its caller already got a stale entry. */
function logBackgroundError (error: unknown, log: BaseLogger): void {
  if (error instanceof RelayError) log.debug({ reason: error.code }, 'a cache entry could not be revalidated')
  else log.error({ err: error }, 'bug')
}

/**
 * Numbers the logins of each account. Answers for one login are then not used for the next, and no key contains a
 * cookie.
 */
function numberedLogins (): Answers['accountName'] {
  const last = new Map<string, { readonly credential: Credential, readonly name: string }>()
  let count = 0
  return (account, credential) => {
    const known = last.get(account)
    if (known?.credential.uin === credential.uin && known.credential.key === credential.key) return known.name
    const name = `${account} ${++count}`
    last.set(account, { credential, name })
    return name
  }
}
