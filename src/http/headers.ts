/** Constant headers of every answer, and the quick way out for those that are kept as bytes. */
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Nothing in an answer may be run, framed or sniffed; a cookie in an address must not travel in a Referer. */
export const jsonHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'cross-origin'
} as const

/** Of an answer for who asked alone. */
export const unkeptJson = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const

const constant = Object.entries(jsonHeaders)
const constantList: readonly string[] = constant.flat()

/** What a script of another page may read besides the body. */
export const readableHeaders = ['x-request-id', 'x-cache', 'x-relay-source', 'age', 'etag', 'retry-after']

/** Any page may read the answer. */
export const readableByAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': readableHeaders.join(', ')
} as const

/** Pages that set one of them by themselves keep their own. */
export function setHeaders (app: FastifyInstance, anyOrigin: boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    for (const [name, value] of constant) if (!reply.hasHeader(name)) void reply.header(name, value)
    if (anyOrigin) void reply.headers(readableByAll)
    void reply.header('x-request-id', request.id)
    done(null, payload)
  })
}

/**
 * Sends bytes with these headers (name, value, name, value …), the constant ones, and what hooks have set under other
 * names. Goes past the framework's reply: its handling of a dozen headers costs a quarter of what a whole answer from
 * memory costs.
 */
export function sendBytes (reply: FastifyReply, status: number, headers: readonly string[], body: Buffer | undefined): void {
  if (reply.sent) return
  const list = [...constantList, 'x-request-id', reply.request.id, ...headers]
  const given = reply.getHeaders()
  for (const name in given) if (!list.includes(name)) list.push(name, String(given[name]))
  reply.hijack()
  reply.raw.writeHead(status, list)
  reply.raw.end(body)
}
