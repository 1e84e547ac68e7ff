/**
 * The cache that several instances share, in Valkey or Redis. It is optional at run time: if the store does not answer
 * in time, the relay works without it. A store that fails repeatedly is not used for a while. Background:
 * docs/decisions.md#0011.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'iovalkey'
import type { BaseLogger } from 'pino'
import type { CacheEntry, SharedCache } from './memory.ts'
import { ttlOf } from './policy.ts'
import { createSeal, lifeOf, type EntrySeal } from './sharedEntry.ts'

/**
 * Number of consecutive failures that open the store's circuit breaker, and how long it stays open, in milliseconds.
 */
const mostFailures = 3
const breakerOpenMs = 2000
/** When `watch` first checks the store, and the interval of its checks. Milliseconds. */
const firstCheckMs = 500
const checkMs = 5000
/**
 * How long the lock of a fetching instance lasts, and how often waiting instances check for its entry. Milliseconds.
 */
const lockMs = 3000
const lookMs = 30

/** The store that instances share: cache entries and rate limit counts. */
export type SharedStore = Awaited<ReturnType<typeof openStore>>

/** Rate limit counts that instances share. */
export type SharedCounts = SharedStore['counts']

/** Timeout of a command, in milliseconds. A store that needs a tenth of a second is no faster than the upstream. */
export const redisTimeoutMs = 100

/** Opens the store of the settings, for a relay and for commands: they share locks. Undefined without one. */
export async function openSharedStore (
  { redisUrl, redisSecret }: { readonly redisUrl: string, readonly redisSecret: string },
  timeoutMs: number,
  log: Pick<BaseLogger, 'warn' | 'info'>
): Promise<SharedStore | undefined> {
  if (redisUrl === '') return undefined
  return await openStore({ url: redisUrl, secret: redisSecret || redisUrl, timeoutMs }, log)
}

/**
 * Opens the store. It connects in the background and reconnects until `close()`. `timeoutMs`: timeout of one command.
 * `secret`: known to the instances, but not to the store.
 */
