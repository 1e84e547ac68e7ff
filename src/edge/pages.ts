/**
 * Serves the page at / and /login, which are one document, and its files, which `npm run build` bundles into dist/page.
 * The document has facts about this relay. Names of script and style sheet change with their contents, so browsers keep
 * them for good.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeUTF8 } from 'entities/escape'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { version } from '../common/version.ts'
import { upstreamKind } from '../relay/settings.ts'
import { polling, scanApps, scanPagesOf } from '../upstream/login/scan.ts'
import { namesIn, once, pageFolder, pageHeaders, readCompressed, sendCompressed } from './files.ts'

/** Options of the plugin. */
export interface PagesOptions {
  /** Whether the upstream is the demo upstream of this project. */
  readonly demo: boolean
  /** Whether the relay keeps sessions of browsers. */
  readonly sessions: boolean
  /** Whether the relay has the documentation site. */
  readonly guide: boolean
}

/** Names of files whose name changes with their content. */
const hashed = /-[A-Z0-9]{8}\.(?:js|css)$/

/** Whether `npm run build`, or what starts the relay from its sources, has bundled the page. */
export const hasPage = (): boolean => existsSync(join(pageFolder(), 'index.html'))

const plugin: FastifyPluginAsync<PagesOptions> = async (app, { demo, sessions, guide }) => {
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
    guide,
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
    hashed.test(name) ? 'private, max-age=31536000, immutable'
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
export function fill (html: string, facts: Facts): string {
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

export const pages = fp(plugin, {
  name: 'pages',
  fastify: '5.x',
  dependencies: ['headers', 'endpoints'],
  decorators: { fastify: ['runtime'] }
})
