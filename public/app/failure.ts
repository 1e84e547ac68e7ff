/** Failures, and the sentences about them. The relay's own sentences are English; the code gives the Chinese ones. */
import type { ErrorBody } from '../../schemas/errors.ts'
import { inChinese } from './language.ts'
import { failures, reasons, type FailureCode } from './zhFailures.ts'

export type Failure = Omit<ErrorBody, 'code'> & { readonly code: FailureCode }

export class RequestError extends Error {
  readonly failure: Failure
  /** Shortest time until the next request. Milliseconds. */
  readonly pauseMs: number

  constructor (failure: Failure, pauseMs = 0) {
    super(failure.error)
    this.failure = failure
    this.pauseMs = pauseMs
  }
}

/** The relay did not answer. */
export const relayGone = (): RequestError =>
  new RequestError({
    error: 'The relay cannot be reached. Check the network, and that the relay runs.',
    code: 'RELAY_GONE'
  })

/** Returns the code of a failure; '' for anything else that was thrown. */
export const codeOf = (error: unknown): string => error instanceof RequestError ? error.failure.code : ''

/** Whether a failure is about one song. After any other one the next song fails, too. */
export const isOfSong = (error: unknown): boolean =>
  ['NOT_FOUND', 'NOT_PLAYABLE', 'INVALID_INPUT'].includes(codeOf(error))

/** Returns what anything that was thrown says, in the language of the page. */
export function sentenceOf (error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  const { code, reason } = error.failure
  // A newer relay may have more codes than this page.
  const text: string | undefined = reason === undefined ? failures[code] : reasons[reason]?.title
  if (!inChinese() || text === undefined) return error.message
  // The sentence names the parameter.
  return code === 'INVALID_INPUT' ? `${text}（${error.message}）` : text
}