export async function openStore (
  { url, secret, timeoutMs }: { readonly url: string, readonly secret: string, readonly timeoutMs: number },
  log: Pick<BaseLogger, 'warn' | 'info'>
) {
  const { Redis } = (await import('iovalkey')).default
  const redis = new Redis(url, {
    connectTimeout: 1000,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    // Without a connection, every command fails at once.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Without answers, commands would pile up in the client.
    socketTimeout: 10 * timeoutMs,
    // The check parses an answer of the store outside any promise. Without it, a store that is still loading refuses
    // commands.
    enableReadyCheck: false,
    retryStrategy: (times) => Math.min(100 * times, breakerOpenMs)
  })
  const unread = { bytes: 0 }
  redis.on('connect', () => {
    unread.bytes = 0
    limitUnread(redis.stream, unread)
  })
  /** Failures in a row. From `mostFailures`, one attempt at a time tries the store again, `breakerOpenMs` apart. */
  let failures = 0
  let openUntil = 0
  let isTrying = false
  // Commands fail only with "no connection". The error event has the reason.
  let reason: string | undefined
  let away = false
  // Until the first connection is open or refused, nothing can be said of the store.
  let opening = true
  let timer: NodeJS.Timeout | undefined
  // Whether the reason was logged. Each attempt may fail for another one: a dying store resets connections, a dead one
  // refuses them.
  let named = false
  const warnUnavailable = (): void => {
    named = reason !== undefined
    log.warn({ reason }, 'the shared store does not answer: this instance works alone')
  }
  redis.on('error', (error) => {
    opening = false
    reason = errorCodeOf(error)
    // The reason became known after the warning, so warn again with the reason.
    if (away && !named && reason !== undefined) warnUnavailable()
  })
  redis.on('ready', () => {
    opening = false
    reason = undefined
  })
  /**
   * Runs a command. Returns undefined if it fails, times out, the circuit breaker is open or there has been no
   * connection yet.
   */
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const isOpen = failures >= mostFailures
    if (opening || (isOpen && (isTrying || performance.now() < openUntil))) return undefined
    isTrying = isOpen
    try {
      const value = await work()
      unread.bytes = 0
      failures = 0
      if (away) log.info('the shared store answers again')
      away = false
      return value
    } catch {
      if (++failures < mostFailures) return undefined
      openUntil = performance.now() + breakerOpenMs
      // Each failed attempt opens the circuit breaker again. Only the first one is logged.
      if (!away) warnUnavailable()
      away = true
      return undefined
    } finally {
      if (isOpen) isTrying = false
    }
  }
  async function check (): Promise<void> {
    // As many tries as it takes to notice that the store is gone.
    for (let tries = 0; tries < mostFailures; tries++) {
      if (await attempt(async () => await redis.ping()) !== undefined) return
    }
  }
  const seal = createSeal(secret)

  return {
    /**
     * Returns the shared cache. `now`: clock of the local cache, in milliseconds that never run backwards. Relays share
     * entries only if `among` is equal.
     */
    cacheFor: (now: () => number, among: readonly unknown[]) =>
      createSharedCache(redis, attempt, now, hashed(JSON.stringify(among)).slice(0, 10), seal),
    counts: {
      /** Hashes client addresses. */
      secret: hashed(`clients ${secret}`),
      /**
       * Adds one to the count of this key. Returns the count of its window and the time left, or undefined if the store
       * fails.
       */
      add: async (key: string, windowMs: number) =>
        await attempt(async () => readCount(await redis.eval(countScript, 1, `music-relay:count:${key}`, windowMs)))
    },
    /**
     * Locks `what` among instances, for at most `ms` milliseconds. Returns a function that unlocks it, `taken` if
     * another instance holds the lock, or undefined if the store does not answer. `what` may name an account, so the
     * store gets a hash that only the instances can compute.
     */
    lock: async (what: string, ms: number) =>
      await takeLock(redis, attempt, `music-relay:lock:${hashed(`${what} ${secret}`)}`, ms),
    /** Whether the store answers, as far as this instance knows. */
    isUp: () => redis.status === 'ready' && !away,
    /**
     * Checks the store now and then until `close()`, so that its state is known without requests. Call it once there is
     * a log.
     */
    watch (): void {
      timer = setTimeout(() => {
        void check()
        timer = setInterval(() => { void check() }, checkMs).unref()
      }, firstCheckMs).unref()
    },
    async close (): Promise<void> {
      clearTimeout(timer)
      await Promise.resolve(redis.disconnect())
    }
  }
}

/**
 * Counts in a window that begins with its first count. A key without an expiry, which only others can create, gets one.
 */
const countScript = `
  local current = redis.call('INCR', KEYS[1])
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
  end
  return {current, left}`

function readCount (reply: unknown): { readonly current: number, readonly ttl: number } {
  const [current, ttl] = Array.isArray(reply) ? reply as unknown[] : []
  if (
    !Number.isSafeInteger(current) || !Number.isSafeInteger(ttl)
  ) { throw new TypeError('The shared store answers a count with something else.') }
  return { current: current as number, ttl: ttl as number }
}

type TryCommand = <T>(work: () => Promise<T>) => Promise<T | undefined>

/**
 * Takes a lock. Returns its release function, `taken` if another instance holds it, or undefined if the store is
 * unavailable.
 */
async function takeLock (
  redis: Redis,
  attempt: TryCommand,
  lock: string,
  ms: number
): Promise<(() => void) | 'taken' | undefined> {
  const token = randomBytes(9).toString('base64url')
  const acquired = await attempt(async () => await redis.set(lock, token, 'PX', ms, 'NX'))
  if (acquired !== 'OK') return acquired === null ? 'taken' : undefined
  return () => {
    void attempt(async () =>
      await redis.eval('if redis.call(\'GET\', KEYS[1]) == ARGV[1] then return redis.call(\'DEL\', KEYS[1]) end', 1, lock, token)
    )
  }
}

