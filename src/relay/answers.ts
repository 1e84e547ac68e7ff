/** Where answers are cached and under which keys, and how large one may be. */
import { createHash, randomBytes } from 'node:crypto'
import type { BaseLogger } from 'pino'
import { createCache } from '../cache/memory.ts'
import { createKeys } from '../cache/policy.ts'
import type { SharedStore } from '../cache/redis.ts'
import { RelayError } from '../common/errors.ts'
import { createTurns } from '../common/turns.ts'
import { version } from '../common/version.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import { createFinished } from './finished.ts'
import type { ResolvedOptions } from './runtime.ts'

/** Limits of one answer, and of what is cached. Tests use others. */
export const answerLimits = {
  /** Maximum size of an answer. Fifty playlists of a thousand songs, the largest batch, are 12 MB. */
  largestAnswerBytes: 16 * 1024 * 1024,
  /**
   * Maximum size of what is made of upstream answers: `madeBytes`, and so many times what was read. A row of 8 bytes,
   * such as `{"id":1}`, becomes a song of 700.
   */
  madeBytes: 1024 * 1024,
  madeFactor: 100,
  /**
   * Work on long answers between two turns of the event loop, in bytes that are read or made. It takes less than a
   * millisecond.
   */
  sliceBytes: 32 * 1024,
  /** Maximum number of bytes of finished long answers. Liked songs of an account take about 6 MB in one format. */
  finishedBytes: 32 * 1024 * 1024,
  /**
   * Bytes of `cacheBytes` per entry: 5000 entries by default. This bounds the uncounted memory of many small entries.
   */
  cacheEntryBytes: 13_421,
  /** Longest wait for the upstream while a stale entry may still be used. A listener waits three seconds, not eight. */
  softDeadlineMs: 3000
}

export type AnswerLimits = typeof answerLimits

export type Answers = ReturnType<typeof createAnswers>

/** Returns an empty cache, unless the setting `cache` is off. */
export function createAnswers (
  { settings, tuning, now, timers, log }: Pick<ResolvedOptions, 'settings' | 'tuning' | 'now' | 'timers' | 'log'>,
  { assertCapacity }: UpstreamClient,
  store: SharedStore | undefined
) {
  const limits = { ...answerLimits, ...tuning }
  const isPublic = !settings.useGlobalCookie && settings.accessToken === ''
  const cache = settings.cache
    ? createCache({
        assertCapacity,
        cacheBytes: settings.cacheBytes,
        cacheEntries: Math.max(1, Math.floor(settings.cacheBytes / limits.cacheEntryBytes)),
        softDeadlineMs: limits.softDeadlineMs,
        now,
        timers,
        onBackgroundError: (error) => { logBackgroundError(error, log) },
        shared: store?.cacheFor(now, [version, settings.upstreamOrigin, settings.imageOrigin, isPublic])
      })
    : undefined
  const accountName = namedLogins()
  const finished = createFinished(Math.min(settings.cacheBytes, limits.finishedBytes))
  return {
    /** Undefined if the setting `cache` is off. */
    cache,
    /** Long answers that are made of cached ones. */
    finished,
    limits,
    /** Whether shared caches, such as a proxy, may store anonymous answers. */
    isPublic,
    /** Shares the event loop among long answers. */
    turns: createTurns(limits.sliceBytes),
    /** Returns the cache key of an answer. */
    keyOf: createKeys(accountName),
    /** Returns a name for an account of this relay, for cache keys. Each new login of the account gets a new name. */
    accountName
  }
}

/** Logs the failure of a background fetch. Its caller already got a stale entry. */
function logBackgroundError (error: unknown, log: BaseLogger): void {
  if (error instanceof RelayError) log.debug({ reason: error.code }, 'a cache entry could not be revalidated')
  else log.error({ err: error }, 'bug')
}

/**
 * Names the logins of each account by a hash that only this process can compute. Answers for one login are then not
 * used for the next, no key contains a cookie, and nothing of a removed account stays in memory.
 */
function namedLogins (): (account: string, credential: Credential) => string {
  const secret = randomBytes(32).toString('base64url')
  return (account, { uin, key }) =>
    `${account} ${createHash('sha256').update(`${secret} ${uin} ${key}`).digest('base64url')}`
}
