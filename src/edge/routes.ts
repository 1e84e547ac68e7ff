/** The routes: all paths of all endpoints in the registry, each with the endpoint's own schemas. */
import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import type { CacheResult, CacheEntry } from '../cache/memory.ts'
import { operations, type Operation } from '../openapi/operations.ts'
import { bodyTextOf, bytesRead, execute, executeCached, tooLarge, workOf } from '../relay/run.ts'
import type { Runtime } from '../relay/runtime.ts'
import { isLargerThan } from '../common/size.ts'
import { isAbsent } from '../relay/validate.ts'
import { answerTimeOf, optionsFor, disconnectSignal, isReload, sourceOf, withDeadline } from './asking.ts'
import { delivererOf } from './delivery.ts'
import { addVary, jsonType, matchesEtag, privateJson } from './headers.ts'
import { cutOf, m3uOf, m3uType, readFormat } from './m3u.ts'
import { requirePublicOrigin } from './paths.ts'
import { costOf } from './limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the route, for the OpenAPI document. */
    operation?: Operation
  }
}

export interface RoutesOptions {
  readonly registry: Readonly<Record<string, AnyEndpoint>>
}

const plugin: FastifyPluginAsync<RoutesOptions> = async (app, { registry }) => {
  const { runtime } = app
  app.decorateRequest('asM3u', false)
  for (const [name, endpoint] of Object.entries(registry)) {
    const lists = endpoint.songs !== undefined
    const handler = (endpoint.envelope.delivers === undefined ? handlerOf : delivererOf)(endpoint, runtime)
    const cost = costOf(endpoint)
    for (const operation of operations(name, endpoint)) {
      app.route({
        method: endpoint.method,
        url: operation.path,
        schema: operation.schema,
        config: {
          operation,
          ...cost === undefined ? {} : { cost },
          ...endpoint.envelope.delivers === 'audio' ? { streams: true } : {}
        },
        preValidation: [...(lists ? [readFormat] : []), ...(operation.kind === 'param' ? [mergeParams] : [])],
        handler
      })
    }
  }
}

/**
 * Merges the path parameter into the query. Unless it is empty, it overrides a query parameter of the same name. Both
 * are validated as one query.
 */
function mergeParams (request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const given = Object.entries(request.params as object).filter(([, text]) => !isAbsent(text))
  request.query = { ...request.query as object, ...Object.fromEntries(given) }
  done()
}

