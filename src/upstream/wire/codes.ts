/**
 * The meanings of the upstream's business codes, and their errors.
 * Source: catalogue of observed answers, 2019 to 2026-10. The HTTP status is 200 even for errors.
 */
import { UpstreamError } from '../../common/errors.ts'

/** The meaning of a code. `ok`: the reader handles the answer, although the code is not 0. */
export type Meaning = 'ok' | 'login' | 'not found' | 'platform' | 'throttled' | 'risk' | 'retired' | 'argument' | 'other'

/** Meanings of codes that differ from the general ones in one call. */
export type CodeTable = Readonly<Record<number, Meaning>>

/** For calls of public data that another call also returns: an expired cookie must not end the attempt there. */
export const publicCodes = { 1000: 'other', 104400: 'other', 104401: 'other' } as const satisfies CodeTable

const general: CodeTable = {
  1000: 'login', // not logged in, or the key is invalid
  104401: 'login',
  104403: 'platform', // this client platform may not call the method
  104604: 'throttled',
  104009: 'risk', // a play call gives this caller no file (2026-11)
  2000: 'retired', // requires a signature that no public client computes
  2001: 'risk', // risk control or rate limit; one call also sends it for a wrong parameter type
  10000: 'argument',
  10006: 'argument', // wrong JSON type of a parameter
  103901: 'argument', // ids and mids in one call
  500001: 'retired', // unknown module, method or parameters; never means "login needed"
  500003: 'retired'
}

/** Returns the meaning of a code: from the call's own table, else the general one. */
export function meaningOf (code: number, own: CodeTable | undefined, withCredential: boolean): Meaning {
  const special = own?.[code]
  if (special !== undefined) return special
  // Ambiguous (2026-09): an invalid key if one was sent, a bad argument (invalid MID) in an anonymous call.
  if (code === 104400) return withCredential ? 'login' : 'not found'
  return general[code] ?? 'other'
}

/**
 * Returns the general meaning of a refusal's code; undefined without one. It
 * ignores the login: a rejected cookie has its own error code.
 */
export function generalMeaningOf ({ upstreamCode }: UpstreamError): Meaning | undefined {
  return upstreamCode === undefined ? undefined : meaningOf(upstreamCode, undefined, false)
}

// Refusals of the search programs. Most have code 0 and no rows; only `meta` tells them from a search without hits.

/**
 * Returns the error for a refused search. `reason`: what the answer says. `outcome`: `filter_` and the value of
 * `is_filter`, for example.
 */
export function searchRefusal (call: string, reason: string, outcome: string): UpstreamError {
  return new UpstreamError(
    'UPSTREAM_REFUSED',
    `The upstream refuses this search (${reason}), so nobody knows what it would find: try again in a minute, with a login, or from another address.`,
    { fault: 'call', call, outcome }
  )
}

/**
 * Whether a search program refused inside an answer with code 0. Code 2001 is a refusal of the gateway, and has its own
 * outcome.
 */
export const isFiltered = ({ outcome }: Pick<UpstreamError, 'outcome'>): boolean => outcome.startsWith('filter_')

/** Whether searches follow each other too quickly for the upstream. */
export const isTooFast = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.upstreamCode === 2001 || error.outcome === 'filter_-12')

/**
 * Whether a search was refused: by the program, by the gateway, or by a pause that an earlier refusal started (not by a
 * circuit breaker).
 */
export const isSearchRefusal = (error: UpstreamError): boolean =>
  isFiltered(error) || isTooFast(error) || (error.outcome === 'paused' && error.fault === 'call')

/**
 * Returns the upstream's message without anything that may identify someone: addresses, account numbers, anything like
 * a key.
 */
function short (message: string | undefined): string {
  if (message === undefined) return ''
  const words = message.slice(0, 400).replaceAll(/[\p{C}\s]+/gu, ' ').replaceAll(
    /\d{1,3}(?:\.\d{1,3}){3}|\d{5,}|[!-~]{20,}/g,
    '…'
  ).trim().slice(0, 80)
  return words === '' ? '' : ` "${words}"`
}

/** Returns the error for a business code other than 0. `message` is the upstream's own short text, if it sent one. */
export function refusal (
  call: string,
  code: number,
  meaning: Exclude<Meaning, 'ok'>,
  withCredential: boolean,
  message?: string
): UpstreamError {
  const facts = { call, outcome: `biz_${code}`, upstreamCode: code }
  const said = `code ${code}${short(message)}`
  switch (meaning) {
    case 'login':
      return withCredential
        ? new UpstreamError('COOKIE_REJECTED', `The upstream rejects the cookie (${said}): it is expired or invalid; log in again.`, {
          ...facts,
          fault: 'caller'
        })
        : new UpstreamError('UPSTREAM_REFUSED', `This needs a login: pass a cookie (upstream: ${said}).`, { ...facts, fault: 'call' })
    case 'not found':
      return new UpstreamError('NOT_FOUND', `The upstream does not know this item (${said}): check ids and numbers.`, { ...facts, fault: 'caller' })
    case 'throttled':
      return new UpstreamError('UPSTREAM_REFUSED', `Too many requests for the upstream: send fewer (upstream: ${said}).`, { ...facts, fault: 'call' })
    case 'risk':
      return new UpstreamError('UPSTREAM_REFUSED', `The upstream's risk control refuses this (${said}); a login cookie or a later try may help.`, {
        ...facts,
        fault: 'call'
      })
    case 'retired':
      return new UpstreamError('UPSTREAM_REFUSED', `The upstream no longer serves this call (${said}).`, { ...facts, fault: 'call' })
    case 'platform':
      return new UpstreamError('UPSTREAM_REFUSED', `The upstream does not serve this call to this client platform (${said}).`, { ...facts, fault: 'call' })
    case 'argument':
    case 'other':
      return new UpstreamError('UPSTREAM_REFUSED', `The upstream refused (${said}).`, { ...facts, fault: 'call' })
  }
}
