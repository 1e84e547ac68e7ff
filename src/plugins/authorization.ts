/** Reads the Authorization header: the token of Bearer, or the password of Basic. */
import type { FastifyRequest } from 'fastify'

/** What the header says. `scheme` is in lower case. */
export interface Authorization { readonly scheme: string, readonly secret: string | undefined }

const none: Authorization = { scheme: '', secret: undefined }

export function authorizationOf ({ headers: { authorization } }: Pick<FastifyRequest, 'headers'>): Authorization {
  if (authorization === undefined) return none
  const [, word = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? []
  const scheme = word.toLowerCase()
  if (scheme === 'bearer') return { scheme, secret: value }
  if (scheme !== 'basic') return { scheme, secret: undefined }
  const pair = Buffer.from(value, 'base64').toString('utf8')
  return { scheme, secret: pair.slice(pair.indexOf(':') + 1) }
}

/** Whether a text looks like a secret or key of an account. */
export const isAccountSecret = (text: string | undefined): boolean => text !== undefined && /^m[rk]_/.test(text)
