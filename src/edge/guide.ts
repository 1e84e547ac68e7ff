/**
 * Serves the documentation site under /guide, if `npm run site` has built it. Its files are compressed on disk. They
 * are loaded at the first request, so they do not slow down the start.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { namesIn, once, pageHeaders, readCompressed, sendCompressed, type CompressedFile } from './files.ts'
import { pathOf } from './paths.ts'

/** Names of files whose name changes with their content. */
const hashed = /\.[\w-]{8}(\.lean)?\.(js|css)$/

/** Returns whether the folder contains a site. */
export const hasGuide = (folder: string): boolean => existsSync(join(folder, 'index.html.gz'))

/** Options of the plugin. */
export interface GuideOptions { readonly folder: string }

const plugin: FastifyPluginAsync<GuideOptions> = async (app, { folder }) => {
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
      'cache-control': hashed.test(name) && prefix === '' ? 'private, max-age=31536000, immutable' : 'no-cache'
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

export const guide = fp(plugin, {
  name: 'guide',
  fastify: '5.x',
  dependencies: ['headers', 'errors'],
  decorators: { fastify: ['runtime'] }
})
