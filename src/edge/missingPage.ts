/** The page for a person whose browser opens an address without a route. Programs get the error as JSON. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { pageFolder, pageHeaders } from './files.ts'
import { fill } from './pages.ts'
import { pathOf } from './paths.ts'

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
        base: '../'.repeat(Math.max(0, pathOf(url).split('/').length - 2)) || './/',
        proposed: proposal !== undefined,
        sentence: proposal?.sentence ?? '',
        chinese: proposal?.chinese ?? '',
        linked: path !== '',
        path: path.slice(1)
      })
    }
  }
}
