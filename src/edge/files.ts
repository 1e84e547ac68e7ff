/**
 * Static files: the page at / and /login, which are one document, with what `npm run build` bundles into dist/page; the
 * documentation site under /guide, if `npm run site` has built it; and the page for an address without a route.
 *
 * Each file is read with the first request for it and kept as one buffer, however many slow readers it has. The ETag is
 * made of the content: a package manager gives all files the same time, so that size and time, which `@fastify/send`
 * uses, would be the same after an upgrade.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { escapeUTF8 } from 'entities/escape'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { version } from '../common/version.ts'
import { upstreamKind } from '../relay/settings.ts'
import { polling, scanApps, scanPagesOf } from '../upstream/login/scan.ts'
import { addVary, matchesEtag } from './headers.ts'
import { pathOf } from './paths.ts'

const [compressed, plain] = [promisify(gzip), promisify(gunzip)]

/** A path in this package. Its name leads to it, because sources, library and command lie at different depths. */
const packagePath = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve('music-relay/package.json')))

/** Returns the path of a file of public/. */
export const publicFile = (file: string): string => packagePath(`public/${file}`)

/** The folder of the page, which `npm run build` bundles. */
const pageFolder = (): string => packagePath('dist/page')

/** The folder of the documentation site in this package. */
export const guideFolder = (): string => packagePath('dist/guide')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json'
}

const typeOf = (name: string): string => types[extname(name)] ?? 'text/plain; charset=utf-8'

/** Returns the names of all files below a folder, with slashes. */
async function namesIn (folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
    join(parentPath, name).slice(folder.length + 1).replaceAll('\\', '/')
  )
}

/**
 * Returns a function that keeps what `make` returns for a name. `undefined` and a failure are not kept: the next call
 * tries again.
 */
export function once<T> (make: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return async (name) => {
    const known = made.get(name)
    if (known !== undefined) return await known
    const value = make(name)
    made.set(name, value)
    if (await value.catch(() => undefined) === undefined) made.delete(name)
    return await value
  }
}

interface CompressedFile {
  readonly body: Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads `name.gz`. `change`: what becomes of a text; undefined leaves all files as they are. */
async function readCompressed (
  folder: string,
  name: string,
  headersOf: (text: string) => Readonly<Record<string, string>>,
  change?: (text: string) => string
): Promise<CompressedFile> {
  const stored = await readFile(join(folder, `${name}.gz`))
  const isText = !typeOf(name).startsWith('image/')
  const text = isText ? (await plain(stored)).toString() : ''
  const changed = change === undefined ? text : change(text)
  const body = changed === text ? stored : await compressed(changed)
  return {
    body,
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    headers: { ...headersOf(changed), 'content-type': typeOf(name) }
  }
}

/** Sends a file, unpacked for clients that read no gzip, or 304 to those that have it. */
async function sendCompressed (
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, headers }: CompressedFile
): Promise<FastifyReply> {
  void reply.headers(headers).header('etag', etag)
  addVary(reply, 'accept-encoding')
  if (matchesEtag(request.headers['if-none-match'], etag)) return await reply.code(304).send()
  if (
    !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''))
  ) { return await reply.send(await plain(body)) }
  return await reply.header('content-encoding', 'gzip').send(body)
}

/** Sources from which a page may load, besides files of this host. */
interface PageSources {
  readonly images?: string
  readonly scripts?: readonly string[]
  readonly media?: string
  readonly manifest?: string
}

/** Headers of HTML pages and of their files: no scripts of other hosts, no frame around it, and no cache. */
const pageHeaders = (
  { images = "'self' data:", scripts = [], media, manifest }: PageSources = {}
): Record<string, string> => ({
  'content-security-policy': [
    'default-src \'none\'',
    ['script-src \'self\'', ...scripts].join(' '),
    'style-src \'self\'',
    `img-src ${images}`,
    ...media === undefined ? [] : [`media-src ${media}`],
    ...manifest === undefined ? [] : [`manifest-src ${manifest}`],
    'connect-src \'self\'',
    'base-uri \'none\'',
    'form-action \'none\'',
    'frame-ancestors \'none\''
  ].join('; '),
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store'
})

export interface FilesOptions {
  /** Whether the upstream is the demo upstream of this project. */
  readonly demo: boolean
  /** Whether the relay keeps sessions of browsers. */
  readonly sessions: boolean
  /** Folder of the documentation site. */
  readonly site: string
}