function createSharedCache (
  redis: Redis,
  attempt: TryCommand,
  now: () => number,
  space: string,
  seal: EntrySeal
): SharedCache {
  // Keys are hashes, because searches are personal.
  const nameOf = (key: string): string => `music-relay:${space}:${hashed(key)}`

  async function read (key: string): Promise<CacheEntry | undefined> {
    const name = nameOf(key)
    // PTTL is read first. If the entry is replaced in between, the new one may look older than it is, but an old one
    // never looks newer.
    const found = await attempt(async () => await Promise.all([redis.pttl(name), redis.getBuffer(name)]))
    return found === undefined ? undefined : seal.unpack(name, found[1], found[0], now())
  }

  async function save (key: string, entry: CacheEntry): Promise<void> {
    const left = Math.floor(lifeOf(entry.policy) - (now() - entry.since))
    if (left <= 0) return
    const name = nameOf(key)
    const packed = seal.pack(name, entry, now())
    // One that is incomplete does not replace a complete one.
    await attempt(async () => entry.policy === 'brief' ? await redis.set(name, packed, 'PX', left, 'NX')
      : await redis.set(name, packed, 'PX', left))
  }

  const isFresh = ({ since, policy }: CacheEntry): boolean => now() - since < ttlOf[policy].fresh

  /** Waits while another instance fetches. Returns its entry, or undefined if it has none or takes too long. */
  async function awaited (key: string, lock: string): Promise<CacheEntry | undefined> {
    const until = now() + lockMs
    while (now() < until) {
      await sleep(lookMs)
      // The lock is checked before the entry is read, because an instance stores the entry before it releases the lock.
      const going = await attempt(async () => await redis.exists(lock))
      const entry = await read(key)
      if (entry !== undefined && isFresh(entry)) return entry
      // The lock is gone or the store is unavailable. Either way, there is nothing to wait for.
      if (going !== 1) return undefined
    }
    return undefined
  }

  return {
    read,
    write (key, entry) { void save(key, entry) },
    async fetch (key, produce, reload) {
      const lock = `${nameOf(key)}:lock`
      const copy = reload ? undefined : await read(key)
      if (copy !== undefined && isFresh(copy)) return copy
      const release = await takeLock(redis, attempt, lock, lockMs)
      if (release === 'taken' && !reload) {
        const theirs = await awaited(key, lock)
        if (theirs !== undefined) return theirs
      }
      try {
        const entry = await produce()
        await save(key, entry)
        return entry
      } finally {
        if (release !== 'taken') release?.()
      }
    }
  }
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')

// What the connection to the shared store may do to this process, and what its errors are called.

/** Maximum number of bytes that the store may send before a command succeeds. An entry has at most a megabyte. */
const mostUnread = 16 * 1024 * 1024

/**
 * Returns the error code for the log, such as ECONNREFUSED or WRONGPASS. The message is not logged, because it may
 * quote the URL with a password.
 */
function errorCodeOf ({ code, message }: NodeJS.ErrnoException): string | undefined {
  return code ?? /^[A-Z]{3,20}\b/.exec(message)?.[0]
}

/**
 * Closes a connection whose data breaks the client's parser or exceeds the limit. The client parses in the stream's
 * event, where an exception (such as for a reply that is nested too deeply) would end the process.
 */
function limitUnread (stream: Socket, unread: { bytes: number }): void {
  const emit = stream.emit.bind(stream) as (...args: unknown[]) => boolean
  stream.emit = (...args: [string | symbol, ...unknown[]]): boolean => {
    if (args[0] !== 'data') return emit(...args)
    try {
      unread.bytes += (args[1] as Buffer).length
      if (unread.bytes > mostUnread) throw new RangeError('The shared store sends more than it was asked for.')
      return emit(...args)
    } catch (error) {
      stream.destroy(error as Error)
      return false
    }
  }
}
