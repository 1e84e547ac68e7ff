/** Decides whether a request comes from the operator: it has the access token or, without one, it comes directly from this machine. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Settings } from '../core/config.ts'
import { isLoopbackHost, isLoopbackName } from '../upstream/http/origins.ts'
import { hostOf, tokenCheck } from './accessControl.ts'
import { authorizationOf } from './caller.ts'

/** Headers that proxies add. All clients of a proxy on this machine have the address of this machine. */
const ofProxies = /^(?:x-forwarded(?:-|$)|x-real-ip$|x-client-ip$|x-original-|x-envoy-|forwarded$|via$|cf-|true-client-ip$|tailscale-)/

/**
 * Returns a function that decides whether the operator sent a request. If an access token is set, the request must have it. A
 * request with an account's secret comes from that account, not from the operator.
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
 * Whether a program or browser on this machine sent the request directly. The Host header excludes pages of other sites whose
 * name resolves to this machine. Proxies send HTTP/1.0, their own headers, or an Origin of another host.
 */
function isAtThisMachine ({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const host = headers.host?.toLowerCase() ?? ''
  const { name } = hostOf(host)
  const peer = socket.remoteAddress?.toLowerCase().replace(/^::ffff:/, '') ?? ''
  return isLoopbackName(peer) && isLoopbackHost(name) && httpVersion !== '1.0' &&
    (headers.origin === undefined || headers.origin === `http://${host.replace(/:80$/, '')}`) &&
    !Object.keys(headers).some((header) => ofProxies.test(header))
}
