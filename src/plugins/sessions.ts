/**
 * Browser sessions: a cookie of the relay's own stands for a login that the relay keeps, or for the operator. It counts only for
 * the relay's own pages, and never for players and widgets.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { sessionSeconds, type BrowserSession, type BrowserSessions, type NewSession } from '../core/browserSessions.ts'
import { privateJson } from './headers.ts'
import { isOtherPage, isOwnPage } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Begins a session and sets its cookie. Without a store of sessions, does nothing. */
    beginSession (request: FastifyRequest, reply: FastifyReply, session: Pick<NewSession, 'account' | 'operator'>): Promise<void>
    /** Ends the session of a browser and removes its cookie. */
    endSession (request: FastifyRequest, reply: FastifyReply): Promise<void>
  }
  interface FastifyRequest {
    /** The session of the browser. Null for other pages, players and widgets. */
    session: BrowserSession | null
  }
}

/** Name of the cookie. */
export const sessionCookie = 'music_relay_session'

/** Options. `sessions`: undefined if the relay keeps none. */
export interface SessionsPluginOptions { readonly sessions: BrowserSessions | undefined }

/** How long the code of the start works, in milliseconds. */
const codeMs = 3_600_000

const CodeBody = Type.Object({ code: Type.String({ minLength: 1, maxLength: 100, description: 'The code of the link that the start printed.' }) })

const noOrigins: ReadonlySet<string> = new Set()

const plugin: FastifyPluginAsync<SessionsPluginOptions> = async (app, { sessions }) => {
  const { settings } = app.runtime
  app.decorateRequest('session', null)
  app.decorate('beginSession', async (request, reply, session) => {
    if (sessions === undefined) return
    const text = await sessions.begin({ ...session, replaces: textOf(request), client: request.client?.[0] }).catch((cause: unknown) => {
      if (cause instanceof RelayError) throw cause
      throw new RelayError('INTERNAL', 'The relay cannot write its sessions, in CONFIG_DIR. Make the folder writable, then try again.', { cause })
    })
    setCookie(request, reply, text, sessionSeconds)
  })
  app.decorate('endSession', async (request, reply) => {
    const text = textOf(request)
    if (text !== undefined) await sessions?.end(text)
    setCookie(request, reply, '', 0)
  })
  if (sessions === undefined) return

  app.addHook('onRequest', (request, _reply, done) => {
    const text = textOf(request)
    // Routes without a token are those of players and widgets.
    if (text === undefined || request.routeOptions.config.tokenless === true || isOtherPage(request, noOrigins)) return done()
    const session = sessions.find(text) ?? null
    request.session = session
    if (session?.account !== undefined && request.account === null && request.headers.authorization === undefined) {
      request.account = { name: session.account, key: undefined, ambient: true, bySession: true }
    }
    done()
  })

  function setCookie ({ protocol }: FastifyRequest, reply: FastifyReply, text: string, seconds: number): void {
    const { publicOrigin } = settings
    const path = publicOrigin === '' ? '/' : new URL(`${publicOrigin}/`).pathname
    const isSecure = protocol === 'https' || publicOrigin.startsWith('https:')
    void reply.header('set-cookie', `${sessionCookie}=${text}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`)
  }
}

/** Throws CROSS_SITE unless a page of this relay sent the request, and the browser says so. */
export function requireOwnPage (request: FastifyRequest): void {
  if (isOwnPage(request)) return
  throw new RelayError('CROSS_SITE', 'Only a page of this relay may do this, and the browser must say so (Origin or Sec-Fetch-Site). (A proxy in front must pass on the Host header.)')
}

/** Returns the text of the cookie. */
function textOf ({ headers: { cookie } }: FastifyRequest): string | undefined {
  return cookie === undefined ? undefined : new RegExp(`(?:^|;)\\s*${sessionCookie}=([\\w-]{43})(?:;|\\s|$)`).exec(cookie)?.[1]
}

const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()
const isEqual = (a: string, b: string): boolean => timingSafeEqual(hashed(a), hashed(b))

async function send (reply: FastifyReply, body: object): Promise<void> {
  await reply.headers(privateJson).send(JSON.stringify(body))
}

export const sessions = fp(plugin, {
  name: 'sessions',
  fastify: '5.x',
  dependencies: ['errors', 'request-account'],
  decorators: { fastify: ['runtime'] }
})

/** Options. `operatorCode`: works once, and makes a browser the operator's. Undefined: none does. */
export interface SessionRoutesOptions extends SessionsPluginOptions { readonly operatorCode: string | undefined }

const routes: FastifyPluginAsync<SessionRoutesOptions> = async (app, { sessions, operatorCode }) => {
  const { settings, now } = app.runtime
  if (sessions === undefined) return
  const end = now() + codeMs
  let code = operatorCode
  const config = { ownPages: true, cost: 'login check' } as const

  app.post<{ Body: Static<typeof CodeBody> }>('/login/operator', { config, schema: { body: CodeBody } }, async (request, reply) => {
    requireOwnPage(request)
    const isRight = code !== undefined && settings.accessToken === '' && now() < end && isEqual(request.body.code, code)
    if (!isRight) throw new RelayError('TOKEN_REQUIRED', 'This link does not work any more: it works once, and within an hour. Start the relay again, and open the link that it prints.')
    code = undefined
    await app.beginSession(request, reply, { account: request.session?.account, operator: true })
    await send(reply, { operator: true })
  })

  app.get('/login/session', { config: { ownPages: true } }, async ({ session }, reply) => {
    const { account, operator = false } = session ?? {}
    await send(reply, { session: session === null ? null : { ...account === undefined ? {} : { account }, operator: operator && settings.accessToken === '' } })
  })

  app.post('/login/session', { config }, async (request, reply) => {
    const { account, session } = request
    requireOwnPage(request)
    if (account === null || account.key !== undefined) {
      throw new RelayError('TOKEN_REQUIRED', 'A browser stays logged in with the secret of an account: send it as Authorization: Bearer.')
    }
    await app.beginSession(request, reply, { account: account.name, operator: session?.operator === true })
    await send(reply, { session: { account: account.name } })
  })

  app.post('/login/session/end', { config }, async (request, reply) => {
    requireOwnPage(request)
    await app.endSession(request, reply)
    await send(reply, { session: null })
  })
}

/** The routes with which the pages begin and end sessions. */
export const sessionRoutes = fp(routes, {
  name: 'session-routes',
  fastify: '5.x',
  dependencies: ['sessions', 'authenticate', 'validation'],
  decorators: { fastify: ['runtime'] }
})

// @mutate accounts: sessions login-keep
