/** Headers of all responses. A header for every response belongs only in this file. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

/** A response must not be executed, framed or sniffed. A cookie in a URL must not leak in a Referer. */
export const standardHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'cross-origin'
} as const

/** Content type of JSON responses. */
export const jsonType = 'application/json; charset=utf-8'

/** Headers of a JSON response that is private to its caller. */
export const privateJson = { 'content-type': jsonType, 'cache-control': 'no-store' } as const

/** Response headers that scripts of other origins may read. */
export const readableHeaders = [
  'x-request-id',
  'x-cache',
  'x-relay-source',
  'x-relay-warning',
  'age',
  'etag',
  'retry-after',
  'accept-ranges',
  'content-length',
  'content-range'
]

/** Adds names of request headers that affect the response. */
export function addVary (reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`)
}

/** Whether the caller already has this body. `If-None-Match` is a list of weak or strong tags, or `*`. */
export function matchesEtag (tags: string | undefined, etag: string): boolean {
  return tags !== undefined && (tags === etag || tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())))
}

/** CORS headers: any page may read the response. */
const readableByAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': readableHeaders.join(', ')
} as const

/** Sets the headers before anything else, so that a route can override them. */
const plugin: FastifyPluginAsync = async (app) => {
  const headers = app.runtime.settings.corsOrigins.length === 0 ? { ...standardHeaders, ...readableByAll } : standardHeaders
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers).header('x-request-id', request.id)
    done()
  })
}

export const headers = fp(plugin, { name: 'headers', fastify: '5.x', decorators: { fastify: ['runtime'] } })