const plugin: FastifyPluginAsync<FilesOptions> = async (app, options) => {
  await servePage(app, options)
  serveGuide(app, options.site)
}

// The page. The document has facts about this relay. Names of script and style sheet change with their contents, so
// browsers keep them for good.

/** Names of files whose name changes with their content. */
const hashedOfPage = /-[A-Z0-9]{8}\.(?:js|css)$/

/** Whether `npm run build`, or what starts the relay from its sources, has bundled the page. */
export const hasPage = (): boolean => existsSync(join(pageFolder(), 'index.html'))

async function servePage (app: FastifyInstance, { demo, sessions, site }: FilesOptions): Promise<void> {
  const { settings, accounts } = app.runtime
  const folder = pageFolder()
  const isBuilt = hasPage()

  // Pictures come over https (the relay rewrites their URLs), or from the `imageOrigin` setting. Audio comes from hosts
  // that only the upstream knows, some of them IP addresses without a certificate. `/login` has the same policy,
  // because a policy belongs to a document and not to a view: the person goes on from there, without loading the page
  // anew, to views with covers, and songs play on.
  const headers = pageHeaders({
    images: `'self' data: https:${settings.imageOrigin === '' ? '' : ` ${settings.imageOrigin}`}`,
    media: 'https: http:',
    manifest: "'self'"
  })
  const facts = {
    version,
    upstream: upstreamKind(settings, demo),
    docs: settings.docs,
    guide: hasGuide(site),
    globalCookie: settings.useGlobalCookie,
    ownLogin: settings.fallbackMode || accounts !== undefined,
    sessions,
    polling,
    apps: { alt: scanApps.alt, main: scanApps.main },
    scanPages: scanPagesOf(settings.upstreamOrigin) ?? ''
  }
  const html = isBuilt ? fill(await readFile(join(folder, 'index.html'), 'utf8'), { facts: JSON.stringify(facts) }) : ''
  const config = { cost: 'copy' } as const
  for (const path of ['/', '/login']) app.get(path, { config }, show)

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isBuilt) {
      throw new RelayError('ROUTE_NOT_FOUND', 'The page is not built into this relay. In a checkout of the repository, run npm run build and restart the relay.')
    }
    // Cuts the link to the page that opened this one. Browsers accept that header, and send sec-fetch-site, only on
    // secure connections. Elsewhere they would print a warning.
    if (request.headers['sec-fetch-site'] !== undefined) {
      void reply.header('cross-origin-opener-policy', 'same-origin')
      app.runtime.upstream.calls.warm() // the page sends a request as soon as its script has loaded
    }
    return await reply.headers(headers).type('text/html; charset=utf-8').send(html)
  }

  // The icon is in the first view twice, and would be asked for each time.
  const keptFor = (name: string): string =>
    hashedOfPage.test(name) ? 'private, max-age=31536000, immutable'
      : /\.(?:svg|png)$/.test(name) ? 'private, max-age=3600' : 'no-cache'
  const files = once(async (name) =>
    await readCompressed(folder, name, () => ({ ...headers, 'cache-control': keptFor(name) }))
  )
  for (const file of isBuilt ? await namesIn(folder) : []) {
    const name = file.endsWith('.gz') ? file.slice(0, -'.gz'.length) : undefined
    // A service worker serves the folder that it lies in.
    if (name === undefined) continue
    const path = name === 'sw.js' ? '/sw.js' : `/page/${name}`
    app.get(path, { config }, async (request, reply) => await sendCompressed(request, reply, await files(name)))
  }
}

type Facts = Readonly<Record<string, string | boolean>>

/**
 * Replaces `{{name}}` with that fact. Text between `<!-- if name -->` and `<!-- end -->` remains only if the fact is
 * true.
 */
function fill (html: string, facts: Facts): string {
  const factOf = (name: string): string | boolean => {
    const fact = facts[name]
    if (fact === undefined) throw new Error(`public/: there is no fact ${name} for this page.`)
    return fact
  }
  return html
    .replace(
      /<!-- if (\w+) -->\n?([^]*?)<!-- end -->\n?/g,
      (_all, name: string, part: string) => factOf(name) === true ? part : ''
    )
    .replace(/\{\{(\w+)\}\}/g, (_all, name: string) => escapeUTF8(String(factOf(name))))
}

// The documentation site.

/** Names of files whose name changes with their content. */
const hashedOfGuide = /\.[\w-]{8}(\.lean)?\.(js|css)$/

