/** Finds the stored account of a request by the secret or key in the Authorization header. */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { AccountKey } from '../relay/accountBook.ts'
import { authorizationOf } from './caller.ts'

/** The account of a request. */
export interface RequestAccount {
  readonly name: string
  /** The key of the request, with its limits. Undefined if the account's own secret was used. */
  readonly key: AccountKey | undefined
  /** True if the browser may have added the password (Basic) by itself, which it also does for pages of other sites. */
  readonly ambient: boolean
  /** The cookie of a browser session stands for the account, not its secret. */
  readonly bySession?: true
}

declare module 'fastify' {
  interface FastifyRequest {
    account: RequestAccount | null
  }
}

const plugin: FastifyPluginAsync = async (app) => {
  const { accounts } = app.runtime
  app.decorateRequest('account', null)
  if (accounts === undefined) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { scheme, secret } = authorizationOf(request)
    const found = secret === undefined ? undefined : accounts.bySecret(secret)
    if (found !== undefined) request.account = { name: found.name, key: found.key, ambient: scheme === 'basic' }
    done()
  })
}

export const requestAccount = fp(plugin, {
  name: 'request-account',
  fastify: '5.x',
  decorators: { fastify: ['runtime'] }
})
