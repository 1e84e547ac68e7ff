/**
 * Browser sessions: a cookie of the relay's own stands for a login that the relay keeps, or for the operator. It counts
 * only for the relay's own pages, and never for players and widgets.
 */
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { SessionState, ShownAccount } from '../../schemas/accounts.ts'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { sessionSeconds, type BrowserSession, type BrowserSessions, type NewSession } from '../relay/browserSessions.ts'
import { isOwnPage, sessionCookie, sessionTextOf, tokenCheck } from './access.ts'
import { privateJson } from './headers.ts'
import { accountsOf } from './loginAccount.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Begins a session, sets its cookie and returns its text. Without a store of sessions, does nothing. */
    beginSession (
      request: FastifyRequest,
      reply: FastifyReply,
      session: Pick<NewSession, 'account' | 'operator'>
    ): Promise<string | undefined>
    /** Sets the cookie of the session. */
    setSessionCookie (request: FastifyRequest, reply: FastifyReply, text: string, seconds: number): void
  }
}

/** Options. `sessions`: undefined if the relay keeps none. */
export interface SessionsPluginOptions { readonly sessions: BrowserSessions | undefined }

/** How long the code of the start works, in milliseconds. */
const codeMs = 3_600_000

const AccountBody = Type.Object({
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Name of one account of this browser.' }))
})
const CodeBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100, description: 'The code of the link that the start printed.' })
})

const plugin: FastifyPluginAsync<SessionsPluginOptions> = async (app, { sessions }) => {
  const { settings } = app.runtime
  app.decorate('setSessionCookie', ({ protocol }, reply, text, seconds) => {
    const { publicOrigin } = settings
    const path = publicOrigin === '' ? '/' : new URL(`${publicOrigin}/`).pathname
    const isSecure = protocol === 'https' || publicOrigin.startsWith('https:')
    void reply.header('set-cookie', `${sessionCookie}=${text}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`)
  })
  app.decorate('beginSession', async (request, reply, session) => {
    if (sessions === undefined) return undefined
    const client = request.caller.client?.[0]
    const text = await sessions.begin({ ...session, replaces: sessionTextOf(request), client })
      .catch((cause: unknown) => {
        if (cause instanceof RelayError) throw cause
        throw new RelayError('INTERNAL', 'The relay cannot write its sessions, in CONFIG_DIR. Make the folder writable, then try again.', { cause })
      })
    app.setSessionCookie(request, reply, text, sessionSeconds)
    return text
  })
}

/** Throws CROSS_SITE unless a page of this relay sent the request, and the browser says so. */
export function requireOwnPage (request: FastifyRequest): void {
  if (isOwnPage(request)) return
  throw new RelayError('CROSS_SITE', 'Only a page of this relay may do this, and the browser must say so (Origin or Sec-Fetch-Site). (A proxy in front must pass on the Host header.)')
}

export const sessions = fp(plugin, {
  name: 'sessions',
  fastify: '5.x',
  dependencies: ['errors', 'callers'],
  decorators: { fastify: ['runtime'] }
})

/** Options. `operatorCode`: works once, and makes a browser the operator's. Undefined: none does. */
export interface SessionRoutesOptions extends SessionsPluginOptions {
  readonly operatorCode: string | undefined
  /** Whether the operator can store logins on the page. */
  readonly storesLogins: boolean
}

const routes: FastifyPluginAsync<SessionRoutesOptions> = async (app, { sessions, operatorCode, storesLogins }) => {
  const { settings, now } = app.runtime
  if (sessions === undefined) return
  const { shown, inUse } = accountsOf(app.runtime)
  const end = now() + codeMs
  let isRight = operatorCode === undefined || settings.accessToken !== '' ? undefined : tokenCheck(operatorCode)
  const config = { ownPages: true, cost: 'login check' } as const

  /** What a page shows of its browser. `session`: undefined if it has none. */
  function stateOf (
    session: BrowserSession | undefined,
    account: ShownAccount | null,
    operator: boolean
  ): SessionState {
    const others = (session?.others ?? []).flatMap((name) => shown(name) ?? [])
    return {
      account,
      others,
      ...session === undefined ? {} : { endsAt: session.usedAt + sessionSeconds },
      operator,
      storesLogins: operator && storesLogins
    }
  }

  async function sendState (reply: FastifyReply, state: SessionState): Promise<void> {
    await reply.headers(privateJson).send(JSON.stringify(state))
  }

  /** Begins a session, and sends what the page shows of it. */
  async function begin (
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<NewSession, 'account' | 'operator'>
  ): Promise<void> {
    const begun = sessions?.find(await app.beginSession(request, reply, session) ?? '')
    await sendState(
      reply,
      stateOf(
        begun,
        shown(begun?.account ?? ''),
        (begun?.operator === true && settings.accessToken === '') || request.caller.operator
      )
    )
  }

  app.post<{ Body: Static<typeof CodeBody> }>(
    '/login/operator',
    { config, schema: { body: CodeBody } },
    async (request, reply) => {
      requireOwnPage(request)
      if (isRight === undefined || now() >= end || !isRight(request.body.code)) {
        throw new RelayError(
          'TOKEN_REQUIRED',
          'This link does not work any more: it works once, and within an hour. Start the relay again, and open the link that it prints.'
        )
      }
      isRight = undefined
      await begin(request, reply, { operator: true })
    }
  )

  app.get('/login/session', { config: { ownPages: true } }, async (request, reply) => {
    await sendState(reply, stateOf(request.caller.session, inUse(request.caller), request.caller.operator))
  })

  app.post<{ Body: Static<typeof AccountBody> }>(
    '/login/session',
    { config, schema: { body: AccountBody } },
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
    { config, schema: { body: AccountBody } },
    async (request, reply) => {
      requireOwnPage(request)
      const text = sessionTextOf(request)
      if (text !== undefined) await sessions.end(text, request.body.account)
      const left = text === undefined ? undefined : sessions.find(text)
      if (left === undefined) app.setSessionCookie(request, reply, '', 0)
      await sendState(
        reply,
        stateOf(left, shown(left?.account ?? ''), left?.operator === true && settings.accessToken === '')
      )
    }
  )
}

/** The routes with which the pages begin and end sessions. */
export const sessionRoutes = fp(routes, {
  name: 'session-routes',
  fastify: '5.x',
  dependencies: ['sessions', 'refuse-callers', 'validation'],
  decorators: { fastify: ['runtime'] }
})

// @mutate accounts: sessions login-keep
