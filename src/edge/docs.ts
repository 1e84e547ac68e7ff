/**
 * Swagger UI for the application's own OpenAPI document. It is loaded at the first request. Registered with the other
 * routes, it would add 50 ms of CPU to every start (2026-11, a sixth of the start).
 */
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { packageNamed, parsedYaml, publishedYaml } from '../openapi/published.ts'
import { jsonType, matchesEtag } from './headers.ts'
import { once, publicFile } from './files.ts'
import { pathOf, publicOriginOf } from './paths.ts'

type SwaggerUi = typeof import('@fastify/swagger-ui').default

export interface DocsOptions {
  /** Whether the page links to the documentation site. */
  readonly guide: boolean
}

/**
 * Serves the page under /docs, and the document as /docs/json and /docs/yaml. All files come from this host, also over
 * plain http.
 */
const plugin: FastifyPluginAsync<DocsOptions> = async (app, { guide }) => {
  const { settings } = app.runtime
  let server: Promise<FastifyInstance> | undefined
  const files = once(load)
  const documents = new LRUCache<string, Buffer>({ max: 8 })

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const path = pathOf(request.url)
    const file = ordinary.test(path) ? await files(path) : undefined
    if (file === undefined) {
      reply.callNotFound()
      return reply
    }
    if (isCurrent(request.headers, file)) return await reply.code(304).headers(file.always).send()
    return await reply.code(file.status).headers(file.always).headers(file.content).send(
      path in descriptions ? addressed(path, file, originFor(request)) : file.body
    )
  }

  /** Returns the document with this server. Readers with the same server share a buffer. */
  function addressed (path: string, { body }: File, origin: string): Buffer {
    const key = `${path} ${origin}`
    let document = documents.get(key)
    if (document === undefined) {
      documents.set(
        key,
        document = Buffer.from(body.toString().replace(anyOrigin, () => origin))
      )
    }
    return document
  }

  /**
   * Returns a form of the document, or an answer of the inner server. Undefined if that refuses, because its error
   * format differs from ours. Throws what failed.
   */
  async function load (path: string): Promise<File | undefined> {
    const read = descriptions[path]
    if (read !== undefined) return { status: 200, always: {}, ...await read(await publishedYaml(settings, anyOrigin)) }
    server ??= serverOf(guide).catch((error: unknown) => { server = undefined; throw error })
    const { statusCode: status, headers, rawPayload: body } = await (await server).inject({ method: 'GET', url: path })
    // With too many open files, the file is there all the same.
    if (status >= 500) {
      const { code } = JSON.parse(body.toString()) as { readonly code?: string }
      throw Object.assign(new Error(`${path} cannot be read`), { code })
    }
    if (status >= 400) return undefined
    const { 'content-type': type, ...always } = headers
    // The inner server does not know the real connection. Its keep-alive header would leave a closing connection open.
    for (const name of ['connection', 'content-length', 'date']) delete always[name]
    return { status, always, content: type === undefined ? {} : { 'content-type': type }, body }
  }

  app.get('/docs', show)
  app.get('/docs/*', show)
  app.addHook('onClose', async () => { await (await server)?.close() })
}

/** An answer that is kept. */
interface File {
  readonly status: number
  /** Headers of every answer, including a 304. */
  readonly always: OutgoingHttpHeaders
  /** Headers of the body. */
  readonly content: OutgoingHttpHeaders
  readonly body: Buffer
}

/** The forms of the OpenAPI document, in which `anyOrigin` is replaced by the real server. */
const descriptions: Readonly<Record<string, (yaml: string) => Promise<Pick<File, 'content' | 'body'>>>> = {
  '/docs/yaml': async (yaml) => ({ content: { 'content-type': 'application/x-yaml' }, body: Buffer.from(yaml) }),
  '/docs/json': async (yaml) =>
    ({ content: { 'content-type': jsonType }, body: Buffer.from(JSON.stringify(await parsedYaml(yaml))) })
}
const anyOrigin = 'http://relay.invalid'

/**
 * Returns the address at which the caller reaches this relay, because generators cannot use a relative one. The page
 * itself (public/docs/static/theme/script.js) gets the folder above: its browser knows the real address, with the path
 * prefix of a proxy, which no Host header has. On plain http a browser does not say that a page asks, so the page says
 * it.
 */
function originFor (request: FastifyRequest): string {
  return 'relative' in (request.query as object) || request.headers['sec-fetch-site'] === 'same-origin' ? '..'
    : publicOriginOf(request) ?? '..'
}

/** Paths without characters that would give one file several names. */
const ordinary = /^(\/[\w-][\w.-]*)+\/?$/

/** Whether the browser already has the file. */
function isCurrent (headers: IncomingHttpHeaders, { always: { etag, 'last-modified': modified } }: File): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return typeof etag === 'string' && matchesEtag(tags, etag)
  return modified !== undefined && headers['if-modified-since'] === modified
}

/**
 * Hash of the only inline style that the page's script adds. After an upgrade of Swagger UI, the browser's console
 * shows the new hash.
 */
const ownStyle = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='

/**
 * Loads nothing from other hosts, and forbids framing. The library's own policy upgrades URLs to https (which leaves a
 * blank page on plain http) and allows an external validator.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${ownStyle}'`,
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Returns an inner server with the files of Swagger UI, our name and token field on top. */
async function serverOf (guide: boolean): Promise<FastifyInstance> {
  const ui = packageNamed('@fastify/swagger-ui') as SwaggerUi
  const [script, link, style, icon] = await Promise.all(
    ['script.js', 'guide.js', 'style.css', 'icon.svg'].map(async (name) => await readFile(publicFile(`docs/static/theme/${name}`), 'utf8'))
  )
  const server = Fastify()
  // In place of @fastify/swagger, which would make the document out of routes.
  await server.register(fp(async () => {}, { name: '@fastify/swagger' }))
  await server.register(ui, {
    routePrefix: '/docs',
    // Links are relative, because a proxy may serve the relay under a path prefix.
    indexPrefix: '.',
    uiConfig: { validatorUrl: null, persistAuthorization: false, docExpansion: 'none', deepLinking: true },
    theme: {
      title: 'API reference · music-relay',
      js: [
        { filename: 'script.js', content: script as string },
        ...guide ? [{ filename: 'guide.js', content: link as string }] : []
      ],
      css: [{ filename: 'style.css', content: style as string }],
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon as string }]
    },
    staticCSP: policy
  })
  return server
}

export const docs = fp(plugin, { name: 'docs', dependencies: ['headers', 'refusals'] })
