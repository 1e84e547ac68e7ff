/** Headers of all responses. A header for every response belongs only in this file. */
import fastifyCors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyPluginAsync, FastifyReply, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'

/** A response must not be executed, framed or sniffed. A cookie in a URL must not leak in a Referer. */
export const standardHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'cross-origin'
} as const

export const jsonType = 'application/json; charset=utf-8'

/** Headers of a JSON response that is private to its caller. */
export const privateJson = { 'content-type': jsonType, 'cache-control': 'no-store' } as const

/** Response headers that scripts of other origins may read. */
const readableHeaders = [
  'x-request-id',
  'x-cache',
  'x-relay-source',
  'x-relay-warning',
  'age',
  'etag',
  'retry-after',
  'accept-ranges',
  'content-length',
  'content-range',
  'x-total-count',
  'icy-metaint',
  'icy-name'
]

/** Adds names of request headers that affect the response. */
export function addVary (reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`)
}

/** Adds a warning about the request to the response, once. Warnings are one line of ASCII. */
export function addWarning (reply: FastifyReply, text: string): void {
  const before = reply.getHeader('x-relay-warning')
  if (before === undefined) void reply.header('x-relay-warning', text)
  else if (!String(before).includes(text)) void reply.header('x-relay-warning', `${String(before)}; ${text}`)
}

/** Whether the caller already has this body. `If-None-Match` is a list of weak or strong tags, or `*`. */
export function matchesEtag (tags: string | undefined, etag: string): boolean {
  return tags !== undefined
    && (tags === etag || tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())))
}

/** CORS headers: any page may read the response. */
export const readableByAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': readableHeaders.join(', ')
} as const

/** Sets the headers before anything else, so that a route can override them. */
const plugin: FastifyPluginAsync = async (app) => {
  const headers = app.runtime.settings.corsOrigins.length === 0 ? { ...standardHeaders, ...readableByAll }
    : standardHeaders
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers).header('x-request-id', request.id)
    done()
  })
}

export const headers = fp(plugin, { name: 'headers' })

// CORS: preflights, and the headers for pages of other origins.

/** Request headers that scripts of other origins may set: those that the relay reads, and related ones. */
const allowedHeaders = ['Accept', 'Authorization', 'Cache-Control', 'Content-Type', 'Icy-MetaData', 'If-None-Match', 'If-Range', 'Pragma', 'Range', 'X-Custom-Cookie']

const common: FastifyCorsOptions = {
  strictPreflight: false,
  methods: ['GET', 'HEAD', 'POST'],
  allowedHeaders,
  exposedHeaders: readableHeaders,
  maxAge: 600
}

/** Any page may read public answers. Credentials are allowed only for the origins of `corsOrigins`. */
const corsPlugin: FastifyPluginAsync = async (app) => {
  const listed = app.runtime.settings.corsOrigins
  // The library answers a preflight of any path. `OPTIONS *` refers to the server as a whole.
  const refuseUnknown: onRequestHookHandler = (request, reply, done) => {
    if (request.method !== 'OPTIONS' || request.url === '*') return done()
    const refusal = app.routeError(request, reply)
    done(refusal.code === 'METHOD_NOT_ALLOWED' ? undefined : refusal)
  }
  if (listed.length > 0) {
    app.addHook('onRequest', refuseUnknown)
    await app.register(fastifyCors, {
      ...common,
      delegator: (request, callback) => {
        const known = listed.includes(request.headers.origin ?? '')
        callback(null, { ...common, origin: known ? [...listed] : '*', credentials: known })
      }
    })
    return
  }
  // Without listed origins, headers.ts sets a constant header, and the library handles only preflights. Its hook costs
  // a tenth of a cache hit.
  await app.register(async (preflights) => {
    preflights.addHook('onRequest', refuseUnknown)
    await preflights.register(fastifyCors, { ...common, origin: '*' })
  })
}

export const cors = fp(corsPlugin, { name: 'cors', dependencies: ['headers', 'refusals'] })
