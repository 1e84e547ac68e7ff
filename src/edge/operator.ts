/**
 * Decides whether a request comes from the operator. That is shown and never guessed from an address: with the access
 * token or, without one, with the session that the link of the start gave to a browser.
 */
import type { FastifyRequest } from 'fastify'
import type { Settings } from '../relay/settings.ts'
import { tokenCheck } from './accessControl.ts'
import { isOwnPage } from './authenticate.ts'
import { authorizationOf } from './caller.ts'

/**
 * Returns a function that decides whether the operator sent a request. A request with an account's secret comes from
 * that account, not from the operator. A session changes something only for a page of this relay.
 */
export function operatorCheck ({ accessToken }: Pick<Settings, 'accessToken'>): (request: FastifyRequest) => boolean {
  const byToken = accessToken === '' ? undefined : tokenCheck(accessToken)
  return (request) => {
    if (request.account !== null && request.account.bySession !== true) return false
    if (byToken !== undefined) return byToken(authorizationOf(request).secret)
    return request.session?.operator === true
      && (request.method === 'GET' || request.method === 'HEAD' || isOwnPage(request))
  }
}
