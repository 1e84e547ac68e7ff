/** Session checks for personal calls that the upstream answers even to an expired cookie, with public data. */
import { RelayError } from '../../common/errors.ts'
import { valueOf } from '../../upstream/settled.ts'
import type { CompositeCall, MusicuCall } from '../../upstream/calls.ts'
import { whoAmI } from './account.ts'

/**
 * Returns the call together with the session check, in one POST. Fails with COOKIE_REJECTED if the upstream no longer
 * accepts the cookie.
 */
export function sessionCheck<T> (call: MusicuCall<T>): CompositeCall<T, readonly [MusicuCall<true>, MusicuCall<T>]> {
  return {
    name: call.name,
    ...(call.codes === undefined ? {} : { codes: call.codes }),
    calls: [whoAmI, call],
    read ([who, answer]) {
      if (who.error instanceof RelayError && who.error.code === 'COOKIE_REJECTED') throw who.error
      return valueOf(answer)
    },
    always: true
  }
}

// @mutate identity: user user-lists recommend
