/** All error codes: the `code` of every error body, with its HTTP status. */
import { Type, type Static } from '@sinclair/typebox'
import { playReason, typeName } from './common.ts'

export const errorCodes = {
  INVALID_INPUT: { status: 400, meaning: 'A parameter or body field is invalid; the sentence names it and the allowed values.' },
  INVALID_JSON: { status: 400, meaning: 'The body is not JSON.' },
  LOGIN_REQUIRED: { status: 401, meaning: 'The endpoint needs a cookie with key and account.' },
  TOKEN_REQUIRED: { status: 401, meaning: 'The request needs the access token of the relay.' },
  LINK_INVALID: { status: 401, meaning: 'The relay did not sign this link, or it was changed.' },
  KEY_LIMITED: { status: 403, meaning: 'The key of a stored account may not use this endpoint.' },
  CROSS_SITE: { status: 403, meaning: 'A page of another site used what a browser adds by itself (cookies, a password), or the global cookie, or tried to log in.' },
  HOST_NOT_ALLOWED: { status: 403, meaning: 'The Host header names a host that this relay does not serve.' },
  ROUTE_NOT_FOUND: { status: 404, meaning: 'No such route.' },
  NOT_FOUND: { status: 404, meaning: 'According to the upstream, the item does not exist.' },
  NOT_PLAYABLE: { status: 404, meaning: 'The song has no address for this caller; reason and hint of the body say why.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, with another method; see the Allow header.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is too large.' },
  URL_TOO_LONG: { status: 414, meaning: 'The address, or a part of its path, is too long.' },
  UNSUPPORTED_TYPE: { status: 415, meaning: 'Bodies must be application/json.' },
  RANGE_NOT_SATISFIABLE: { status: 416, meaning: 'The file is shorter than the requested range.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The relay does not support the value of the Expect header.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests from this client, or too many upstream calls for them; see Retry-After.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are too large.' },
  INTERNAL: { status: 500, meaning: 'A bug of the relay.' },
  UPSTREAM_UNREACHABLE: { status: 502, meaning: 'The upstream could not be reached, or broke the connection.' },
  UPSTREAM_UNREADABLE: { status: 502, meaning: 'The answer of the upstream cannot be read.' },
  UPSTREAM_REFUSED: { status: 502, meaning: 'The upstream refused, with a code of its own.' },
  UPSTREAM_EMPTY: { status: 502, meaning: 'The upstream answered without the data.' },
  COOKIE_REJECTED: { status: 502, meaning: 'The upstream does not accept the cookie: expired or invalid. 401 if it is the caller\'s own, where a login is required.' },
  QR_UNAVAILABLE: { status: 502, meaning: 'The upstream sent no QR code.' },
  LOGIN_SIGN_URL: { status: 502, meaning: 'Login: cannot extract checkSigUrl.' },
  LOGIN_P_SKEY: { status: 502, meaning: 'Login: cannot extract p_skey.' },
  LOGIN_NO_REDIRECT: { status: 502, meaning: 'Login: the authorisation response lacks the redirect address.' },
  LOGIN_NO_CODE: { status: 502, meaning: 'Login: the authorisation redirect lacks the code.' },
  LOGIN_REFUSED: { status: 502, meaning: 'Login: the upstream refused, or sent no usable key.' },
  OVERLOADED: { status: 503, meaning: 'The relay is at its limit; see Retry-After.' },
  UPSTREAM_PAUSED: { status: 503, meaning: 'The upstream asked the relay to wait, or fails too often; see Retry-After.' },
  STOPPING: { status: 503, meaning: 'The relay is stopping; see Retry-After.' },
  UPSTREAM_TIMEOUT: { status: 504, meaning: 'The upstream did not answer in time.' },
  LOGIN_TIMEOUT: { status: 504, meaning: 'Login: the upstream did not answer in time.' }
} as const

export type ErrorCode = keyof typeof errorCodes

export const ErrorBody = Type.Object({
  error: Type.String({ minLength: 1, maxLength: 300, description: 'One sentence for people: what happened, to what, what to do.' }),
  code: Type.Unsafe<ErrorCode>({
    type: 'string',
    enum: Object.keys(errorCodes),
    [typeName]: 'ErrorCode',
    description: 'For programs, from a closed list.'
  }),
  reason: Type.Optional(playReason),
  hint: Type.Optional(Type.String({ description: 'Only with NOT_PLAYABLE: one sentence that says what to do.' }))
}, { $id: 'ErrorBody', additionalProperties: false, description: 'The form of every error.' })

export type ErrorBody = Static<typeof ErrorBody>

/** Fields of a failed element in a batch response. */
export const elementError = {
  error: Type.String({ description: 'One sentence for people.' }),
  code: Type.Unsafe<ErrorCode>({
    type: 'string',
    enum: Object.keys(errorCodes),
    [typeName]: 'ErrorCode',
    description: 'For programs: the code that the endpoint for a single item would return.'
  })
}
