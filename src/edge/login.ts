/**
 * The logins of the own pages: sessions of browsers, whose cookie stands for an account that the relay keeps or for the
 * operator, and logins of the page /login that the operator stores as accounts. All of it is for the own pages and for
 * programs. A stored login never reaches the browser. Only the new account's secret does.
 */
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  StoreLoginBody, type AccountInUse, type SessionState, type ShownAccount, type StoredLoginCheck
} from '../../schemas/accounts.ts'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import { defaultAccount, type LoginStorage } from '../relay/accountBook.ts'
import { sessionSeconds, type BrowserSession, type BrowserSessions, type NewSession } from '../relay/browserSessions.ts'
import { isOwnPage, sessionCookie, sessionTextOf, tokenCheck } from './access.ts'
import { optionsFor, disconnectSignal } from './asking.ts'
import type { Caller } from './caller.ts'
import { privateJson } from './headers.ts'

export interface LoginOptions {
  /** Undefined if the relay keeps no sessions. */
  readonly sessions: BrowserSessions | undefined
  /** Undefined if the relay stores no logins. */
  readonly loginStorage: LoginStorage | undefined
  /** Works once, and makes a browser the operator's. Undefined: none does. */
  readonly operatorCode: string | undefined
}

/** How long the code of the start works, in milliseconds. */
const codeMs = 3_600_000

const AccountBody = Type.Object({
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Name of one account of this browser.' }))
})
const CodeBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100, description: 'The code of the link that the start printed.' })
})

