/**
 * The cache that several instances share, in Valkey or Redis. It is optional at run time: if the store does not answer in
 * time, the relay works without it, and a store that keeps failing is not used for a while.
 * Background: docs/decisions/0011-shared-store.md.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { CircuitBreakerPolicy } from 'cockatiel'
import type { Redis } from 'iovalkey'
import type { BaseLogger } from 'pino'
import type { CacheEntry, SharedCache } from './memory.ts'
import { loadPeer } from '../common/optionalPackage.ts'

/** Consecutive failures that open the circuit breaker of the store, and how long it stays open in milliseconds. */
const mostFailures = 3
const restMs = 2000
/** How long the lock of a fetching instance lasts, and how often waiting instances look for its entry. Milliseconds. */
const lockMs = 3000
const lookMs = 30

/** The store that instances share: cache entries and rate limit counts. */
export interface SharedStore {
  /**
   * Returns the shared cache. `now`: clock of the local cache, in milliseconds that never run backwards. Relays share
   * entries only if `among` is equal.
   */
  cacheFor (now: () => number, among: readonly unknown[]): SharedCache
  /** Options for shared rate limit counts: the connection, and the secret that hashes client addresses. */
  readonly counts: { readonly redis: object, readonly nameSpace: string, readonly skipOnError: true, readonly secret: string }
  /** Closes the connection. */
  close (): Promise<void>
}

/**
 * Opens the store. It connects in the background, and reconnects until `close()`. `timeoutMs`: timeout of one command.
 * @throws {ConfigError} The client package is not installed.
 */
export async function openStore (url: string, timeoutMs: number, log: Pick<BaseLogger, 'warn' | 'info'>): Promise<SharedStore> {
  const { Redis } = await loadPeer('redisUrl', 'iovalkey', async () => await import('iovalkey'))
  const redis = new Redis(url, {
    connectTimeout: 1000,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    // Without a connection every command fails at once.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(100 * times, restMs)
  })
  const circuit = circuitBreaker(handleAll, { breaker: new ConsecutiveBreaker(mostFailures), halfOpenAfter: restMs })
  // Commands fail only with "no connection". The reason comes from the error event.
  let reason: string | undefined
  const warnUnavailable = (): void => { log.warn({ reason }, 'the shared store does not answer: this instance works alone') }
  redis.on('error', (error) => {
    const before = reason
    reason = errorCodeOf(error)
    // The reason became known after the warning: warn again, with the reason.
    if (reason !== before && circuit.state !== CircuitState.Closed) warnUnavailable()
  })
  redis.on('ready', () => { reason = undefined })
  circuit.onBreak(warnUnavailable)
  circuit.onReset(() => { log.info('the shared store answers again') })

  /** Runs a command. Returns undefined if it fails, times out or the circuit breaker is open. */
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => await circuit.execute(work).catch(() => undefined)

  return {
    cacheFor: (now, among) => createSharedCache(redis, attempt, now, hashed(JSON.stringify(among)).slice(0, 10)),
    counts: { redis: counting(redis, circuit), nameSpace: 'music-relay:count:', skipOnError: true, secret: hashed(`clients ${url}`) },
    async close () {
      await Promise.resolve(redis.disconnect())
    }
  }
}

/**
 * Error code for the log, such as ECONNREFUSED or WRONGPASS. The message is not logged: it may quote the URL, which
 * may hold a password.
 */
function errorCodeOf ({ code, message }: NodeJS.ErrnoException): string | undefined {
  return code ?? /^[A-Z]{3,20}\b/.exec(message)?.[0]
}

type Command = (...args: unknown[]) => unknown

/**
 * The connection in the form that the rate limit library expects: it defines commands, and calls them with a callback.
 */
