/** Finds out whether the operator of the relay asks: who has the access token, or, without one, who is at this machine. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Settings } from '../core/config.ts'
import { isLoopbackHost, isLoopbackName } from '../upstream/http/origins.ts'
import { hostOf, tokenCheck } from './accessControl.ts'
import { authorizationOf } from './authorization.ts'

/** Headers that proxies add. Everybody behind a proxy on this machine has the address of this machine. */
const ofProxies = /^(?:x-forwarded(?:-|$)|x-real-ip$|x-client-ip$|x-original-|x-envoy-|forwarded$|via$|cf-|true-client-ip$|tailscale-)/

/**
 * Returns a function that says whether the operator sent a request. With an access token, only who brings it. Who asks
 * as an account is that account, not the operator.
 */
export function operatorCheck ({ accessToken, trustProxy }: Pick<Settings, 'accessToken' | 'trustProxy'>): (request: FastifyRequest) => boolean {
  const byToken = accessToken === '' ? undefined : tokenCheck(accessToken)
  return (request) => {
    if (request.account !== null) return false
    if (byToken !== undefined) return byToken(authorizationOf(request).secret)
    return trustProxy.length === 0 && isAtThisMachine(request.raw)
  }
}

/**
 * Whether a program or browser on this machine asked directly. The Host header tells it from a page of another site whose
 * name resolves to this machine. Proxies ask with HTTP/1.0, with headers of their own, or with an Origin of another host.
 */
function isAtThisMachine ({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const host = headers.host?.toLowerCase() ?? ''
  const { name } = hostOf(host)
  const peer = socket.remoteAddress?.toLowerCase().replace(/^::ffff:/, '') ?? ''
  return isLoopbackName(peer) && isLoopbackHost(name) && httpVersion !== '1.0' &&
    (headers.origin === undefined || headers.origin === `http://${host.replace(/:80$/, '')}`) &&
    !Object.keys(headers).some((header) => ofProxies.test(header))
}