const plugin: FastifyPluginAsync<LoginOptions> = async (app, { sessions, loginStorage, operatorCode }) => {
  const { settings, accounts, now, upstream: { logins } } = app.runtime
  const ownPages = { ownPages: true } as const
  const limited = { ownPages: true, cost: 'login check' } as const

  /** Returns what pages show of the account of this name. */
  function shown (name: string | undefined): ShownAccount | null {
    const account = name === undefined ? undefined : accounts?.get(name)
    if (account === undefined) return null
    const { nickname, expiresAt } = account
    const { state: current = account.state, expiresIn = Infinity } =
      accounts?.states().find((status) => status.name === account.name) ?? {}
    const state = current === 'log in again' || expiresIn <= 0 ? 'log in again' : 'ok'
    return {
      name: account.name,
      state,
      ...nickname === undefined ? {} : { nickname },
      ...expiresAt === undefined ? {} : { expiresAt }
    }
  }

  /** Returns what pages show of the account that a caller uses. A caller with a limited key sees no data of a person. */
  const inUse = ({ identity: { key, account, source }, operator }: Caller): ShownAccount | null =>
    key?.noLoginEndpoints === true ? null
      : shown(account ?? (source === 'global' && operator ? defaultAccount : undefined))

  function setSessionCookie ({ protocol }: FastifyRequest, reply: FastifyReply, text: string, seconds: number): void {
    const { publicOrigin } = settings
    const path = publicOrigin === '' ? '/' : new URL(`${publicOrigin}/`).pathname
    const isSecure = protocol === 'https' || publicOrigin.startsWith('https:')
    void reply.header('set-cookie', `${sessionCookie}=${text}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`)
  }

  /** Begins a session and sets its cookie. Returns it; undefined if the relay keeps none. */
  async function beginSession (
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<NewSession, 'account' | 'operator'>
  ): Promise<BrowserSession | undefined> {
    if (sessions === undefined) return undefined
    const client = request.caller.client?.[0]
    const text = await sessions.begin({ ...session, replaces: sessionTextOf(request), client })
      .catch((cause: unknown) => {
        if (cause instanceof RelayError || isOutOfFiles(cause)) throw cause
        throw new RelayError('INTERNAL', 'The relay cannot write its sessions, in CONFIG_DIR. Make the folder writable, then try again.', { cause })
      })
    setSessionCookie(request, reply, text, sessionSeconds)
    return sessions.find(text)
  }

  app.get('/login/account', { config: ownPages }, async ({ caller }, reply) => {
    await send(reply, { account: inUse(caller) })
  })
  if (sessions !== undefined) sessionRoutes(sessions)
  if (loginStorage !== undefined) storingRoute(loginStorage)

  /** The routes with which the pages begin and end sessions. */
  function sessionRoutes (sessions: BrowserSessions): void {
    const end = now() + codeMs
    let isRight = operatorCode === undefined || settings.accessToken !== '' ? undefined : tokenCheck(operatorCode)

    /** Sends what a page shows of its browser. `session`: undefined if it has none. */
    async function sendState (
      reply: FastifyReply,
      session: BrowserSession | undefined,
      account: ShownAccount | null,
      operator: boolean
    ): Promise<void> {
      await send(reply, {
        account,
        others: (session?.others ?? []).flatMap((name) => shown(name) ?? []),
        ...session === undefined ? {} : { endsAt: session.usedAt + sessionSeconds },
        operator,
        storesLogins: operator && loginStorage !== undefined
      })
    }

    /** Whether a session is the operator's. With an access token, none is. */
    const isOperators = (session: BrowserSession | undefined): boolean =>
      session?.operator === true && settings.accessToken === ''

    /** Begins a session, and sends what the page shows of it. */
    async function begin (
      request: FastifyRequest,
      reply: FastifyReply,
      session: Pick<NewSession, 'account' | 'operator'>
    ): Promise<void> {
      const begun = await beginSession(request, reply, session)
      await sendState(reply, begun, shown(begun?.account), isOperators(begun) || request.caller.operator)
    }

    app.post<{ Body: Static<typeof CodeBody> }>(
      '/login/operator',
      { config: limited, schema: { body: CodeBody } },
      async (request, reply) => {
        requireOwnPage(request)
        if (isRight === undefined || now() >= end || !isRight(request.body.code)) {
          throw new RelayError(
            'TOKEN_REQUIRED',
            'This link does not work any more: it works once, and within an hour. Start the relay again, and open the link that it prints.'
          )
        }
        const check = isRight
        isRight = undefined
        await begin(request, reply, { operator: true }).catch((error: unknown) => {
          isRight = check // it gave nothing yet
          throw error
        })
      }
    )

    app.get('/login/session', { config: ownPages }, async ({ caller }, reply) => {
      await sendState(reply, caller.session, inUse(caller), caller.operator)
    })

    app.post<{ Body: Static<typeof AccountBody> }>(
      '/login/session',
      { config: limited, schema: { body: AccountBody } },
      async (request, reply) => {
        const { caller: { account, proof, session, identity: { key } }, body } = request
        requireOwnPage(request)
        if (body.account !== undefined) {
          const has = session !== undefined && [session.account, ...session.others].includes(body.account)
          if (!has) throw new InvalidInput('account: this browser is not logged in to it. Send its secret as Authorization: Bearer.')
          return await begin(request, reply, { account: body.account })
        }
        if (account === undefined || key !== undefined || proof === 'session') {
          throw new RelayError('TOKEN_REQUIRED', 'A browser stays logged in with the secret of an account: send it as Authorization: Bearer.')
        }
        await begin(request, reply, { account })
      }
    )

    app.post<{ Body: Static<typeof AccountBody> }>(
      '/login/session/end',
      { config: limited, schema: { body: AccountBody } },
      async (request, reply) => {
        requireOwnPage(request)
        const text = sessionTextOf(request)
        if (text !== undefined) await sessions.end(text, request.body.account)
        const left = text === undefined ? undefined : sessions.find(text)
        if (left === undefined) setSessionCookie(request, reply, '', 0)
        await sendState(reply, left, shown(left?.account), isOperators(left))
      }
    )
  }

  /** The route with which the operator stores a login of the page. */
  function storingRoute (storage: LoginStorage): void {
    app.post<{ Body: StoreLoginBody }>('/login/account', {
      config: limited,
      schema: { body: StoreLoginBody },
      onRequest: ({ caller }, _reply, done) => {
        done(
          caller.operator
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
      const refusal = await storage.refusal()
      if (refusal !== undefined) throw new RelayError('INTERNAL', refusal)
      const { client, onUpstreamRequest } = optionsFor(reply)
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
      const { secret, others } = await storage.store(name, session, logins.renewalOf(session))
      try {
        const { session: browser } = request.caller
        const by = browser === undefined ? 'access token' : `browser ${browser.id}`
        await sessions?.stored(name, { through: 'page', by })
        if (request.body.stay === true) await beginSession(request, reply, { account: name })
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
}

/** Throws CROSS_SITE unless a page of this relay sent the request, and the browser says so. */
function requireOwnPage (request: FastifyRequest): void {
  if (isOwnPage(request)) return
  throw new RelayError('CROSS_SITE', 'Only a page of this relay may do this, and the browser must say so (Origin or Sec-Fetch-Site). (A proxy in front must pass on the Host header.)')
}

async function send (reply: FastifyReply, body: AccountInUse | SessionState | StoredLoginCheck): Promise<void> {
  await reply.headers(privateJson).send(JSON.stringify(body))
}

export const login = fp(plugin, { name: 'login', dependencies: ['refuse-callers', 'input'] })

// @mutate accounts: sessions login-keep
