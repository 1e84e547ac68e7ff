/** Converts a request to the caller of an endpoint. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAbort, type AbortSignalLike } from '../common/abort.ts'
import type { Caller } from '../relay/run.ts'
import { anonymousIdentity } from '../relay/identity.ts'
import type { UpstreamReport } from '../upstream/caller.ts'

/** Returns the caller of a request. Its upstream requests are added to the log of the request. */
export function callerOf (
  request: FastifyRequest
): Omit<Caller, 'signal'> & { onUpstreamRequest (report: UpstreamReport): void } {
  return {
    identity: request.identity ?? anonymousIdentity,
    client: request.client,
    onLoginRefused: () => { request.loginRefused = true },
    onUpstreamRequest: (report: UpstreamReport) => { (request.upstreamReports ??= []).push(report) }
  }
}

/** Returns the names of the upstream calls behind the answer. Empty if there were none, or only login steps. */
export function sourceOf ({ upstreamReports }: FastifyRequest): string {
  return [...new Set(upstreamReports?.flatMap(({ answered = [] }) => answered))].join(', ')
}

/**
 * Returns a signal that aborts if the connection closes before the answer is sent. (The framework's signal aborts every
 * POST once its body is read.)
 */
export function disconnectSignal (reply: FastifyReply): AbortSignalLike {
  const { signal, abort } = createAbort()
  // The connection may have closed while the client was counted in the shared store. There is no further close event.
  if (reply.raw.destroyed) abort(undefined)
  reply.raw.once('close', () => { if (!reply.raw.writableFinished) abort(undefined) })
  return signal
}

// Reads the Authorization header: the token of Bearer, or the password of Basic.

/** The content of the header. `scheme` is in lower case. */
export interface Authorization { readonly scheme: string, readonly secret: string | undefined }

const none: Authorization = { scheme: '', secret: undefined }

export function authorizationOf ({ headers: { authorization } }: Pick<FastifyRequest, 'headers'>): Authorization {
  if (authorization === undefined) return none
  const [, word = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? []
  const scheme = word.toLowerCase()
  if (scheme === 'bearer') return { scheme, secret: value }
  if (scheme !== 'basic') return { scheme, secret: undefined }
  const pair = decoded(value)
  const colon = pair.indexOf(':')
  // Some clients have one field for a key and send it as the user name.
  return { scheme, secret: colon === pair.length - 1 ? pair.slice(0, colon) : pair.slice(colon + 1) }
}

/** Whether a text looks like a secret or key of an account. */
export const isAccountSecret = (text: string | undefined): boolean => text !== undefined && /^m[rk]_/.test(text)

/**
 * Whether the header contains the secret or key of an account, also in a form that {@link authorizationOf} does not
 * read. Such a request is for that account and must not get the answers of another one.
 */
export function hasAccountSecret (request: Pick<FastifyRequest, 'headers'>): boolean {
  const { authorization } = request.headers
  if (authorization === undefined) return false
  return isAccountSecret(authorizationOf(request).secret) || /(?<![\w.-])m[rk]_/i.test(authorization) ||
    // User names may begin like a secret. Secrets are longer.
    /:m[rk]_|(?<![\w.-])m[rk]_[\w-]{20}/i.test(decoded(authorization.split(/\s/).at(-1) ?? ''))
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')
