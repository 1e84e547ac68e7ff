/**
 * The runtime of one relay: its settings, and everything that its endpoints share. Library and HTTP server are thin
 * adapters of it.
 */
import type { BaseLogger } from 'pino'
import type { AccountBook } from './accountBook.ts'
import { ttlOf } from '../cache/policy.ts'
import type { Settings } from './settings.ts'
import { createLedger, pollLimitOf, clientLimits } from './clientLimits.ts'
import { createDetailSlots, createSongFacts } from './songFacts.ts'
import type { EndpointState } from './endpoint.ts'
import { createCounters, createUpstreamMonitor, type Counters, type UpstreamMonitor } from '../upstream/monitor.ts'
import type { Ledger } from '../common/ledger.ts'
import type { Timers } from '../common/timers.ts'
import { createTtlMap } from '../common/ttlMap.ts'
import { createInputValidator, type InputValidator } from './validate.ts'
import { createAnswers, type Answers } from './answers.ts'
import { createLogins, loginLimits, type Logins } from '../upstream/login/logins.ts'
import { createUpstreamClient, upstreamLimits, type UpstreamClient } from '../upstream/client.ts'
import { transportLimits } from '../upstream/http/transport.ts'
import { createLoginClient } from '../upstream/login/loginClient.ts'
import { createAudioFiles, type AudioFiles } from '../upstream/http/audio.ts'
import { egressOf } from '../upstream/http/egress.ts'
import { imageOrigin } from '../upstream/http/origins.ts'
import { playerAddress } from '../upstream/wire/audioRoots.ts'
import type { UpstreamObserver } from '../upstream/read/observer.ts'
import type { SharedStore } from '../cache/redis.ts'

/** What endpoints may remember, and their details at once. Tests use others. */
export const memoryLimits = {
  /**
   * Concurrent detail requests of `resolveMid` for the whole relay. Each is for one song: a response for several may
   * lack songs that are found alone.
   */
  detailSlots: 5,
  /**
   * Rows of upstream lists that the relay remembers by position, because a later page continues after one of them.
   * 20,000 take about 4 MB. A list changes while it is read, so they are stored for ten minutes.
   */
  listMarks: 20_000,
  listMarksMs: 600_000,
  /**
   * Names of songs whose facts are cached (a number and a MID each), for as long as the answers of `/getSongInfo`.
   * 20,000 take about 10 MB.
   */
  songNames: 20_000
}

/** Constants that replace those beside their use, by name, for tests. */
export type Tuning = Readonly<Record<string, number>>

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
  /** What instances share. Undefined without a shared store. */
  readonly store: Pick<SharedStore, 'lock' | 'isUp'> | undefined
  readonly upstream: Provider
  readonly answers: Answers
  readonly resources: EndpointResources
  /** Ends all work and closes all connections to the upstream. */
  close (): Promise<void>
}

/** The ways to the provider, and what was observed on them. */
interface Provider {
  readonly calls: UpstreamClient
  readonly logins: Logins
  /** Audio files, for players that stream through the relay. */
  readonly audioFiles: AudioFiles
  readonly counters: Counters
  readonly monitor: UpstreamMonitor
  readonly observer: UpstreamObserver
}

/** Resources that requests to the endpoints share. Each request gets its own slots and song facts from them. */
interface EndpointResources {
  readonly state: EndpointState
  /** Slots for the detail requests of `resolveMid`: at most five at once for the whole relay. */
  readonly detailSlots: ReturnType<typeof createDetailSlots>
  /** Facts of songs from earlier details. Undefined if the setting `cache` is off. */
  readonly songFacts: ReturnType<typeof createSongFacts> | undefined
}

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
  const limits = { ...memoryLimits, ...tuning }
  const ledger = createLedger(options)
  const transport = { ...upstreamOptions(options), upstreamCalls: ledger.upstreamCalls }
  const counters = createCounters()
  const own = createUpstreamClient({ ...transport, counters, answerBytes: ledger.answerBytes })
  const calls = parts.upstream?.(own) ?? own
  // One connection per waiting poll, so that no poll waits for another one.
  const loginClient = createLoginClient({ ...transport, pollConnections: Math.max(256, pollLimitOf(options)) })
  const pictures = { imageOrigin: settings.imageOrigin || imageOrigin }
  const audioFiles = createAudioFiles({ ...clientLimits, ...transport, ...pictures })
  const monitor = createUpstreamMonitor({ log })
  const observer = parts.observer ?? monitor.observer
  const logins = createLogins({
    ...loginLimits,
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
    ...options,
    validator: createInputValidator(),
    ledger,
    accounts: parts.accounts,
    store: parts.store,
    upstream: { calls, logins, audioFiles, counters, monitor, observer },
    answers: createAnswers(options, calls, parts.store),
    resources: {
      detailSlots: createDetailSlots(limits.detailSlots),
      songFacts: settings.cache ? createSongFacts(limits.songNames, ttlOf.slow.fresh, now) : undefined,
      state: {
        listMarks: createTtlMap(limits.listMarks, limits.listMarksMs, now),
        ...pictures,
        playerAddress: (address) => playerAddress(address, transport.upstreamOrigin),
        log
      }
    },
    async close () {
      logins.stop()
      calls.stop()
      await Promise.all([calls.close(), loginClient.close(), audioFiles.close()])
    }
  }
}

/** Returns the options of the upstream clients: settings, constants, and the limits per host that follow from them. */
export function upstreamOptions (
  { settings, tuning, now, timers }: Pick<ResolvedOptions, 'settings' | 'tuning' | 'now' | 'timers'>
) {
  // Settings are picked by name, so that no secret of the operator gets there.
  const { maxAnswerBytes, deadlineMs, upstreamLimit, upstreamRatePerHost } = settings
  const upstreamOrigin = settings.upstreamOrigin || undefined
  const limits = { ...transportLimits, ...upstreamLimits, ...tuning }
  return {
    ...limits,
    maxAnswerBytes,
    deadlineMs,
    upstreamLimit,
    upstreamRatePerHost,
    now,
    timers,
    upstreamOrigin,
    egress: egressOf(settings.upstreamProxy, upstreamOrigin),
    upstreamLimitPerHost: Math.ceil(settings.upstreamLimit * limits.upstreamHostPercent / 100),
    upstreamBurstPerHost: settings.upstreamRatePerHost * limits.upstreamBurstSeconds,
    // At least one connection per concurrent request, so that no request waits for another one.
    upstreamConnections: Math.max(limits.upstreamConnections, settings.upstreamLimit)
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
