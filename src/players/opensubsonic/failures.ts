/** Failures in the interface's own numbers. The sentence is that of the relay. */
import type { ErrorCode } from '../../../schemas/errors.ts'
import { RelayError } from '../../common/errors.ts'
import type { Body } from './answers.ts'

/** Numbers of the interface. */
export const failureCodes = { generic: 0, missing: 10, wrongPassword: 40, noSuchMechanism: 42, twoMechanisms: 43, wrongKey: 44, notAllowed: 50, notFound: 70 } as const

/**
 * Codes that are not `generic`. A login that ended is `notAllowed`: with `wrongPassword`, clients would ask their users for
 * the password of this relay, which is right.
 */
const numbers: Partial<Record<ErrorCode, number>> = {
  LOGIN_REQUIRED: failureCodes.notAllowed,
  COOKIE_REJECTED: failureCodes.notAllowed,
  KEY_LIMITED: failureCodes.notAllowed,
  CROSS_SITE: failureCodes.notAllowed,
  HOST_NOT_ALLOWED: failureCodes.notAllowed,
  METHOD_NOT_ALLOWED: failureCodes.notAllowed,
  TOKEN_REQUIRED: failureCodes.wrongPassword,
  NOT_FOUND: failureCodes.notFound,
  NOT_PLAYABLE: failureCodes.notFound
}

/** Statuses that make clients wait. All other failures are 200, as the interface wants. */
const busy: ReadonlySet<number> = new Set([429, 503])

/** For the log, where a refusal of this interface has one of our codes, too. */
const ownCodes: Readonly<Record<number, ErrorCode>> = { [failureCodes.wrongPassword]: 'TOKEN_REQUIRED', [failureCodes.wrongKey]: 'TOKEN_REQUIRED', [failureCodes.notAllowed]: 'METHOD_NOT_ALLOWED' }

/** A refusal that only this interface has. */
export class Refused extends RelayError {
  readonly number: number

  constructor (number: number, message: string) {
    super(ownCodes[number] ?? 'INVALID_INPUT', message)
    this.number = number
  }
}

/** Returns the body of a failure. */
export function failureOf (error: RelayError): Body {
  return { error: { code: numberOf(error), message: error.message } }
}

function numberOf (error: RelayError): number {
  if (error instanceof Refused) return error.number
  if (error.code === 'INVALID_INPUT' && error.message.includes(': is required')) return failureCodes.missing
  return numbers[error.code] ?? failureCodes.generic
}

/** Returns the HTTP status of a failure. `isMedia`: the method answers bytes, whose readers look at the status only. */
export function statusOf ({ code, statusCode }: RelayError, isMedia: boolean): number {
  return isMedia || busy.has(statusCode) || code === 'ROUTE_NOT_FOUND' ? statusCode : 200
}