export const hasGuide = (folder: string): boolean => existsSync(join(folder, 'index.html.gz'))

function serveGuide (app: FastifyInstance, folder: string): void {
  const { publicOrigin } = app.runtime.settings
  /** Path prefix of the relay behind a proxy. The links of the site are absolute. */
  const prefix = publicOrigin === '' ? '' : new URL(publicOrigin).pathname.replace(/\/$/, '')
  const isBuilt = hasGuide(folder)
  const names = once(async () =>
    new Set((await namesIn(folder)).filter((name) => name.endsWith('.gz')).map((name) => name.slice(0, -'.gz'.length)))
  )
  const files = once(async (name) =>
    await readCompressed(
      folder,
      name,
      (text) => headersOf(name, text),
      prefix === '' ? undefined : (text) => text.replaceAll('/guide/', `${prefix}/guide/`)
    )
  )

  function headersOf (name: string, text: string): Record<string, string> {
    // The generator adds two short scripts to each page. They choose light or dark mode before the page is drawn.
    const scripts = !name.endsWith('.html')
      ? []
      : [...text.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(([, script = '']) =>
        `'sha256-${createHash('sha256').update(script).digest('base64')}'`
      )
    return {
      ...pageHeaders({ scripts }),
      'cache-control': hashedOfGuide.test(name) && prefix === '' ? 'private, max-age=31536000, immutable' : 'no-cache'
    }
  }

  /** Returns the file of a path: `login` is login.html, `` and `zh/` are the index.html there. */
  async function fileOf (path: string): Promise<CompressedFile | undefined> {
    const all = await names('')
    const name = [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((each) => all.has(each))
    return name === undefined ? undefined : await files(name)
  }

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isBuilt) {
      throw new RelayError(
        'ROUTE_NOT_FOUND',
        'The guide is not built into this relay. The container image has it. In a checkout, run npm run site and restart the relay.'
      )
    }
    const path = pathOf(request.url)
    if (path === '/guide') return await reply.redirect('guide/')
    const file = await fileOf(path.slice('/guide/'.length))
    if (file === undefined) {
      reply.callNotFound()
      return reply
    }
    return await sendCompressed(request, reply, file)
  }

  const options = { config: { cost: 'copy' } } as const
  app.get('/guide', options, show)
  app.get('/guide/*', options, show)
}

// The page for a person whose browser opens an address without a route. Programs get the error as JSON.

/** The route that was probably meant by a path without a route. */
export interface Proposal {
  /** One sentence, in both languages. */
  readonly sentence: string
  readonly chinese: string
  /** The path has a route, but is written wrongly: a 400 with the sentence. */
  readonly isInput?: true
  /** A route that can be opened directly. */
  readonly path?: string
}

/**
 * Returns whether a request comes from the address bar or a link: it prefers HTML to JSON. Of equal ones the first is
 * preferred.
 */
export function asksForPage ({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.toLowerCase().split(';').map((part) => part.trim())
    return { type, weight: Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1) }
  })
  const [preferred] = ranges.filter(({ type, weight }) =>
    weight > 0 && ['text/html', 'application/json'].includes(type)
  ).sort((a, b) => b.weight - a.weight)
  return (method === 'GET' || method === 'HEAD') && preferred?.type === 'text/html'
}

/** The page of one request, with its headers. */
export type MissingPage = (
  url: string,
  proposal: Proposal | undefined
) => { readonly html: string, readonly headers: Readonly<Record<string, string>> }

/** Reads the page. `guide`, `docs`: whether these pages exist and can be linked. */
export async function createMissingPage (
  there: { readonly guide: boolean, readonly docs: boolean }
): Promise<MissingPage> {
  const text = await readFile(join(pageFolder(), 'missing.html'), 'utf8')
  const headers = { ...pageHeaders(), 'content-type': 'text/html; charset=utf-8' }
  return (url, proposal) => {
    const path = proposal?.path ?? ''
    return {
      headers,
      html: fill(text, {
        ...there,
        // Relative, because a proxy may serve the relay under a path prefix.
        base: '../'.repeat(Math.max(0, pathOf(url).split('/').length - 2)) || './',
        proposed: proposal !== undefined,
        sentence: proposal?.sentence ?? '',
        chinese: proposal?.chinese ?? '',
        linked: path !== '',
        path: path.slice(1)
      })
    }
  }
}

export const files = fp(plugin, { name: 'files', dependencies: ['headers', 'refusals'] })
