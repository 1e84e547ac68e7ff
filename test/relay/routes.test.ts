/** Every route has the schemas of its endpoint, no answer has a header twice, and plugins have names. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { buildApp } from '../../src/app.ts'
import * as demoMedia from '../../src/cli/demoMedia.ts'
import * as meting from '../../src/players/meting/meting.ts'
import { formsOf } from '../../src/relay/endpoint.ts'
import { demoFor, endpoints } from '../support/helper.ts'
import { brisk, unhurried } from '../support/unhurried.ts'
import type { RelayOptions } from '../../src/library/relay.ts'

const all = Object.entries(endpoints)

async function appFor (t: Test, options: RelayOptions = {}): Promise<FastifyInstance> {
  const { origin } = await demoFor(t)
  const app = await buildApp({
    ...unhurried, upstreamOrigin: origin, imageOrigin: origin, logLevel: 'silent', ...options,
    tuning: brisk(options.tuning)
  })
  t.teardown(async () => { await app.close() })
  return app
}

interface RouteSchema extends Readonly<Partial<Record<'operationId' | 'summary' | 'description', string>>> {
  readonly tags?: readonly string[]
  readonly querystring?: unknown
  readonly body?: unknown
  readonly params?: { readonly properties: Readonly<Record<string, unknown>>, readonly required: readonly string[] }
  readonly response?: Readonly<Record<number, object>>
}

/** Whether a schema contains this object, or refers to it by name. */
function holds (schema: unknown, wanted: { readonly $id?: string }): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  if (schema === wanted || (wanted.$id !== undefined && (schema as { $ref?: string }).$ref === `${wanted.$id}#`)) {
    return true
  }
  return Object.values(schema).some((inner) => holds(inner, wanted))
}

t.test('the built application has every form of every endpoint, with the schema objects of the registry', async (t) => {
  const app = await appFor(t)
  let seen: FastifyRequest['routeOptions'] | undefined
  app.addHook('onRequest', (request, reply) => {
    seen = request.routeOptions
    void reply.code(204).send()
  })
  const wrong: string[] = []
  let routes = 0
  for (const [name, endpoint] of all) for (const { kind, path } of formsOf(
    endpoint
  )) for (const method of endpoint.method === 'GET' ? ['GET', 'HEAD'] as const : ['POST'] as const) {
    routes++
    seen = undefined
    await app.inject({ method, url: path.replace(/:\w+$/, 'x') })
    const { url, schema = {} } = seen as unknown as { url: string, schema?: RouteSchema }
    const { pathParam: part = '', input, record, tag, summary, description } = endpoint
    const [validated, other] = endpoint.method === 'GET' ? [schema.querystring, schema.body]
      : [schema.body, schema.querystring]
    const rules: Readonly<Record<string, boolean>> = {
      'is at its path': url === path,
      'validates the input': validated === input && other === undefined,
      'has the parameter\'s own schema': kind === 'param' ? schema.params?.properties[part] === input.properties[part]
        && schema.params?.required.join() === part : schema.params === undefined,
      'answers the record': holds(schema.response?.[200], record),
      'has its tag': schema.tags?.join() === tag,
      'has an operation of its own, unless it is an alias': (schema.operationId?.startsWith(name) ?? false) === (kind !== 'alias'),
      'is described': schema.summary?.startsWith(summary) === true
        && schema.description?.startsWith(description) === true
    }
    for (const [rule, holdsGood] of Object.entries(rules)) {
      if (!holdsGood) wrong.push(`${method} ${path} of ${name}: ${rule}`)
    }
  }
  t.same(wrong, [])
  t.ok(routes > 90, `${routes} routes`)
})

t.test('a question that was asked before is the same validated input, unless it holds a cookie', async (t) => {
  const app = await appFor(t)
  const inputs: unknown[] = []
  app.addHook('preHandler', async ({ query }) => { inputs.push(query) })
  const ask = async (url: string): Promise<unknown> => {
    await app.inject(url)
    return inputs.pop()
  }
  const first = await ask('/getRanks?topId=62&limit=2')
  t.same(first, { topId: 62, limit: 2, page: 0, resolveMid: false })
  t.equal(await ask('/getRanks?topId=62&limit=2'), first)
  t.not(await ask('/getRanks?limit=2&topId=62'), first)
  t.same(await ask('/getSongLists?topId=62&limit=2'), { ...await ask('/getSongLists?limit=2') as object }, 'each endpoint has its own parameters of one query')
  const withCookie = '/getRanks?topId=62&cookie=uin%3D1'
  t.not(await ask(withCookie), await ask(withCookie))
})

t.test('no answer has a header twice', async (t) => {
  const app = await appFor(t, { corsOrigins: ['https://player.example'] })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const chart = '/getRanks?topId=62&limit=1'
  const etag = (await fetch(`${address}${chart}`)).headers.get('etag') ?? ''
  for (const [path, headers, status] of [
    [chart, {}, 200], [chart, { 'if-none-match': etag }, 304], [chart, { origin: 'https://player.example' }, 200],
    [chart, { 'x-custom-cookie': 'uin=1; qm_keyst=k' }, 200], ['/getRanks?limit=0', {}, 400], ['/nothing', {}, 404],
    ['/%', {}, 400], ['/user/getUserLikedSongs', {}, 401], ['/', {}, 200], ['/docs', {}, 200], ['/health/live', {}, 200]
  ] as const) {
    const [response] = await once(get(`${address}${path}`, { headers }), 'response') as [IncomingMessage]
    response.resume()
    t.equal(response.statusCode, status, path)
    const raw = response.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
    t.same(raw.filter((name, at) => raw.indexOf(name) !== at), [], path)
    for (const name of ['x-request-id', 'x-content-type-options', 'content-security-policy', 'referrer-policy', 'x-frame-options', 'cross-origin-resource-policy']) t.ok(raw.includes(name), `${path} has ${name}`)
  }
})

interface Meta { readonly name?: string, readonly dependencies?: readonly string[] }

t.test('each concern of the HTTP edge is a named plugin, and what it needs is registered', async (t) => {
  const app = await appFor(t, { metrics: true })
  await app.ready()
  const folder = new URL('../../src/edge/', import.meta.url)
  const modules = await Promise.all(readdirSync(folder).filter((file) => file.endsWith('.ts'))
    .map(async (file) => await import(`../../src/edge/${file}`) as Record<string, unknown>))
  const metasOf = (all: readonly object[]): Meta[] =>
    all.flatMap((exported) => Object.values(exported) as unknown[]).filter((value) => typeof value === 'function')
      .map(
        (plugin) => (plugin as unknown as Record<symbol, Meta | undefined>)[Symbol.for('plugin-meta')]
      ).filter((meta) => meta !== undefined)
  const metas = metasOf(modules)
  t.ok(metas.length >= 14, `${metas.length} plugins`)
  t.equal(new Set(metas.map(({ name }) => name)).size, metas.length)
  for (const { name = '', dependencies = [] } of metas) {
    t.match(name, /^(?!.*-auto-)[a-z-]+$/)
    t.ok(app.hasPlugin(name), `${name} is registered`)
    for (const other of dependencies) t.ok(app.hasPlugin(other), `${name} needs ${other}, which is registered`)
  }
  for (const { name, dependencies = [] } of metasOf([demoMedia, meting])) {
    for (const other of dependencies) t.ok(app.hasPlugin(other), `${name} needs ${other}, too`)
  }
})
