/** The relay as a library: each endpoint is a typed function, without HTTP. */
import type { Readable } from 'node:stream'
import { pino, type BaseLogger } from 'pino'
import { settingsOf } from '../relay/settings.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { registry } from '../endpoints/index.ts'
import { ConfigError } from '../common/errors.ts'
import type { Timers } from '../common/timers.ts'
import { bindFunctions } from './functions.ts'
import type { Relay, RelayFunctions } from './types.ts'
import { resolveIdentity } from '../relay/identity.ts'
import { execute } from '../relay/run.ts'
import { warnOfRemoved, withoutRemoved, type Removed } from '../relay/environment.ts'
import { createRuntime, type ResolvedOptions, type Runtime, type Tuning } from '../relay/runtime.ts'
import type { AudioAddress, ServiceConfig } from '../common/schemaTypes.ts'
import type { AudioStream } from '../common/callOptions.ts'

export type { Relay, RelayFunctions } from './types.ts'

/**
 * Options of `createRelay`: the settings, and functions and objects. Settings of the server have no effect here:
 * address and port, pages and documentation, metrics, cache and store, tokens, origins, proxies in front of it, and
 * limits for its clients. A removed setting is ignored, with a warning in `log`.
 */
export interface RelayOptions extends Partial<ServiceConfig> {
  /** Returns the text of the global cookie. Called once per call. Used only with `useGlobalCookie`. */
  readonly globalCookie?: () => string | undefined
  /** A pino logger or a compatible one. Default: silent. */
  readonly log?: BaseLogger
  /** Clock in milliseconds that never runs backwards. Default: `performance.now`. */
  readonly now?: () => number
  /** Timers that follow this clock. Default: Node's. */
  readonly timers?: Timers
  /** @internal Constants that replace those beside their use, for tests. */
  readonly tuning?: Tuning
}

/**
 * Returns a relay in this process. It reads no file and no environment: pass settings, or the result of `loadSettings`.
 * Connections are opened when a call needs one. `close()` ends all calls and closes all connections.
 * @throws {ConfigError} A setting is wrong.
 * @example
 * const relay = createRelay()
 * const { lyric } = await relay.getLyric({ songmid: '00DemoSong0001' })
 */
export function createRelay (options: RelayOptions = {}): Relay {
  const { removed, ...resolved } = resolveOptions(options)
  warnOfRemoved(removed, (line) => { resolved.log.warn(line) })
  // Calls share no cached answers.
  const runtime = createRuntime({ ...resolved, settings: { ...resolved.settings, cache: false } })
  return { ...functionsOf(runtime), close: runtime.close }
}

/** Returns a function for each endpoint, without the cache. */
export function functionsOf (runtime: Runtime): RelayFunctions {
  return bindFunctions(async (_name, endpoint, input, { cookie, signal, range }) => {
    const validated = runtime.validator.fromValues(endpoint.input, input)
    const identity = resolveIdentity({ query: cookie, global: runtime.globalCookie() }, {
      ...runtime.settings,
      fallbackMode: true
    })
    const record = await execute(endpoint, validated, { identity, signal }, runtime)
    return endpoint.envelope.delivers === 'audio' ? await openAudio(record as AudioAddress, range, signal, runtime)
      : record
  })
}

/** Opens the file. `signal` also ends it during reading. */
async function openAudio (
  record: AudioAddress,
  range: string | undefined,
  signal: AbortSignal | undefined,
  { upstream: { audioFiles } }: Runtime
): Promise<AudioStream> {
  const { status, headers, body } = await audioFiles.openFirst([record, ...record.others], { range }, signal)
  return { status, headers, body: webStreamOf(body) }
}

/** Returns the same bytes. Node's own conversion ends the process if a stream is cancelled before it is read. */
function webStreamOf (body: Readable): ReadableStream<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull (controller) {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel () { body.destroy() }
  })
}

/** Without a destination of its own, a logger would open standard output, and flush it when the process ends. */
const silent = (): BaseLogger => pino({ level: 'silent' }, { write () {} })

/** Returns the options with defaults, and the `removed` settings. Opens nothing. Throws ConfigError. */
export function resolveOptions (
  options: RelayOptions = {}
): ResolvedOptions & { readonly removed: readonly Removed[] } {
  // Not in the signature, because a declaration file would show the internal option.
  const {
    globalCookie = () => undefined,
    log = silent(),
    now = () => performance.now(),
    timers = globalThis,
    tuning = {},
    ...given
  } = options
  const { current, removed } = withoutRemoved(given)
  const settings = settingsOf(current)
  refuseParameterName(settings.cookieParamName)
  return { settings, tuning, removed, globalCookie, log, now, timers }
}

/** Throws ConfigError, which begins with `where`, if the cookie parameter is also a parameter of an endpoint. */
export function refuseParameterName (name: string, where = 'options'): void {
  for (const endpoint of Object.values(registry as Record<string, AnyEndpoint>)) {
    if (Object.hasOwn(endpoint.input.properties, name)) {
      throw new ConfigError(`${where}: cookieParamName: "${name}" is a parameter of ${endpoint.path}; choose another name.`)
    }
  }
}
