/**
 * Serves the pages / and /login from the files of public/. Scripts and styles are sent unchanged. The two HTML documents are
 * filled in at the start with facts about this relay: once for its operator, once for everybody else.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { escapeUTF8 } from 'entities/escape'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { upstreamKind } from '../core/config.ts'
import { polling, scanApps, scanPagesOf } from '../upstream/login/scan.ts'
import { operatorCheck } from './operator.ts'
import { pageHeaders } from './pageHeaders.ts'
import { version } from '../common/version.ts'

/** Scripts and styles of each page. Their URL paths equal their file paths. */
const files = {
  front: [
    ...[
      'script',
      'controls',
      'links',
      'lyric',
      'memory',
      'ownLogin',
      'panel',
      'place',
      'player',
      'queue',
      'queueView',
      'refusal',
      'relay',
      'rows',
      'state',
      'trending',
      'troubles'
    ].map((name) => `front/${name}.js`),
    'front/style.css'
  ],
  login: ['login/script.js', 'login/stored.js', 'login/style.css'],
  shared: [...['copy', 'dom', 'failure', 'language', 'wayBack', 'zh', 'zhFailures'].map((name) => `shared/${name}.js`), 'shared/base.css']
} as const

/** Options of the plugin. */
export interface PagesOptions {
  /** Whether the upstream is the demo upstream of this project. */
  readonly demo: boolean
  /** Whether logins can be stored as accounts. */
  readonly storesLogins: boolean
  /** Whether the relay has the documentation site. */
  readonly guide: boolean
}

const plugin: FastifyPluginAsync<PagesOptions> = async (app, { demo, storesLogins, guide }) => {
  const { settings, accounts } = app.runtime
  const isOperator = operatorCheck(settings)
  const upstream = upstreamKind(settings, demo)
  const scanPages = scanPagesOf(settings.upstreamOrigin)

  // Pictures come over https (the relay rewrites their URLs), or from the `imageOrigin` setting. Audio comes from hosts that only
  // the upstream knows, some of them IP addresses without a certificate.
  const frontHeaders = pageHeaders({ images: `'self' data: https:${settings.imageOrigin === '' ? '' : ` ${settings.imageOrigin}`}`, media: 'https: http:' })
  // The login page shows a cookie, so it loads nothing from other hosts.
  const ownHeaders = pageHeaders()

  await addDocument('/', 'index.html', frontHeaders, () => ({
    version,
    docs: settings.docs,
    guide,
    globalCookie: settings.useGlobalCookie ? 'on' : 'off',
    ownLogin: settings.fallbackMode || accounts !== undefined,
    demo: upstream === 'demo',
    live: upstream === 'live',
    otherOrigin: upstream === 'another origin'
  }))
  await addDocument('/login', 'login.html', ownHeaders, (isForOperator) => ({
    altApp: scanApps.alt,
    mainApp: scanApps.main,
    polling: JSON.stringify(polling),
    demo: scanPages !== undefined,
    scanPages: scanPages ?? '',
    storesLogins: storesLogins && isForOperator
  }))
  for (const file of files.front) await addFile(file, frontHeaders)
  for (const file of [...files.login, ...files.shared]) await addFile(file, ownHeaders)

  async function addDocument (path: string, file: string, headers: Record<string, string>, factsFor: (isForOperator: boolean) => Facts): Promise<void> {
    const text = await readFile(publicFile(file), 'utf8')
    const [html, forOperator] = [fill(text, factsFor(false)), fill(text, factsFor(true))]
    app.get(path, async (request, reply) => {
      // Cuts the link to the page that opened this one. Browsers accept that header, and send sec-fetch-site, only on secure
      // connections. Elsewhere they would print a warning.
      if (request.headers['sec-fetch-site'] !== undefined) {
        void reply.header('cross-origin-opener-policy', 'same-origin')
        app.runtime.upstream.warm() // the page sends a request as soon as its script has loaded
      }
      return await reply.headers(headers).type('text/html; charset=utf-8').send(isOperator(request) ? forOperator : html)
    })
  }

  async function addFile (file: string, headers: Record<string, string>): Promise<void> {
    const text = await readFile(publicFile(file), 'utf8')
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript'
    app.get(`/${file}`, async (_request, reply) => await reply.headers(headers).type(`${type}; charset=utf-8`).send(text))
  }
}

/** Returns the path of a file of public/. The package name leads to it, because sources, library and command lie at different depths. */
export const publicFile = (file: string): string => fileURLToPath(new URL(`public/${file}`, import.meta.resolve('music-relay/package.json')))

type Facts = Readonly<Record<string, string | boolean>>

/** Replaces `{{name}}` with that fact. Text between `<!-- if name -->` and `<!-- end -->` remains only if the fact is true. */
export function fill (html: string, facts: Facts): string {
  const factOf = (name: string): string | boolean => {
    const fact = facts[name]
    if (fact === undefined) throw new Error(`public/: there is no fact ${name} for this page.`)
    return fact
  }
  return html
    .replace(/<!-- if (\w+) -->\n?([^]*?)<!-- end -->\n?/g, (_all, name: string, part: string) => factOf(name) === true ? part : '')
    .replace(/\{\{(\w+)\}\}/g, (_all, name: string) => escapeUTF8(String(factOf(name))))
}

export const pages = fp(plugin, { name: 'pages', fastify: '5.x', dependencies: ['headers', 'endpoints'], decorators: { fastify: ['runtime'] } })
