/** Failures, and the sentences about them. The relay's own sentences are English; the code gives the Chinese ones. */
import { inChinese } from './language.js'
import { failures, reasons } from './zhFailures.js'

/** @typedef {import('../../schemas/errors.ts').ErrorBody} ErrorBody */
/** @typedef {Omit<ErrorBody, 'code'> & { readonly code: ErrorBody['code'] | 'RELAY_GONE' | 'LOGIN_TEXT' | 'MV_LINK' }} Failure */

/** The relay refused or did not answer. */
export class RequestError extends Error {
  /**
   * @param {Failure} failure
   * @param {number} [pauseMs] shortest time until the next request
   */
  constructor (failure, pauseMs = 0) {
    super(failure.error)
    this.failure = failure
    this.pauseMs = pauseMs
  }
}

/** The relay did not answer. */
export const relayGone = () => new RequestError({ error: 'The relay does not answer.', code: 'RELAY_GONE' })

/**
 * Returns what anything that was thrown says, in the language of the page.
 * @param {unknown} error
 */
export function sentenceOf (error) {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  const { code, reason } = error.failure
  // A newer relay may have more codes than this page.
  const text = reason === undefined ? failures[code] : reasons[reason]?.title
  if (!inChinese() || text === undefined) return error.message
  // The sentence names the parameter.
  return code === 'INVALID_INPUT' ? `${text}（${error.message}）` : text
}
