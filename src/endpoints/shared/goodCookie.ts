/** Personal answers that a dead cookie would not spoil upstream: asked together with whose cookie it is. */
import { RelayError, UpstreamError, otherCallMayHelp } from '../../errors.ts'
import { afterFailure } from '../../provider/upstream.ts'
import type { MusicuCall, Upstream } from '../../provider/upstream.ts'
import { whoAmI } from './account.ts'

/**
 * The call, in one request with the question whose cookie it is: COOKIE_REJECTED when the upstream does not know it
 * any more. When the call itself cannot be had, `otherwise` may find the thing in another way, over an upstream that
 * knows how much may still be tried.
 */
export async function withGoodCookie<T> (upstream: Upstream, call: MusicuCall<T>, otherwise: (rest: Upstream) => Promise<T>): Promise<T> {
  let reason: UpstreamError
  try {
    const [who, answer] = await upstream.once.sendAll([whoAmI, call])
    if (who.error instanceof RelayError && who.error.code === 'COOKIE_REJECTED') throw who.error
    if (answer.error === undefined) return answer.value
    throw answer.error
  } catch (error) {
    if (!otherCallMayHelp(error)) throw error
    reason = error
  }
  try {
    return await otherwise(afterFailure(upstream, reason))
  } catch (error) {
    throw otherCallMayHelp(error) ? reason : error
  }
}
