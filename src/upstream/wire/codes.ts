/**
 * The meanings of the upstream's business codes, and their errors.
 * Source: catalogue of observed answers, 2019 to 2026-10. The HTTP status is 200 even for errors.
 */
import type { UpstreamError } from '../../common/errors.ts'
import { failure, type Kind } from '../../common/kinds.ts'

/** Kinds of codes that mean something else in one call. `ok`: the reader handles the answer. */
export type CodeTable = Readonly<Record<number, Kind | 'ok'>>

/** For calls of public data that another call also returns: an expired cookie must not end the attempt there. */
export const publicCodes = {
  1000: 'refused.public', 104400: 'refused.item', 104401: 'refused.public'
} as const satisfies CodeTable

const general: CodeTable = {
  1000: 'refused.login', // not logged in, or the key is invalid
  104401: 'refused.login',
  104403: 'refused.platform', // this client platform may not call the method
  104604: 'refused.rate',
  104009: 'refused.risk', // a play call gives this caller no file (2026-11)
  2000: 'retired', // requires a signature that no public client computes
  2001: 'refused.risk', // risk control or rate limit; one call also sends it for a wrong parameter type
  500001: 'retired', // unknown module, method or parameters; never means "login needed"
  500003: 'retired'
  // A wrong argument is `refused`: 10000, 10006 (wrong JSON type of a parameter), 103901 (ids and mids in one call).
}

/** Returns the kind of a code: from the call's own table, else the general one. */
export function kindOfCode (code: number, own: CodeTable | undefined, withCredential: boolean): Kind | 'ok' {
  const special = own?.[code]
  if (special !== undefined) return special
  // Ambiguous (2026-09): an invalid key if one was sent, a bad argument (invalid MID) in an anonymous call.
  const kind = code === 104400 ? withCredential ? 'refused.login' : 'missing.code' : general[code] ?? 'refused'
  return kind === 'refused.login' && withCredential ? 'refused.cookie' : kind
}

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
export function refusal (call: string, code: number, kind: Kind, message?: string): UpstreamError {
  return failure(kind, { call, upstreamCode: code, word: `code ${code}${short(message)}` })
}

/** Returns the error for a code inside the data of an answer, where it means no more than in a public call. */
export function innerRefusal (call: string, code: number, message?: string): UpstreamError {
  return refusal(call, code, kindOfCode(code, publicCodes, false) as Kind, message)
}
