/** The relay as a library: every endpoint as a typed function, without HTTP. */
import pLimit from 'p-limit'
import { pino } from 'pino'
import type { BaseLogger } from 'pino'
import type { ServiceConfig } from '../schemas/config.ts'
import { createCache } from './cache.ts'
import type { Cache, Found } from './cache.ts'
import { ConfigError, settingsOf, tellsClientsApart } from './config.ts'
import type { Settings } from './config.ts'
import { resolveCookie } from './cookies.ts'
import type { ResolvedCookie } from './cookies.ts'
import { createDrift } from './drift.ts'
import type { Drift } from './drift.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { registry } from './endpoints/index.ts'
import { bindFunctions } from './functions.ts'
import type { CallOptions, Relay, RelayFunctions } from './functions.ts'
import { createInputReader } from './input.ts'
import type { InputReader } from './input.ts'
import { createLogins } from './login/logins.ts'
import { perform, performShared } from './perform.ts'
import type { Asker, Shared } from './perform.ts'
import { RelayError } from './errors.ts'
import { createProvider } from './provider/client.ts'
import type { Provider } from './provider/client.ts'
import { createCounters } from './provider/counters.ts'
import type { Counters } from './provider/counters.ts'
import type { Credential } from './provider/credentials.ts'
import { createLoginDoor } from './provider/loginDoor.ts'
import { imageOrigin } from './provider/origins.ts'
import type { Listener } from './provider/read.ts'
import type { SharedStore } from './sharedCache.ts'
import { version } from './version.ts'

export type { CallOptions, Relay, RelayFunctions }

export interface RelayOptions extends Partial<ServiceConfig> {
  /** The global cookie's text of this moment; asked on every call. Used only with `useGlobalCookie`. */
  readonly globalCookie?: () => string | undefined
  /** Where notes go; silent by default. */
  readonly log?: BaseLogger
  /** The clock: milliseconds that never run backwards. */
  readonly now?: () => number
}

/** What the HTTP edge needs beside the functions. */
export interface RelayCore {
  readonly settings: Settings
  readonly inputs: InputReader
  readonly globalCookie: () => string | undefined
  readonly drift: Drift
  /** Performs on checked input. */
  perform (endpoint: AnyEndpoint, input: unknown, asker: Asker): Promise<unknown>
  /** The finished body for checked input, kept or shared with others; undefined where neither is allowed. `reload` takes no copy. */
  performShared (endpoint: AnyEndpoint, input: unknown, asker: Asker, reload: boolean): Found | Promise<Found> | undefined
  /** Absent when it is switched off. */
  readonly cache: Cache | undefined
  readonly upstream: { readonly counters: Counters } & Pick<Provider, 'waitSeconds' | 'hostStates' | 'leftOut'>
  /** Checks of a login that wait for news. */
  readonly pollsWaiting: () => number
  /** Whether an endpoint gets this cookie: the global one may be kept to endpoints that know a login. */
  credentialFor (endpoint: AnyEndpoint, cookie: ResolvedCookie): Asker['credential']
}

/**
 * A relay in this process. Reads no file and no environment: pass settings, or the result of `loadSettings`.
 * Opens connections when the first call needs them; `close()` ends them. Throws ConfigError for a wrong setting.
 */
export function createRelay (options: RelayOptions = {}): Relay {
  const { core, close } = createCore(basisOf(options))
  return { ...functionsOf(core), close }
}

export function functionsOf (core: RelayCore): RelayFunctions {
  return bindFunctions(async (_name, endpoint, input, { cookie, signal }) => {
    const checked = core.inputs.fromValues(endpoint.input, input)
    const resolved = resolveCookie({ query: cookie, global: core.globalCookie() }, { ...core.settings, fallbackMode: true })
    return await core.perform(endpoint, checked, { credential: core.credentialFor(endpoint, resolved), cookie: resolved, signal })
  })
}

/** What stands between the relay and its upstream, for who wants to look on. */
export interface Inside {
  /** Takes the place of the provider. */
  readonly provider?: (own: Provider) => Provider
  readonly listener?: Listener
  /** What other instances keep. */
  readonly store?: SharedStore | undefined
}

export interface Core {
  readonly core: RelayCore
  /** Answers everybody who waits for a login poll: the relay stops. */
  readonly stop: () => void
  /** Answers everybody who still waits for the upstream, too. */
  readonly giveUp: () => void
  readonly close: () => Promise<void>
}

