/**
 * Serves the documentation site under /guide, if `npm run site` has built it. Its files are compressed on disk. They are
 * loaded at the first request, so they do not slow down the start.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { addVary, matchesEtag } from './headers.ts'
import { pageHeaders } from './pageHeaders.ts'
import { pathOf } from './paths.ts'

const [compressed, plain] = [promisify(gzip), promisify(gunzip)]

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png'
}

/** Names of files whose name changes with their content. */
const hashed = /\.[\w-]{8}(\.lean)?\.(js|css)$/

/** The folder of the site in this package. */
export const guideFolder = (): string => fileURLToPath(new URL('dist/guide', import.meta.resolve('music-relay/package.json')))

/** Returns whether the folder contains a site. */
export const hasGuide = (folder: string): boolean => existsSync(join(folder, 'index.html.gz'))

/** Options of the plugin. */
export interface GuideOptions { readonly folder: string }

interface File {
  readonly body: Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

const plugin: FastifyPluginAsync<GuideOptions> = async (app, { folder }) => {
  const { publicOrigin } = app.runtime.settings
  /** Path prefix of the relay behind a proxy. The links of the site are absolute. */
  const prefix = publicOrigin === '' ? '' : new URL(publicOrigin).pathname.replace(/\/$/, '')
  const isBuilt = hasGuide(folder)
  let names: Promise<ReadonlySet<string>> | undefined
  /** One buffer per file, even with many slow readers. */
  const files = new Map<string, Promise<File>>()

  async function listed (): Promise<ReadonlySet<string>> {
    names ??= readdir(folder, { recursive: true }).then((all) =>
      new Set(all.filter((name) => name.endsWith('.gz')).map((name) => name.replaceAll('\\', '/').slice(0, -'.gz'.length)))
    )
    return await names.catch((error: unknown) => {
      names = undefined
      throw error
    })
  }

  /** Returns the file of a path: `login` is login.html, `` and `zh/` are the index.html there. */
  async function fileOf (path: string): Promise<File | undefined> {
    const all = await listed()
    const name = [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((each) => all.has(each))
    if (name === undefined) return undefined
    let file = files.get(name)
    if (file === undefined) files.set(name, file = load(name).catch((error: unknown) => { files.delete(name); throw error }))
    return await file
  }

  async function load (name: string): Promise<File> {
    const stored = await readFile(join(folder, `${name}.gz`))
    const type = types[extname(name)]
    const isText = type?.startsWith('image/') !== true
    const text = isText ? (await plain(stored)).toString().replaceAll('/guide/', `${prefix}/guide/`) : ''
    // The generator adds two short scripts to each page. They choose light or dark mode before the page is drawn.
    const scripts = extname(name) === '.html'
      ? [...text.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(([, script = '']) =>
        `'sha256-${createHash('sha256').update(script).digest('base64')}'`
      )
      : []
    const body = prefix === '' || !isText ? stored : await compressed(text)
    return {
      body,
      etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      headers: {
        ...pageHeaders({ scripts }),
        'content-type': type ?? 'text/plain; charset=utf-8',
        'cache-control': hashed.test(name) && prefix === '' ? 'private, max-age=31536000, immutable' : 'no-cache'
      }
    }
  }

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isBuilt) {
      throw new RelayError(
        'ROUTE_NOT_FOUND',
        'The guide is not built into this relay. In a checkout of the repository, run npm run site and restart the relay.'
      )
    }
    const path = pathOf(request.url)
    if (path === '/guide') return await reply.redirect('guide/')
    const file = await fileOf(path.slice('/guide/'.length))
    if (file === undefined) {
      reply.callNotFound()
      return reply
    }
    void reply.headers(file.headers).header('etag', file.etag)
    addVary(reply, 'accept-encoding')
    if (matchesEtag(request.headers['if-none-match'], file.etag)) return await reply.code(304).send()
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''))) return await reply.send(await plain(file.body))
    return await reply.header('content-encoding', 'gzip').send(file.body)
  }

  app.get('/guide', show)
  app.get('/guide/*', show)
}

export const guide = fp(plugin, { name: 'guide', fastify: '5.x', dependencies: ['headers', 'errors'], decorators: { fastify: ['runtime'] } })
