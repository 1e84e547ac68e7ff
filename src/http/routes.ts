/** Definitions to routes: the path, its aliases, and the form with the parameter in the path. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formsOf } from '../endpoint.ts'
import type { AnyEndpoint } from '../endpoint.ts'
import type { Found, Kept } from '../cache.ts'
import { RelayError } from '../errors.ts'
import { Sources } from '../perform.ts'
import type { Exchange } from '../perform.ts'
import type { RelayCore } from '../relay.ts'
import type { RouteTable } from './errors.ts'
import { readableByAll, sendBytes, unkeptJson } from './headers.ts'
import { answerTimeOf, costOf, within } from './limits.ts'

type Texts = Readonly<Record<string, unknown>>

export function addRoutes (app: FastifyInstance, core: RelayCore, endpoints: Readonly<Record<string, AnyEndpoint>>): void {
  for (const endpoint of Object.values(endpoints)) {
    const inQuery = handlerOf(endpoint, core, ({ query }) => query as Texts)
    const inPath = handlerOf(endpoint, core, ({ query, params }) => ({ ...query as Texts, ...params as Texts }))
    const cost = costOf(endpoint)
    for (const { kind, path } of formsOf(endpoint)) {
      app.route({ method: endpoint.method, url: path, handler: kind === 'param' ? inPath : inQuery, config: cost === undefined ? {} : { cost } })
    }
  }
}

function handlerOf (endpoint: AnyEndpoint, core: RelayCore, textsOf: (request: FastifyRequest) => Texts) {
  const cacheable = endpoint.cache !== undefined && core.cache !== undefined
  const mayBeAsked = endpoint.method === 'GET'
  const longest = answerTimeOf(endpoint, core.settings)
  // What decides whose identity an answer is made with: a cache, a browser's too, must not give one asker's to another.
  const variesBy = (site: boolean): string | undefined => [
    ...core.settings.fallbackMode ? ['x-custom-cookie', 'cookie'] : [],
    ...site ? ['origin', 'sec-fetch-site'] : []
  ].join(', ') || undefined
  const usually = variesBy(core.settings.useGlobalCookie)
  // The same Cookie header from elsewhere is an identity.
  const withheld = variesBy(true)
  const readers = core.settings.corsOrigins.length === 0 ? Object.entries(readableByAll).flat() : []
  /** What goes out with every copy of an answer, put together once. */
  const fixed = new WeakMap<Kept, readonly string[]>()

  function fixedHeaders (kept: Kept): readonly string[] {
    let headers = fixed.get(kept)
    if (headers === undefined) fixed.set(kept, headers = [...readers, 'cache-control', kept.cacheControl, 'etag', kept.etag, 'x-relay-source', kept.source])
    return headers
  }

  function sendShared (request: FastifyRequest, reply: FastifyReply, { state, kept, age }: Found): void {
    request.cacheState = state
    const headers = [...fixedHeaders(kept), 'x-cache', state]
    if (state !== 'MISS' || age >= 1000) headers.push('age', String(Math.floor(age / 1000)))
    const vary = request.identityWithheld ? withheld : usually
    if (vary !== undefined) {
      const already = reply.getHeader('vary')
      headers.push('vary', already === undefined ? vary : `${String(already)}, ${vary}`)
    }
    if (mayBeAsked && isKnown(request.headers['if-none-match'], kept.etag)) return sendBytes(reply, 304, headers, undefined)
    headers.push('content-type', 'application/json; charset=utf-8', 'content-length', String(kept.body.length))
    sendBytes(reply, 200, headers, kept.body)
  }

  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    const input = mayBeAsked
      ? core.inputs.fromText(endpoint.input, textsOf(request))
      : core.inputs.fromValues(endpoint.input, request.body === undefined ? {} : request.body)
    const cookie = request.cookie ?? undefined
    if (endpoint.login === 'required' && request.identityWithheld) {
      throw new RelayError('CROSS_SITE', 'A page of another site asks: it gets neither the Cookie header nor the global cookie. Bring the cookie as X-Custom-Cookie, or list the origin in corsOrigins.')
    }
    const asker = {
      credential: cookie === undefined ? undefined : core.credentialFor(endpoint, cookie),
      cookie,
      onExchange: (exchange: Exchange) => { (request.exchanges ??= []).push(exchange) }
    }
    const found = core.performShared(endpoint, input, asker, wantsNew(request))
    if (found instanceof Promise) return within(longest, found).then((made) => { sendShared(request, reply, made) })
    if (found !== undefined) return sendShared(request, reply, found)

    return within(longest, core.perform(endpoint, input, { ...asker, client: request.client ?? undefined, signal: goneSignal(reply) })).then((record) => {
      if (cacheable) void reply.header('x-cache', 'MISS')
      const source = sourceOf(request)
      if (source !== '') void reply.header('x-relay-source', source)
      void reply.headers(unkeptJson).send(JSON.stringify(endpoint.envelope.wrap(record)))
    })
  }
}

/** Which upstream calls the answer is made of; empty when none was asked, or by a login step. */
function sourceOf ({ exchanges }: FastifyRequest): string {
  const sources = new Sources()
  for (const { answered } of exchanges ?? []) sources.add(answered)
  return String(sources)
}

/** The caller wants no copy. `fetch` adds the same words by itself to every question with If-None-Match; there they mean nothing. */
function wantsNew ({ headers }: FastifyRequest): boolean {
  const wish = headers['cache-control']
  return wish !== undefined && headers['if-none-match'] === undefined && /\bno-cache\b/i.test(wish)
}

/** Whether the caller has these bytes: `If-None-Match` lists tags, weak or strong, or is `*`. */
function isKnown (tags: string | undefined, etag: string): boolean {
  return tags !== undefined && (tags === etag || tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())))
}

/** Aborted when the connection closes before the answer is out. (The framework's own signal aborts every POST once its body is read.) */
function goneSignal (reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  // Closed already, while the client was being counted elsewhere: nobody would say so again.
  if (reply.raw.destroyed) controller.abort()
  reply.raw.once('close', () => { if (!reply.raw.writableFinished) controller.abort() })
  return controller.signal
}

/** Which methods a path answers, for 405. Path forms match any one last part; pages are there to be looked at. */
export function routeTable (endpoints: Readonly<Record<string, AnyEndpoint>>, pages: readonly string[]): RouteTable {
  const methods = (endpoint: AnyEndpoint): string[] => endpoint.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
  const exact = new Map<string, string[]>()
  const prefixes = new Map<string, string[]>()
  for (const path of pages) exact.set(path, ['GET', 'HEAD'])
  for (const endpoint of Object.values(endpoints)) {
    for (const { kind, path } of formsOf(endpoint)) {
      if (kind === 'param') prefixes.set(endpoint.path, methods(endpoint))
      else exact.set(path, methods(endpoint))
    }
  }
  return {
    methodsOf: (path) => exact.get(path) ?? prefixes.get(/^(.+)\/[^/]*$/.exec(path)?.[1] ?? '') ?? []
  }
}
