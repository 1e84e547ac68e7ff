/** The address at which the caller reaches this relay, for links in answers. */
import type { FastifyRequest } from 'fastify'
import { InvalidInput } from '../common/errors.ts'

/** A host name or address, with a port or without. What goes into an answer is not the client's to choose. */
const wellFormed = /^(?:[0-9A-Za-z][\w.-]{0,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Returns origin and path prefix, without a slash at the end: the setting `publicOrigin`, else protocol and host of the
 * request. Undefined if the request names no valid host. `X-Forwarded-Proto` and `X-Forwarded-Host` count from listed
 * proxies only. `X-Forwarded-Prefix` never does: most proxies pass on what a client sends in it.
 */
export function publicOriginOf ({ server, host, protocol }: FastifyRequest): string | undefined {
  const { publicOrigin } = server.runtime.settings
  if (publicOrigin !== '') return publicOrigin
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${host}`
  return wellFormed.test(host) && URL.canParse(origin) ? new URL(origin).origin : undefined
}

/** The same. Throws InvalidInput if there is no address to give. */
export function requirePublicOrigin (request: FastifyRequest): string {
  const found = publicOriginOf(request)
  if (found === undefined) {
    throw new InvalidInput('host: the Host header must name this relay, because links in the answer begin with it. Behind a proxy, set publicOrigin.')
  }
  return found
}
