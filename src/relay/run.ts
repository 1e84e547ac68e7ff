/**
 * The pipeline of every endpoint call, over HTTP or as a library: authorize, look up the cache, run, store in the
 * cache.
 */
import { etagOf, type Cache, type CacheResult, type CacheEntry } from '../cache/memory.ts'
import { ttlOf, cacheKeyOf, type CachePolicy, type CacheKey } from '../cache/policy.ts'
import type { AbortSignalLike } from '../common/abort.ts'
import { RelayError, UpstreamError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import type { Work } from '../common/turns.ts'
import type { AnyEndpoint, Context } from './endpoint.ts'
import { defaultAccount } from './accountBook.ts'
import { authorize, isOfRelay, shownCookies, withCookie, type Identity } from './identity.ts'
import { jsonTextOf } from '../common/size.ts'
import { noSongFacts } from './songFacts.ts'
import type { AnswerLimits } from './answers.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import type { UpstreamReport } from '../upstream/send.ts'
import type { Settled } from '../upstream/calls.ts'
import type { Runtime } from './runtime.ts'

/** For whom an endpoint runs and how, and what is told meanwhile. */
export interface RunOptions {
  readonly identity: Identity
  /** The client that is charged for the work. Undefined: no client is charged, and only the total is limited. */
  readonly client?: Client | undefined
  /** Aborts when the caller disconnects. This ends its upstream work. */
  readonly signal?: AbortSignalLike | undefined
  /** Skip the cache and fetch from the upstream. */
  readonly reload?: boolean | undefined
  /**
   * Called if the upstream refuses the caller's own cookie. `isWithoutLogin`: the answer is the one without a login, in
   * place of one that says itself what it lacks. Absent: then there is no such answer, because the caller could not be
   * told.
   */
  readonly onLoginRefused?: ((isWithoutLogin: boolean) => void) | undefined
  /** Called after each upstream request. */
  readonly onUpstreamRequest?: ((report: UpstreamReport) => void) | undefined
}

/** A run of an endpoint with validated input. */
interface Invocation {
  readonly endpoint: AnyEndpoint
  readonly input: unknown
  readonly options: RunOptions
  readonly runtime: Runtime
}

/** The part of the context that controls caching. */
type Caching = Pick<Context, 'cacheAtMost' | 'elements'>

/** Caches nothing. Used for personal answers and by the library. */
export const uncached: Caching = {
  cacheAtMost () {},
  elements: async (_endpoint, inputs, fetch) => await fetch(inputs)
}

/**
 * Returns the record of an endpoint for validated input, without the cache.
 * @throws {RelayError} The call failed. Any other error is a bug.
 */
export async function execute (
  endpoint: AnyEndpoint,
  input: unknown,
  options: RunOptions,
  runtime: Runtime
): Promise<unknown> {
  authorize(endpoint, options.identity)
  return await run({ endpoint, input, options, runtime }, uncached)
}

/**
 * Returns the cache entry of an answer, or undefined if the endpoint is not cached or the caller sent a cookie. Equal
 * requests share one fetch, so a fetch continues when its caller disconnects. It is charged to the client that started
 * it, also in the background. A usable entry in memory is returned synchronously.
 * @throws {RelayError} The call failed.
 */
export function executeCached (
  endpoint: AnyEndpoint,
  input: unknown,
  options: Omit<RunOptions, 'signal'>,
  runtime: Runtime
): CacheResult | Promise<CacheResult> | undefined {
  const { cache } = runtime.answers
  if (cache === undefined || !mayBeCached(endpoint, options)) return undefined
  authorize(endpoint, options.identity)
  const invocation = { endpoint, input, options, runtime }
  const key = keyFor(endpoint, input, options, runtime)
  return cache.find(key, async () => {
    const making = createEntryMaker(invocation, key, cache)
    const record = await run({ ...invocation, options: making.options }, making.caching)
    return await making.entryOf(record)
  }, options.reload ?? false, options.client)
}

/** Whether the answer is in memory, so that sending it is no work. */
export function isCached (
  endpoint: AnyEndpoint,
  input: unknown,
  options: Pick<RunOptions, 'identity'>,
  runtime: Runtime
): boolean {
  return mayBeCached(endpoint, options)
    && runtime.answers.cache?.isAtHand(keyFor(endpoint, input, options, runtime)) === true
}

/** An answer to a request with its own cookie is never cached, even if the cookie is not a login. */
function mayBeCached (endpoint: AnyEndpoint, { identity }: Pick<RunOptions, 'identity'>): boolean {
  return endpoint.cache !== undefined && (identity.source === 'none' || isOfRelay(identity))
}

/** Returns the cache key of an answer. */
export function keyFor (
  endpoint: AnyEndpoint,
  input: unknown,
  { identity }: Pick<RunOptions, 'identity'>,
  runtime: Runtime
): CacheKey {
  const credential = credentialFor(endpoint, identity, runtime)
  return runtime.answers.keyOf(endpoint, input as object, accountOf(identity), credential)
}

/** Name of the stored account of an identity that belongs to the relay. */
const accountOf = ({ account = defaultAccount }: Identity): string => account

/**
 * Returns the credential to use. The setting `globalCookieScope` may reserve the global account for endpoints with a
 * login. A limited key plays with the rights of its account, and sees nothing that is made for it.
 */
function credentialFor (
  endpoint: AnyEndpoint,
  { source, credential, key }: Identity,
  { settings }: Runtime
): Credential | undefined {
  if (key?.noLoginEndpoints === true && endpoint.login === 'optional' && endpoint.plays !== true) return undefined
  return source === 'global' && settings.globalCookieScope === 'login' && endpoint.login === undefined ? undefined
    : credential
}

/** Whether there is an answer without a login after the caller's own was refused. */
const answersAnyway = ({ login, failsWithEndedLogin }: AnyEndpoint): boolean =>
  login !== 'required' && failsWithEndedLogin !== true

/** Whether there is such an answer, and the caller can be told. */
const isTold = ({ endpoint, options: { onLoginRefused } }: Invocation): boolean =>
  onLoginRefused !== undefined && answersAnyway(endpoint)

const isRefusedLogin = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.code === 'COOKIE_REJECTED'

/**
 * Runs an endpoint with its own upstream client, and once more after the upstream has refused the login: with the new
 * key if that of a stored account was renewed meanwhile (the old key stops working at once, also for calls in
 * progress), or without the caller's own login.
 */
async function run (invocation: Invocation, caching: Caching): Promise<unknown> {
  const { endpoint, input, options, runtime } = invocation
  const { signal, client, reload = false, onUpstreamRequest, onLoginRefused } = options
  const {
    accounts,
    resources: { detailSlots, songFacts, state },
    settings: { exposeGlobalCookie },
    upstream: { calls, logins, observer }
  } = runtime
  let { identity } = options
  const isOwn = !isOfRelay(identity)
  let refusal: UpstreamError | undefined
  for (;;) {
    const credential = credentialFor(endpoint, identity, runtime)
    const stored = credential === undefined || isOwn ? undefined : { account: accountOf(identity), credential }
    const upstream = calls.forRequest({ credential, client, signal, observer, onUpstreamRequest })
    let isAlive = true
    const mayRepeat = refusal === undefined
    const loginEnded = async (error: Error): Promise<void> => {
      isAlive = false
      if (isOwn && (endpoint.login === 'required' || isTold(invocation))) throw error
      const isReplaced = mayRepeat && stored !== undefined
        && await accounts?.replaced(stored.account, stored.credential) !== undefined
      if (isReplaced) throw error
    }
    try {
      const record = await endpoint.run(input as never, {
        upstream,
        credential,
        shownCookie: shownCookies(identity, exposeGlobalCookie),
        stored: stored && accounts?.get(stored.account),
        isShown: identity.source !== 'global' || exposeGlobalCookie,
        loginEnded,
        loginRefused (error) {
          if (!isOwn || !isTold(invocation)) return
          if (error !== undefined) throw error
          onLoginRefused?.(false)
        },
        login: logins.forRequest({ signal, client, onUpstreamRequest }),
        detailSlots: detailSlots(client, upstream.signal),
        songs: songFacts?.({ credential, signal: upstream.signal, reload }) ?? noSongFacts,
        // Last: fields that follow a spread at the start of an object cost a microsecond each (2026-11, Node 20).
        ...state,
        ...caching
      })
      // If a login is optional, an answer does not prove that the login is valid.
      if (stored !== undefined && isAlive && endpoint.login === 'required') {
        accounts?.answered(stored.account, stored.credential)
      }
      if (refusal !== undefined && isOwn) onLoginRefused?.(true)
      return record
    } catch (error) {
      if (refusal !== undefined) throw isOwn ? refusal : error
      if (credential === undefined || !isRefusedLogin(error)) throw error
      refusal = error
    } finally {
      upstream.end()
    }
    identity = await identityAfter(refusal, invocation)
  }
}

/**
 * Returns the identity for another attempt after the login was refused. Throws the refusal if there is none: with HTTP
 * status 401 where a login is required from the caller.
 */
async function identityAfter (
  refusal: UpstreamError,
  invocation: Invocation
): Promise<Identity> {
  const { endpoint, options: { identity, signal }, runtime } = invocation
  if (isOfRelay(identity)) {
    const credential = credentialFor(endpoint, identity, runtime) as Credential
    const cookie = await runtime.accounts?.replaced(accountOf(identity), credential)
    if (cookie === undefined || signal?.aborted === true) throw refusal
    return withCookie(identity, cookie)
  }
  if (endpoint.login === 'required') throw refusal.with({ status: 401 })
  if (!isTold(invocation) || signal?.aborted === true) throw refusal
  return { ...identity, credential: undefined }
}

/**
 * Returns an answer as JSON text. `read`: number of bytes that it was made of. Throws UPSTREAM_UNREADABLE if it exceeds
 * the maximum size of an answer, or the budget of what is made of so many bytes.
 */
export async function bodyTextOf (
  { envelope }: AnyEndpoint,
  record: unknown,
  runtime: Runtime,
  work: Pick<Work, 'did'>,
  read: number
): Promise<string> {
  const { largestAnswerBytes, madeBytes, madeFactor, sliceBytes } = runtime.answers.limits
  const most = Math.min(largestAnswerBytes, madeBytes + madeFactor * read)
  const text = await jsonTextOf(envelope.wrap(record), most, sliceBytes, work)
  if (text === undefined || Buffer.byteLength(text) > largestAnswerBytes) throw tooLarge(runtime.answers.limits)
  return text
}

/** Returns the number of bytes of upstream answers. */
export const bytesRead = (reports: readonly UpstreamReport[] | null): number =>
  (reports ?? []).reduce((sum, { bytes = 0 }) => sum + bytes, 0)

/** Returns the work of a client, which is charged for it. */
export function workOf (
  client: Client | undefined,
  { answers: { turns }, ledger: { work } }: Pick<Runtime, 'answers' | 'ledger'>
): Work {
  return turns.begin(client, (bytes) => { work.charge(client, bytes) })
}

/** Returns the error for an answer that exceeds the maximum size. */
export function tooLarge ({ largestAnswerBytes }: Pick<AnswerLimits, 'largestAnswerBytes'>): RelayError {
  return new RelayError(
    'UPSTREAM_UNREADABLE',
    `The answer is larger than the relay sends (${Math.floor(largestAnswerBytes / 1024 / 1024)} MB); ask for less at once.`
  )
}

/** Makes a cache entry out of the answer of a run: the options of that run, and what it does about caching. */
function createEntryMaker (
  { endpoint, options, runtime }: Invocation,
  { account }: CacheKey,
  cache: Cache
) {
  const begun = cache.now()
  const sources = new Set<string>()
  /** Cache entries that the answer contains. */
  const parts: CacheEntry[] = []
  let limit: CachePolicy | undefined
  /** Bytes of upstream answers and of used entries. */
  let read = 0
  const shorterOf = (one: CachePolicy, other: CachePolicy | undefined): CachePolicy =>
    other !== undefined && ttlOf[other].fresh < ttlOf[one].fresh ? other : one
  const work = workOf(options.client, runtime)
  const finish = async (of: AnyEndpoint, record: unknown, since: number): Promise<CacheEntry> => {
    const policy = shorterOf(of.cache ?? 'brief', limit)
    const scope = account === undefined && runtime.answers.isPublic ? 'public' : 'private'
    const body = Buffer.from(await bodyTextOf(of, record, runtime, work, read))
    return {
      body,
      etag: etagOf(body),
      cacheControl: `${scope}, max-age=${ttlOf[policy].fresh / 1000}`,
      sources: [...sources],
      since,
      policy
    }
  }
  const caching: Caching = {
    cacheAtMost (policy) {
      limit = limit === undefined ? policy : shorterOf(limit, policy)
    },
    async elements<T> (
      of: AnyEndpoint,
      inputs: readonly unknown[],
      fetch: (missing: readonly never[]) => Promise<readonly Settled<T>[]>
    ): Promise<Settled<T>[]> {
      const keys = inputs.map((one) => cacheKeyOf(of, one, account))
      const copies = keys.map((key) => options.reload === true ? undefined : cache.getFresh(key))
      const missing = inputs.filter((_one, at) => copies[at] === undefined)
      const fetched = missing.length === 0 ? [] : [...await fetch(missing as never[])]
      const settled: Settled<T>[] = []
      for (const [at, copy] of copies.entries()) {
        if (copy === undefined) {
          const one = fetched.shift() as Settled<T>
          if (one.error === undefined) cache.set(keys[at] as CacheKey, await finish(of, one.value, begun))
          settled.push(one)
          continue
        }
        parts.push(copy)
        read += copy.body.length
        for (const name of copy.sources) sources.add(name)
        const turn = work.did(copy.body.length)
        if (turn !== undefined) await turn
        settled.push({ value: of.envelope.unwrap(JSON.parse(copy.body.toString())) as T })
      }
      return settled
    }
  }
  const onUpstreamRequest = (report: UpstreamReport): void => {
    for (const name of report.answered ?? []) sources.add(name)
    read += report.bytes ?? 0
    options.onUpstreamRequest?.(report)
  }
  return {
    options: { ...options, onUpstreamRequest },
    caching,
    /** Returns the entry. Its age and lifetime take the used entries into account. */
    async entryOf (record: unknown): Promise<CacheEntry> {
      // The answer is as old as its oldest part, and its lifetime is the shortest one of its parts.
      for (const { policy } of parts) caching.cacheAtMost(policy)
      return await finish(endpoint, record, Math.min(begun, ...parts.map(({ since }) => since)))
    }
  }
}

// @mutate cache: account cache chains user user-lists wire account-requests cookies left-callers play-reasons radio