function handlerOf (endpoint: AnyEndpoint, runtime: Runtime) {
  const cacheable = endpoint.cache !== undefined && runtime.answers.cache !== undefined
  const isGet = endpoint.method === 'GET'
  const { answers: { finished }, ledger: { work } } = runtime
  const longest = answerTimeOf(endpoint, runtime)
  const vary = varyOf(runtime, endpoint.songs !== undefined)
  /** Constant headers of a cache entry, created once per entry. */
  const headersOf = new WeakMap<CacheEntry, Record<string, string>>()

  function entryHeaders (entry: CacheEntry): Record<string, string> {
    let headers = headersOf.get(entry)
    if (headers === undefined) {
      headers = { 'cache-control': entry.cacheControl, 'etag': entry.etag, 'x-relay-source': entry.sources.join(', ') }
      headersOf.set(entry, headers)
    }
    return headers
  }

  function sendCached (request: FastifyRequest, reply: FastifyReply, { state, entry, age }: CacheResult): void {
    request.cacheState = state
    void reply.headers(entryHeaders(entry)).header('x-cache', state)
    if (state !== 'MISS' || age >= 1000) void reply.header('age', String(Math.floor(age / 1000)))
    const varies = request.caller.identity.withheld === true ? vary.withheld : vary.usually
    if (varies !== undefined) addVary(reply, varies)
    // A stream, because the framework gives an absent payload of a HEAD the length 0, which differs from that of the
    // 200.
    if (isGet && matchesEtag(request.headers['if-none-match'], entry.etag)) {
      void reply.code(304).send(request.method === 'HEAD' ? Readable.from([]) : undefined)
    } else void reply.header('content-type', jsonType).send(entry.body)
  }

  function listOf (record: unknown, input: unknown, origin: string): string {
    if (isLargerThan(record, runtime.answers.limits.largestAnswerBytes)) throw tooLarge(runtime.answers.limits)
    const songs = endpoint.songs?.(record as never) ?? []
    const { skipped = 0, song } = record as { readonly skipped?: number, readonly song?: { readonly skipped?: number } }
    const leftOut = song?.skipped ?? skipped
    return m3uOf(
      songs,
      origin,
      leftOut,
      cutOf(endpoint, input, { shown: songs.length, skipped: leftOut, total: endpoint.total?.(record as never) ?? 0 })
    )
  }

  /** Sends a list as M3U. It contains the address at which this caller reaches the relay, so it must not be cached. */
  function sendList (
    request: FastifyRequest,
    reply: FastifyReply,
    input: unknown,
    made: CacheResult | { readonly record: unknown }
  ): void {
    const isCached = 'entry' in made
    if (isCached) {
      request.cacheState = made.state
      void reply.headers({ 'x-cache': made.state, 'x-relay-source': made.entry.sources.join(', ') })
    }
    const origin = requirePublicOrigin(request)
    // The tag is made of the content, so the list cannot become wrong.
    const key = isCached ? `m3u ${endpoint.path} ${made.entry.etag} ${origin} ${JSON.stringify(input)}` : ''
    let list = isCached ? finished.get(key) : undefined
    if (list === undefined) {
      list =
        Buffer.from(listOf(
          isCached ? endpoint.envelope.unwrap(JSON.parse(made.entry.body.toString())) : made.record,
          input,
          origin
        ))
      work.charge(request.caller.client, list.length)
      if (isCached) finished.set(key, list, () => true)
    }
    void reply.headers({ 'content-type': m3uType, 'cache-control': 'no-store' }).send(list)
  }

  /** The handler. The framework has validated the input: the query of a GET, the body of a POST. */
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    const input = isGet ? request.query : request.body
    const options = optionsFor(reply, request.caller, isReload(request))
    const found = executeCached(endpoint, input, options, runtime)
    if (request.asM3u) {
      const made = found
        ?? execute(endpoint, input, { signal: disconnectSignal(reply), ...options }, runtime)
          .then((record) => ({ record }))
      return withDeadline<CacheResult | { readonly record: unknown }>(runtime.timers, longest, Promise.resolve(made))
        .then((inTime) => { sendList(request, reply, input, inTime) })
    }
    if (found instanceof Promise) {
      return withDeadline(runtime.timers, longest, found).then((made) => {
        sendCached(request, reply, made)
      })
    }
    if (found !== undefined) return sendCached(request, reply, found)

    const made = execute(endpoint, input, { signal: disconnectSignal(reply), ...options }, runtime)
      .then(async (record) =>
        await bodyTextOf(endpoint, record, runtime, workOf(options.client, runtime), bytesRead(request.upstreamReports))
      )
    return withDeadline(runtime.timers, longest, made).then((text) => {
      if (cacheable) void reply.header('x-cache', 'MISS')
      const source = sourceOf(request)
      if (source !== '') void reply.header('x-relay-source', source)
      void reply.headers(privateJson).send(text)
    })
  }
}

/**
 * Returns the Vary headers: everything that affects the identity, so that no cache or browser gives one caller's answer
 * to another.
 */
function varyOf (
  { settings: { fallbackMode, useGlobalCookie }, accounts }: Runtime,
  isList: boolean
): { readonly usually: string | undefined, readonly withheld: string | undefined } {
  const own = [
    ...(isList ? ['accept'] : []),
    ...(fallbackMode ? ['x-custom-cookie', 'cookie'] : accounts === undefined ? [] : ['cookie']),
    ...(accounts === undefined ? [] : ['authorization'])
  ]
  const site = ['origin', 'sec-fetch-site']
  const listed = (names: readonly string[]): string | undefined => names.join(', ') || undefined
  // If the Cookie header was withheld, the same header from the relay's own pages would count as an identity.
  return { usually: listed(useGlobalCookie ? [...own, ...site] : own), withheld: listed([...own, ...site]) }
}

export const routes = fp(plugin, {
  name: 'routes',
  dependencies: ['connections', 'headers', 'log', 'refusals', 'refuse-callers', 'input']
})
