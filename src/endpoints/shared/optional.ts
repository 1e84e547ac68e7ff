/** Optional parts of a response. */
import type { Context } from '../../core/endpoint.ts'
import { RelayError } from '../../common/errors.ts'

/**
 * Returns the value of the promise, or undefined after a RelayError that `tolerates` accepts. Throws every other error.
 */
export async function optional<T> (promise: Promise<T>, tolerates: (error: RelayError) => boolean): Promise<T | undefined> {
  return await promise.catch((error: unknown) => {
    if (error instanceof RelayError && tolerates(error)) return undefined
    throw error
  })
}

/** True if the upstream answered without the data. */
export const isEmpty = ({ code }: RelayError): boolean => code === 'UPSTREAM_EMPTY'

/**
 * True if the upstream answered without the data, so that the item may not exist. Throws the failure of another call whose
 * answer was unreadable: then it is unknown whether the item exists.
 */
export function isUnknown (error: RelayError): boolean {
  if (!isEmpty(error)) return false
  if (error.cause instanceof RelayError && error.cause.code === 'UPSTREAM_UNREADABLE') throw error.cause
  return true
}

/**
 * Records that a part of the answer is missing: the answer is cached briefly, and the reason is logged at debug level. Always
 * returns true, so that `optional` tolerates the error.
 */
export function noteMissing ({ cacheAtMost, log }: Pick<Context, 'cacheAtMost' | 'log'>, error: Error, message: string): true {
  const { call, code } = error as { call?: string, code?: string }
  cacheAtMost('brief')
  log.debug({ call, reason: code }, message)
  return true
}
