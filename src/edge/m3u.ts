/** Lists of songs as M3U for players, with one address of this relay per line. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput } from '../common/errors.ts'
import type { AnyEndpoint, ListedSong } from '../relay/endpoint.ts'
import { isAbsent } from '../relay/validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller requests the answer as M3U. */
    asM3u: boolean
  }
}

/** Content type of a list in UTF-8. */
export const m3uType = 'audio/x-mpegurl; charset=utf-8'

/** Reads `format` before validation removes it, else the Accept header. Throws InvalidInput for another format. */
export function readFormat (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { format } = request.query as { readonly format?: unknown }
  request.asM3u = isAbsent(format) ? /\baudio\/(?:x-)?mpegurl\b/i.test(request.headers.accept ?? '') : format === 'm3u'
  done(isAbsent(format) || format === 'm3u' || format === 'json' ? undefined
    : new InvalidInput('format: must be one of json, m3u.'))
}

/** Characters that end a line or control a terminal. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const oneLine = (text: string): string => text.replaceAll(controls, ' ').trim()

/**
 * Returns a sentence about a list that is cut: how much of it is here, and the parameter that has the next songs.
 * Undefined if the list is whole, or if nobody knows. `total`: number of songs in all, 0 if unknown. `skipped`: rows
 * that are left out.
 */
export function cutOf (
  { input: { properties } }: Pick<AnyEndpoint, 'input'>,
  input: unknown,
  { shown, skipped, total }: { readonly shown: number, readonly skipped: number, readonly total: number }
): string | undefined {
  // Rows that are left out keep their places.
  const { offset, page, limit = shown + skipped } = input as {
    readonly offset?: number,
    readonly page?: number,
    readonly limit?: number
  }
  // Some endpoints count pages from 0. Where they count from 1, 0 is the first page, too.
  const firstPage = Number(properties['page']?.['default'] ?? 1)
  const onPage = Math.max(page ?? firstPage, firstPage)
  const before = offset ?? (onPage - firstPage) * limit
  if (shown + skipped === 0 || before + limit >= total) return undefined
  const next = offset !== undefined ? `offset=${before + limit}` : page !== undefined ? `page=${onPage + 1}` : ''
  return `${shown} of ${total} songs${before === 0 ? '' : ` from number ${before + 1} on`}${next === '' ? '' : `; ${next} has the next ones`}`
}

/**
 * Returns the list. `origin`: address of this relay. A song without a MID has no address and is left out, which a
 * comment says. In this format, length -1 means unknown. The ending is for devices that skip an address without one;
 * /stream ignores it. `skipped`: further rows that are left out. `cut`: what to say about the songs that are not in
 * this part of the list.
 */
export function m3uOf (songs: readonly ListedSong[], origin: string, skipped = 0, cut?: string): string {
  const missing = skipped + songs.filter(({ mid }) => mid === '').length
  const notes = [...cut === undefined ? [] : [cut], ...missing === 0 ? [] : [`${missing} without a MID are left out`]]
    .map((note) => `# ${note}\n`)
  const rows = songs.filter(({ mid }) => mid !== '').map(({ mid, title, artist, seconds }) =>
    `#EXTINF:${seconds > 0 ? seconds : -1},${oneLine([artist, title].filter((text) => text !== '').join(' - '))}\n${origin}/stream/${encodeURIComponent(mid)}.mp3\n`)
  return `#EXTM3U\n${notes.join('')}${rows.join('')}`
}

// @mutate streams: m3u
