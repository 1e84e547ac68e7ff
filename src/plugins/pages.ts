/**
 * Serves the pages / and /login from the files of public/. Scripts and styles are sent unchanged. The two HTML documents are
 * filled in at the start with facts about this relay: once for its operator, once for everybody else.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { escapeUTF8 } from 'entities/escape'
import { readFile } from 'node:fs/promises'
import { upstreamKind } from '../core/config.ts'
import { polling, scanApps, scanPagesOf } from '../upstream/login/scan.ts'
import { namesIn, once, pageHeaders, publicFile, typeOf } from './files.ts'
import { operatorCheck } from './operator.ts'
import { version } from '../common/version.ts'

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
  // Scripts and styles. Their URL paths equal their file paths.
  const textOf = once(async (file) => await readFile(publicFile(file)))
  for (const [folder, headers] of Object.entries({ front: frontHeaders, login: ownHeaders, shared: ownHeaders })) {
    for (const name of await namesIn(publicFile(folder))) {
      app.get(`/${folder}/${name}`, { config: { cost: 'copy' } }, async (_request, reply) =>
        await reply.headers(headers).type(typeOf(name)).send(await textOf(`${folder}/${name}`)))
    }
  }

  async function addDocument (path: string, file: string, headers: Record<string, string>, factsFor: (isForOperator: boolean) => Facts): Promise<void> {
    const text = await readFile(publicFile(file), 'utf8')
    const [html, forOperator] = [fill(text, factsFor(false)), fill(text, factsFor(true))]
    app.get(path, { config: { cost: 'copy' } }, async (request, reply) => {
      // Cuts the link to the page that opened this one. Browsers accept that header, and send sec-fetch-site, only on secure
      // connections. Elsewhere they would print a warning.
      if (request.headers['sec-fetch-site'] !== undefined) {
        void reply.header('cross-origin-opener-policy', 'same-origin')
        app.runtime.upstream.warm() // the page sends a request as soon as its script has loaded
      }
      return await reply.headers(headers).type('text/html; charset=utf-8').send(isOperator(request) ? forOperator : html)
    })
  }
}

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