function counting (redis: Redis, circuit: CircuitBreakerPolicy): object {
  const commands: Record<string, unknown> = {
    defineCommand (name: string, definition: { lua: string, numberOfKeys?: number }) {
      redis.defineCommand(name, definition)
      commands[name] = (...args: unknown[]) => {
        const done = args.pop() as (error: Error | null, result?: unknown) => void
        circuit.execute(async () => await (redis as unknown as Record<string, Command>)[name]?.(...args)).then((result) => { done(null, result) }, done)
      }
    }
  }
  return commands
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T | undefined>

function createSharedCache (redis: Redis, attempt: Attempt, now: () => number, space: string): SharedCache {
  // Keys are hashes, because searches are personal.
  const nameOf = (key: string): string => `music-relay:${space}:${hashed(key)}`

  async function read (key: string): Promise<CacheEntry | undefined> {
    const name = nameOf(key)
    // PTTL is read first. If the entry is replaced in between, the new one looks older than it is, but never an old
    // one newer.
    const found = await attempt(async () => await Promise.all([redis.pttl(name), redis.getBuffer(name)]))
    return found?.[1] === null || found === undefined ? undefined : unpack(found[1], found[0], now())
  }

  async function save (key: string, entry: CacheEntry): Promise<void> {
    const left = Math.floor(lifeOf(entry) - (now() - entry.since))
    if (left > 0) await attempt(async () => await redis.set(nameOf(key), pack(entry), 'PX', left))
  }

  const isFresh = ({ since, ttl }: CacheEntry): boolean => now() - since < ttl.fresh

  /** Waits while another instance fetches. Returns its entry, or undefined if it has none or takes too long. */
  async function awaited (key: string, lock: string): Promise<CacheEntry | undefined> {
    const until = now() + lockMs
    while (now() < until) {
      await sleep(lookMs)
      // The lock is checked before the entry is read: an instance stores the entry before it releases the lock.
      const going = await attempt(async () => await redis.exists(lock))
      const entry = await read(key)
      if (entry !== undefined && isFresh(entry)) return entry
      // The lock is gone, or the store is unavailable. In both cases there is nothing to wait for.
      if (going !== 1) return undefined
    }
    return undefined
  }

  return {
    read,
    write (key, entry) { void save(key, entry) },
    async fetch (key, make, reload) {
      const lock = `${nameOf(key)}:turn`
      const token = randomBytes(9).toString('base64url')
      const copy = reload ? undefined : await read(key)
      if (copy !== undefined && isFresh(copy)) return copy
      // null: another instance holds the lock. undefined: the store is unavailable.
      const acquired = await attempt(async () => await redis.set(lock, token, 'PX', lockMs, 'NX'))
      if (acquired === null && !reload) {
        const theirs = await awaited(key, lock)
        if (theirs !== undefined) return theirs
      }
      try {
        const entry = await make()
        await save(key, entry)
        return entry
      } finally {
        if (acquired === 'OK') void attempt(async () => await redis.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end", 1, lock, token))
      }
    }
  }
}

/** How long an entry may be used at all, in milliseconds from its fetch. */
const lifeOf = ({ ttl: { fresh, staleWhileRevalidate, staleIfError } }: Pick<CacheEntry, 'ttl'>): number => fresh + Math.max(staleWhileRevalidate, staleIfError)

type Head = Pick<CacheEntry, 'etag' | 'cacheControl' | 'source' | 'ttl'>

/** Serializes an entry: one line of JSON, then the body. */
function pack ({ etag, cacheControl, source, ttl, body }: CacheEntry): Buffer {
  const head: Head = { etag, cacheControl, source, ttl }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

/**
 * Parses an entry. Its age follows from the store's remaining time, so clocks need not agree. Undefined if it is not
 * in our format.
 */
function unpack (packed: Buffer, leftMs: number, now: number): CacheEntry | undefined {
  const end = packed.indexOf('\n')
  if (end === -1 || leftMs <= 0) return undefined
  try {
    const head = JSON.parse(packed.subarray(0, end).toString()) as Head
    return { ...head, body: packed.subarray(end + 1), since: now - Math.max(0, lifeOf(head) - leftMs) }
  } catch {
    return undefined
  }
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')
