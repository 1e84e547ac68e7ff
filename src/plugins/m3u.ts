/** Lists of songs as M3U for players, with one address of this relay per line. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput } from '../common/errors.ts'
import type { ListedSong } from '../core/endpoint.ts'
import { isAbsent } from '../core/validate.ts'

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
  done(isAbsent(format) || format === 'm3u' || format === 'json' ? undefined : new InvalidInput('format: must be one of json, m3u.'))
}

/** Characters that end a line or control a terminal. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const oneLine = (text: string): string => text.replaceAll(controls, ' ').trim()

/**
 * Returns the list. `origin`: address of this relay. A song without a MID has no address and is left out. In this format,
 * length -1 means unknown. The ending is for devices that skip an address without one; /stream ignores it.
 */
export function m3uOf (songs: readonly ListedSong[], origin: string): string {
  const rows = songs.filter(({ mid }) => mid !== '').map(({ mid, title, artist, seconds }) =>
    `#EXTINF:${seconds > 0 ? seconds : -1},${oneLine([artist, title].filter((text) => text !== '').join(' - '))}\n${origin}/stream/${encodeURIComponent(mid)}.mp3\n`)
  return `#EXTM3U\n${rows.join('')}`
}

// @mutate streams: m3u