/** Options, checked and with defaults: what a core is made of. */
export interface Basis extends Required<Pick<RelayOptions, 'globalCookie' | 'log' | 'now'>> {
  readonly settings: Settings
}

/** Throws ConfigError for a wrong setting. Opens nothing. */
export function basisOf ({ globalCookie = () => undefined, log = pino({ level: 'silent' }), now = () => performance.now(), ...given }: RelayOptions = {}): Basis {
  const settings = settingsOf(given)
  refuseParameterName(settings.cookieParamName)
  return { settings, globalCookie, log, now }
}

/** The relay's inside: what library and HTTP edge are both thin adapters of. */
export function createCore ({ settings, globalCookie, log, now }: Basis, inside: Inside = {}): Core {
  const transport = { ...settings, now, upstreamOrigin: settings.upstreamOrigin || undefined }
  const counters = createCounters()
  const own = createProvider({ ...transport, counters })
  const provider = inside.provider?.(own) ?? own
  // As many connections as polls may wait, so that none waits for another.
  const door = createLoginDoor({ ...transport, pollConnections: Math.max(256, settings.pollLimit) })
  const drift = createDrift({ log })
  const listener = inside.listener ?? drift.listener
  const logins = createLogins({ ...settings, door, listener: alsoCounting(listener, counters), pollLimitPerClient: tellsClientsApart(settings) ? settings.pollLimitPerClient : Infinity })
  const publicAnswers = !settings.useGlobalCookie && settings.accessToken === ''
  const cache = settings.cache
    ? createCache({
        admit: provider.admit,
        ...settings,
        now,
        unseen: (error) => { noteUnseen(error, log) },
        shared: inside.store?.cacheFor(now, [version, settings.upstreamOrigin, settings.imageOrigin, publicAnswers])
      })
    : undefined
  const shared: Shared = {
    provider,
    logins,
    exposeGlobalCookie: settings.exposeGlobalCookie,
    listener,
    detailSlots: pLimit(5),
    midBatchSize: settings.midBatchSize,
    imageOrigin: settings.imageOrigin || imageOrigin,
    cache,
    publicAnswers,
    globalName: accountNames(),
    log
  }
  const core: RelayCore = {
    settings,
    inputs: createInputReader(),
    globalCookie,
    drift,
    cache,
    upstream: { counters, waitSeconds: provider.waitSeconds, hostStates: provider.hostStates, leftOut: provider.leftOut },
    pollsWaiting: logins.waiting,
    perform: async (endpoint, input, asker) => await perform(endpoint, input, asker, shared),
    performShared: (endpoint, input, asker, reload) => performShared(endpoint, input, asker, reload, shared),
    credentialFor: (endpoint, { source, credential }) =>
      source === 'global' && settings.globalCookieScope === 'login' && endpoint.login === undefined ? undefined : credential
  }
  const close = async (): Promise<void> => {
    logins.stop()
    await Promise.all([provider.close(), door.close()])
  }
  return { core, stop: logins.stop, giveUp: provider.stop, close }
}

function alsoCounting (listener: Listener, counters: Counters): Listener {
  return {
    ...listener,
    ended (end) {
      counters.count(end.call, end.outcome)
      listener.ended?.(end)
    }
  }
}

/** A fetch failed that nobody waited for: a copy was there. */
function noteUnseen (error: unknown, log: BaseLogger): void {
  if (error instanceof RelayError) log.debug({ reason: error.code }, 'a kept answer could not be renewed')
  else log.error({ err: error }, 'bug')
}

/** Counts the global accounts there have been: what is kept of one is not for the next, and no key holds a cookie. */
function accountNames (): Shared['globalName'] {
  let last: Credential | undefined
  let count = 0
  return (credential) => {
    if (last?.uin !== credential.uin || last.key !== credential.key) count++
    last = credential
    return `global ${count}`
  }
}

/** A cookie parameter with the name of an endpoint's own parameter would shadow it. Throws ConfigError; it begins with `where` the name stands. */
export function refuseParameterName (name: string, where = 'options'): void {
  for (const endpoint of Object.values(registry as Record<string, AnyEndpoint>)) {
    if (Object.hasOwn(endpoint.input.properties, name)) {
      throw new ConfigError(`${where}: cookieParamName: "${name}" is a parameter of ${endpoint.path}; choose another name.`)
    }
  }
}
