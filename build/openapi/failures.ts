/** The failures that an operation can return, and their named responses in the OpenAPI document. */
import { errorCodes, type ErrorCode } from '../../schemas/errors.ts'
import type { AnyEndpoint, RouteForm } from '../../src/relay/endpoint.ts'

type PathKind = RouteForm['kind']

/** Error codes that only some operations return. The key becomes part of a response's name. */
const ofSome: Readonly<
  Record<string, { readonly codes: RegExp, readonly where: (endpoint: AnyEndpoint, kind: PathKind) => boolean }>
> = {
  Body: { codes: /^(INVALID_JSON|BODY_TOO_LARGE|UNSUPPORTED_TYPE)$/, where: ({ method }) => method === 'POST' },
  Login: { codes: /^LOGIN_REQUIRED$/, where: ({ login }) => login === 'required' },
  Account: {
    codes: /^(CROSS_SITE|KEY_LIMITED)$/,
    where: ({ login, loginStep }) => login === 'required' || loginStep !== undefined
  },
  Audio: { codes: /^(NOT_PLAYABLE|RANGE_NOT_SATISFIABLE)$/, where: ({ envelope }) => envelope.delivers === 'audio' },
  Path: { codes: /^URL_TOO_LONG$/, where: (_endpoint, kind) => kind === 'param' },
  Qr: { codes: /^(LOGIN_(?!REQUIRED$)|QR_)/, where: ({ loginStep }) => loginStep !== undefined },
  // Failures of the HTTP request itself, and of links that belong to no operation. docs/reference.md lists all codes.
  None: {
    codes: /^(LINK_INVALID|ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED|EXPECTATION_FAILED|HEADERS_TOO_LARGE)$/,
    where: () => false
  }
}

export interface Failure {
  readonly status: number
  readonly codes: readonly ErrorCode[]
  /**
   * Operations with the same codes share it: `Error401`, or `Error401Login` with a code that only some operations have.
   */
  readonly name: string
  readonly description: string
}

export function failuresOf (endpoint: AnyEndpoint, kind: PathKind): Failure[] {
  const byStatus = new Map<number, { codes: ErrorCode[], groups: Set<string> }>()
  for (const [code, { status }] of Object.entries(errorCodes) as [ErrorCode, { status: number }][]) {
    const [group, only] = Object.entries(ofSome).find(([, { codes }]) => codes.test(code)) ?? ['', undefined]
    if (only?.where(endpoint, kind) === false) continue
    // A caller's own refused cookie is 401 where a login is required; a stored account stays the relay's trouble.
    for (const of of code === 'COOKIE_REJECTED' && endpoint.login === 'required' ? [401, status] : [status]) {
      const found = byStatus.get(of) ?? { codes: [], groups: new Set() }
      found.codes.push(code)
      found.groups.add(group)
      byStatus.set(of, found)
    }
  }
  return [...byStatus].map(([status, { codes, groups }]) => ({
    status,
    codes,
    name: `Error${status}${[...groups].join('')}`,
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ')
  }))
}
