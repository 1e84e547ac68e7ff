/** The logins of one relay: shared checks, and limits on how many may wait at once. */
import type { LoginRenewal } from '../../../schemas/config.ts'
import type { AltLoginCheck, AltLoginQr, LoginSession, MainLoginCheck, MainLoginQr } from '../../../schemas/login.ts'
import type { LoginClient } from './loginClient.ts'
import type { UpstreamObserver } from '../read/observer.ts'
import type { AbortSignalLike } from '../../common/abort.ts'
import { refuseOverdrawn, type Holding, type Usage } from '../../common/ledger.ts'
import { clockOf, type Clock } from '../../common/timers.ts'
import { createTtlMap } from '../../common/ttlMap.ts'
import { checkAlt, startAlt, stillWaiting } from './alt.ts'
import { createPollLimiter } from './pollLimiter.ts'
import { createSingleFlight, type SharedWork } from './singleFlight.ts'
import { checkMain, startMain, type ConfirmedLogin } from './main.ts'
import { renewLogin, type RenewalOutcome } from './renewal.ts'
import { createLoginExchange, type LoginParty } from './steps.ts'

/** Deadlines and polls of logins. Tests use others. */
export const loginLimits = {
  /** Deadline of one step of a QR login. A step takes less than a second. After five, a person would try again. */
  loginStepDeadlineMs: 5000,
  /**
   * Deadline of all steps of a QR login together. Three slow steps fit, and a person does not wait longer than that.
   */
  loginDeadlineMs: 15_000,
  /**
   * Deadline of all polls in one check of a login. The upstream was observed to hold a poll for 15 s, so two or three
   * fit.
   */
  pollDeadlineMs: 35_000,
  /**
   * Maximum number of polls in one check, and the pause between two. Usually two or three fill `pollDeadlineMs`. An
   * upstream that answers each at once gets one per second.
   */
  pollsPerCheck: 35,
  pollPauseMs: 1000
}

/** The caller of a login operation. */
export interface LoginCaller extends LoginParty {
  readonly signal?: AbortSignalLike | undefined
}

/**
 * The login operations, for one request. They throw UpstreamError or RelayError (OVERLOADED, STOPPING, LOGIN_TIMEOUT
 * …).
 */
export interface Login {
  startMain (): Promise<MainLoginQr>
  checkMain (qrsig: string): Promise<MainLoginCheck>
  startAlt (): Promise<AltLoginQr>
  checkAlt (uuid: string): Promise<AltLoginCheck>
}

/** All logins of a relay. */
export interface Logins {
  forRequest (caller: LoginCaller): Login
  /**
   * Returns the data that a renewal of this session's key needs. It is stored beside the session, so that no answer can
   * contain it: only a stored login may. Undefined for a session that this process did not create.
   */
  renewalOf (session: LoginSession): LoginRenewal | undefined
  /**
   * Renews the key of a stored login. One attempt has the deadline of a login. Never throws for an upstream failure.
   */
  renew (known: LoginRenewal): Promise<RenewalOutcome>
  /** Rejects all waiting and later checks with STOPPING. */
  stop (): void
}

/**
 * Times are milliseconds. `polls`: counts the checks of the alternative channel that each client has waiting,
 * `pollLimit` in total. `calls`: counts the requests to the upstream that each client caused.
 */
export interface LoginOptions extends Clock {
  readonly client: LoginClient
  readonly observer: UpstreamObserver
  readonly loginStepDeadlineMs: number
  readonly loginDeadlineMs: number
  readonly pollDeadlineMs: number
  readonly pollsPerCheck: number
  readonly pollPauseMs: number
  readonly pollLimit: number
  readonly polls: Holding
  readonly calls: Usage
}

/** Maximum number of main checks at once. Each ends within its deadline. */
const mostChecks = 1000
/** A QR code of the alternative channel is valid for some minutes. */
const scanTtlMs = 600_000
/** A confirmed login waits this long for the check after a pause, which lasts a minute at most. */
const pausedTtlMs = 180_000
/** Minimum time for an exchange, also after a poll that used its whole time. Milliseconds. */
const exchangeMs = 3000

/** Creates the logins of a relay. */
export function createLogins (options: LoginOptions): Logins {
  const { client: loginClient, observer, polls, calls } = options
  const times = {
    stepMs: options.loginStepDeadlineMs,
    wholeMs: options.loginDeadlineMs,
    pollMs: options.pollDeadlineMs,
    now: options.now
  }
  const mainChecks = createSingleFlight<MainLoginCheck>(mostChecks)
  const altChecks = createSingleFlight<AltLoginCheck>(mostChecks + options.pollLimit)
  const { now, timers } = clockOf(options)
  const pausedMain = createTtlMap<ConfirmedLogin>(100, pausedTtlMs, now)
  const polling = {
    ...options,
    timers,
    scans: createTtlMap<true>(1000, scanTtlMs, now),
    paused: createTtlMap<string>(100, pausedTtlMs, now)
  }

  /** Garbage-collected together with their sessions. */
  const renewals = new WeakMap<LoginSession, LoginRenewal>()
  const completed = (session: LoginSession, renewal: LoginRenewal): void => { renewals.set(session, renewal) }

  const pollLimiter = createPollLimiter(polls)
  /** Codes whose login is being finished. Only the checks that already wait for it get its session. */
  const finishing = new Set<string>()

  return {
    forRequest ({ signal, ...party }) {
      const { client } = party
      const exchange = (wholeMs = times.wholeMs): ReturnType<typeof createLoginExchange> =>
        createLoginExchange(loginClient, { ...times, wholeMs }, observer, Date.now, party)

      /** Waits for news of a code, and finishes its login once it is confirmed. */
      async function checked (uuid: string, work: SharedWork): Promise<AltLoginCheck> {
        const begun = now()
        const rest = (): number => Math.max(exchangeMs, times.pollMs + exchangeMs - (now() - begun))
        const commit = (): void => {
          finishing.add(uuid)
          work.commit()
        }
        try {
          return await checkAlt(uuid, exchange(), () => exchange(rest()), polling, { ...work, commit }, completed)
        } finally {
          finishing.delete(uuid)
        }
      }

      return {
        async startMain () {
          refuseOverdrawn(calls, client)
          return await startMain(exchange(), signal)
        },
        async startAlt () {
          refuseOverdrawn(calls, client)
          return await startAlt(exchange(), signal)
        },
        async checkMain (qrsig) {
          refuseOverdrawn(calls, client)
          return await mainChecks.join(
            qrsig,
            signal,
            async (work) => await checkMain(qrsig, exchange(), pausedMain, work, completed)
          )
        },
        async checkAlt (uuid) {
          refuseOverdrawn(calls, client)
          const poll = { client, signal, canGo: () => !finishing.has(uuid) }
          const news = await pollLimiter.take(
            poll,
            async (leave) => await altChecks.join(uuid, leave, async (work) => await checked(uuid, work))
          )
          return news ?? stillWaiting(uuid, polling.scans)
        }
      }
    },
    renewalOf: (session) => renewals.get(session),
    renew: async (known) => await renewLogin(known, createLoginExchange(loginClient, times, observer, Date.now)),
    stop () {
      mainChecks.stop()
      altChecks.stop()
    }
  }
}

// @mutate login steps: login-alt login-main fairness login-both
