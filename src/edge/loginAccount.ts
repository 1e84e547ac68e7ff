/**
 * The stored account of the pages: reports the account of a page, and stores a login as an account. Both are for the
 * relay's own pages and for programs. A stored login never reaches the browser. Only the new account's secret does.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { StoreLoginBody, type AccountInUse, type ShownAccount, type StoredLoginCheck } from '../../schemas/accounts.ts'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { defaultAccount, type LoginStorage } from '../relay/accountBook.ts'
import type { BrowserSessions } from '../relay/browserSessions.ts'
import type { Runtime } from '../relay/runtime.ts'
import { askedBy, disconnectSignal } from './asking.ts'
import type { Caller } from './caller.ts'
import { privateJson } from './headers.ts'

/** Path of both routes. */
const path = '/login/account'

/** Options of the plugin. `loginStorage`: undefined if the relay stores no logins. */
export interface LoginAccountOptions {
  readonly loginStorage: LoginStorage | undefined
  /** Notes what pages store. */
  readonly sessions?: BrowserSessions | undefined
}

/** Returns what pages show of stored accounts. */
export function accountsOf ({ accounts }: Runtime): {
  /** Returns the account of this name. */
  shown (name: string): ShownAccount | null
  /** Returns the account that a caller uses. */
  inUse (caller: Caller): ShownAccount | null
} {
  function shown (name: string): ShownAccount | null {
    const account = accounts?.get(name)
    if (account === undefined) return null
    const { nickname, expiresAt } = account
    const { state: now = account.state, expiresIn = Infinity } =
      accounts?.states().find((status) => status.name === name) ?? {}
    const state = now === 'log in again' || expiresIn <= 0 ? 'log in again' : 'ok'
    return {
      name,
      state,
      ...nickname === undefined ? {} : { nickname },
      ...expiresAt === undefined ? {} : { expiresAt }
    }
  }

  return {
    shown,
    inUse ({ identity, operator }) {
      // A caller with such a key sees no data about the person.
      if (identity.key?.noLoginEndpoints === true) return null
      const name = identity.account ?? (identity.source === 'global' && operator ? defaultAccount : undefined)
      return name === undefined ? null : shown(name)
    }
  }
}

const plugin: FastifyPluginAsync<LoginAccountOptions> = async (app, { loginStorage, sessions }) => {
  const { upstream: { logins } } = app.runtime
  const config = { ownPages: true } as const

  const { shown, inUse } = accountsOf(app.runtime)

  app.get(path, { config }, async (request, reply) => { await send(reply, { account: inUse(request.caller) }) })

  if (loginStorage === undefined) return
  app.post<{ Body: StoreLoginBody }>(path, {
    config: { ...config, cost: 'login check' },
    schema: { body: StoreLoginBody },
    onRequest: (request, _reply, done) => {
      done(
        request.caller.operator
          ? undefined
          : new RelayError(
            'TOKEN_REQUIRED',
            'Only the operator can store logins. Send the access token or, if the relay has none, open the link that it prints when it starts.'
          )
      )
    }
  }, async (request, reply) => {
    const { name, uuid, qrsig } = request.body
    if (name === defaultAccount) throw new InvalidInput('name: this one is the login of user-info.json, which music-relay login stores. Choose another name.')
    if (
      (uuid === undefined) === (qrsig === undefined)
    ) { throw new InvalidInput('uuid: is required, or qrsig, and not both.') }
    const refusal = await loginStorage.refusal()
    if (refusal !== undefined) throw new RelayError('INTERNAL', refusal)
    const { client, onUpstreamRequest } = askedBy(request)
    const login = logins.forRequest({ signal: disconnectSignal(reply), client, onUpstreamRequest })
    const { session, ...news } = uuid === undefined ? await login.checkMain(qrsig as string)
      : await login.checkAlt(uuid)
    if (session === undefined) {
      const { isOk, message, status, refresh } = news
      return await send(reply, {
        isOk,
        message,
        ...status === undefined ? {} : { status },
        ...refresh === undefined ? {} : { refresh }
      })
    }
    const { secret, others } = await loginStorage.store(name, session, logins.renewalOf(session))
    try {
      await sessions?.stored(name, {
        through: 'page',
        by: request.caller.session === undefined ? 'access token' : `browser ${request.caller.session.id}`
      })
      if (request.body.stay === true) await app.beginSession(request, reply, { account: name })
    } catch (err) {
      // The login is stored, and its secret is in no other answer.
      app.log.warn({ err, reqId: request.id }, `account ${name} is stored, but the sessions cannot be written`)
    }
    app.log.info({ reqId: request.id }, `account ${name} is stored: a login of the page /login`)
    await send(reply, {
      isOk: true,
      message: news.message,
      account: { name, state: 'ok', ...shown(name), ...secret === undefined ? {} : { secret }, others: [...others] }
    })
  })
}

async function send (reply: FastifyReply, body: AccountInUse | StoredLoginCheck): Promise<void> {
  await reply.headers(privateJson).send(JSON.stringify(body))
}

export const loginAccount = fp(plugin, {
  name: 'login-account',
  fastify: '5.x',
  dependencies: ['pages', 'endpoints', 'refuse-callers', 'validation'],
  decorators: { fastify: ['runtime'] }
})
