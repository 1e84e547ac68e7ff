/**
 * Static files of the pages and the guide. Each is read with the first request for it and kept as one buffer, however
 * many slow readers it has. The ETag is made of the content: a package manager gives all files the same time, so that
 * size and time, which `@fastify/send` uses, would be the same after an upgrade.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, matchesEtag } from './headers.ts'

const [compressed, plain] = [promisify(gzip), promisify(gunzip)]

/** A path in this package. Its name leads to it, because sources, library and command lie at different depths. */
const packagePath = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve('music-relay/package.json')))

/** Returns the path of a file of public/. */
export const publicFile = (file: string): string => packagePath(`public/${file}`)

/** The folder of the page, which `npm run build` bundles. */
export const pageFolder = (): string => packagePath('dist/page')

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

/** Returns the content type of a file. */
export const typeOf = (name: string): string => types[extname(name)] ?? 'text/plain; charset=utf-8'

/** Returns the names of all files below a folder, with slashes. */
export async function namesIn (folder: string): Promise<string[]> {
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

/** A file that is compressed on disk. */
export interface CompressedFile {
  readonly body: Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads `name.gz`. `change`: what becomes of a text; undefined leaves all files as they are. */
export async function readCompressed (
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
export async function sendCompressed (
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
export interface PageSources {
  readonly images?: string
  readonly scripts?: readonly string[]
  readonly media?: string
  readonly manifest?: string
}

/** Headers of HTML pages and of their files: no scripts of other hosts, no frame around it, and no cache. */
export const pageHeaders = (
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
