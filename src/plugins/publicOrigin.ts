/** The address at which the caller reaches this relay, for links in answers. */
import type { FastifyRequest } from 'fastify'
import { InvalidInput } from '../common/errors.ts'

/** A host name or address, with or without a port. Other text from the client must not get into an answer. */
const wellFormed = /^(?:[0-9A-Za-z][\w.-]{0,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Returns origin and path prefix, without a slash at the end: the setting `publicOrigin`, else protocol and host of the
 * request. Undefined if the request has no valid host. `X-Forwarded-Proto` and `X-Forwarded-Host` count only from listed
 * proxies. `X-Forwarded-Prefix` never counts, because most proxies forward the client's value.
 */
export function publicOriginOf ({ server, host, protocol }: FastifyRequest): string | undefined {
  const { publicOrigin } = server.runtime.settings
  if (publicOrigin !== '') return publicOrigin
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${host}`
  return wellFormed.test(host) && URL.canParse(origin) ? new URL(origin).origin : undefined
}

/** The same, but throws InvalidInput if there is no address. */
export function requirePublicOrigin (request: FastifyRequest): string {
  const found = publicOriginOf(request)
  if (found === undefined) {
    throw new InvalidInput('host: the Host header must name this relay, because links in the answer begin with it. Behind a proxy, set publicOrigin.')
  }
  return found
}
