/**
 * Answers that several instances share, in Valkey or Redis. It is a help and never a need: whatever the store does not
 * say in time the relay finds out by itself, and a store that fails is left alone for a while.
 * What and why: docs/decisions/0011-shared-store.md.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { CircuitBreakerPolicy } from 'cockatiel'
import type { Redis } from 'iovalkey'
import type { BaseLogger } from 'pino'
import type { Kept, SharedCache } from './cache.ts'
import { loadPeer } from './peers.ts'

/** Failures in a row after which it is not asked, and for how long. */
const mostFailures = 3
const restMs = 2000
/** How long one instance may fetch while the others wait for what it gets, and how often they look. Milliseconds. */
const turnMs = 3000
const lookMs = 30

export interface SharedStore {
  /** For the clock of whoever keeps the copies: milliseconds that never run backwards. `among`: only relays that agree in it share. */
  cacheFor (now: () => number, among: readonly unknown[]): SharedCache
  /** For counting clients together: the connection, and the secret that names them. */
  readonly counts: { readonly redis: object, readonly nameSpace: string, readonly skipOnError: true, readonly secret: string }
  close (): Promise<void>
}

/** Connects, and goes on trying for as long as it lives. `patienceMs`: longest wait for one word. Throws ConfigError when the client is not installed. */
export async function openStore (url: string, patienceMs: number, log: Pick<BaseLogger, 'warn' | 'info'>): Promise<SharedStore> {
  const { Redis } = await loadPeer('redisUrl', 'iovalkey', async () => await import('iovalkey'))
  const redis = new Redis(url, {
    connectTimeout: 1000,
    commandTimeout: patienceMs,
    maxRetriesPerRequest: 0,
    // Without a connection every command fails at once.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(100 * times, restMs)
  })
  const circuit = circuitBreaker(handleAll, { breaker: new ConsecutiveBreaker(mostFailures), halfOpenAfter: restMs })
  // Commands say only that there is no connection; why there is none is told here.
  let reason: string | undefined
  const tell = (): void => { log.warn({ reason }, 'the shared store does not answer: this instance works alone') }
  redis.on('error', (error) => {
    const before = reason
    reason = wordOf(error)
    // Known only now, after it was told: once more, with the reason.
    if (reason !== before && circuit.state !== CircuitState.Closed) tell()
  })
  redis.on('ready', () => { reason = undefined })
  circuit.onBreak(tell)
  circuit.onReset(() => { log.info('the shared store answers again') })

  /** The store's word; undefined when there is none in time. */
  const asked = async <T>(work: () => Promise<T>): Promise<T | undefined> => await circuit.execute(work).catch(() => undefined)

  return {
    cacheFor: (now, among) => createSharedCache(redis, asked, now, hashed(JSON.stringify(among)).slice(0, 10)),
    counts: { redis: counting(redis, circuit), nameSpace: 'music-relay:count:', skipOnError: true, secret: hashed(`clients ${url}`) },
    async close () {
      await Promise.resolve(redis.disconnect())
    }
  }
}

/** ECONNREFUSED, WRONGPASS … A word, not the message: nothing of the URL, which may hold a password, gets into a log line. */
function wordOf ({ code, message }: NodeJS.ErrnoException): string | undefined {
  return code ?? /^[A-Z]{3,20}\b/.exec(message)?.[0]
}

type Command = (...words: unknown[]) => unknown

/** The connection as the counter of clients takes it: it defines its commands, and calls back. */
function counting (redis: Redis, circuit: CircuitBreakerPolicy): object {
  const commands: Record<string, unknown> = {
    defineCommand (name: string, definition: { lua: string, numberOfKeys?: number }) {
      redis.defineCommand(name, definition)
      commands[name] = (...words: unknown[]) => {
        const done = words.pop() as (error: Error | null, result?: unknown) => void
        circuit.execute(async () => await (redis as unknown as Record<string, Command>)[name]?.(...words)).then((result) => { done(null, result) }, done)
      }
    }
  }
  return commands
}

type Asked = <T>(work: () => Promise<T>) => Promise<T | undefined>

function createSharedCache (redis: Redis, asked: Asked, now: () => number, space: string): SharedCache {
  // What people search for is nobody's business: keys are hashes.
  const nameOf = (key: string): string => `music-relay:${space}:${hashed(key)}`

  async function read (key: string): Promise<Kept | undefined> {
    const name = nameOf(key)
    // The life first: a copy put there in between is then taken for older than it is, never an old one for new.
    const found = await asked(async () => await Promise.all([redis.pttl(name), redis.getBuffer(name)]))
    return found?.[1] === null || found === undefined ? undefined : unpack(found[1], found[0], now())
  }

  async function save (key: string, kept: Kept): Promise<void> {
    const left = Math.floor(lifeOf(kept) - (now() - kept.since))
    if (left > 0) await asked(async () => await redis.set(nameOf(key), pack(kept), 'PX', left))
  }

  const isFresh = ({ since, times }: Kept): boolean => now() - since < times.fresh

  /** Waits while another instance fetches: its answer, or undefined when it has none or takes too long. */
  async function awaited (key: string, turn: string): Promise<Kept | undefined> {
    const until = now() + turnMs
    while (now() < until) {
      await sleep(lookMs)
      // Asked before the copy is looked for: whoever ends a turn has put the copy there.
      const going = await asked(async () => await redis.exists(turn))
      const kept = await read(key)
      if (kept !== undefined && isFresh(kept)) return kept
      // Over, or the store is: either way there is nothing to wait for.
      if (going !== 1) return undefined
    }
    return undefined
  }

  return {
    read,
    write (key, kept) { void save(key, kept) },
    async fetch (key, make, reload) {
      const turn = `${nameOf(key)}:turn`
      const token = randomBytes(9).toString('base64url')
      const copy = reload ? undefined : await read(key)
      if (copy !== undefined && isFresh(copy)) return copy
      // "null" is somebody else's turn, undefined a store that says nothing.
      const mine = await asked(async () => await redis.set(turn, token, 'PX', turnMs, 'NX'))
      if (mine === null && !reload) {
        const theirs = await awaited(key, turn)
        if (theirs !== undefined) return theirs
      }
      try {
        const kept = await make()
        await save(key, kept)
        return kept
      } finally {
        if (mine === 'OK') void asked(async () => await redis.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end", 1, turn, token))
      }
    }
  }
}

/** How long a copy may be of any use, counted from its fetch. Milliseconds. */
const lifeOf = ({ times: { fresh, whileRevalidate, ifError } }: Pick<Kept, 'times'>): number => fresh + Math.max(whileRevalidate, ifError)

type Head = Pick<Kept, 'etag' | 'cacheControl' | 'source' | 'times'>

/** One line of JSON, then the body. */
function pack ({ etag, cacheControl, source, times, body }: Kept): Buffer {
  const head: Head = { etag, cacheControl, source, times }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

/** Its age is what the store says has passed of its life, so that no two clocks need agree. Undefined for what is none of ours. */
function unpack (packed: Buffer, leftMs: number, now: number): Kept | undefined {
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
