/** Cleans texts and picture addresses: HTML entities in names, `<br>` in descriptions, http addresses of pictures. */
import { decodeHTML } from 'entities/decode'
import { isLoopbackHost } from '../http/origins.ts'

/** Decodes HTML entities: `R&#38;B` becomes `R&B`. */
export function unescapeText (text: string): string {
  return text.includes('&') ? decodeHTML(text) : text
}

/** Returns a description as plain text: entities decoded, `<br>` as newline, highlight marks (`<em>`) dropped. */
export function plainText (text: string): string {
  return unescapeText(text.replaceAll(/<br\s{0,9}\/?>/gi, '\n').replaceAll(/<\/?em>/gi, ''))
}

/**
 * Returns a picture's address with https, which all of the upstream's picture hosts
 * support. Addresses of this machine stay as they are.
 */
export function httpsPicture (url: string): string {
  if (url.startsWith('//')) return `https:${url}`
  if (!url.startsWith('http://') || !URL.canParse(url) || isLoopbackHost(new URL(url).hostname)) return url
  return `https://${url.slice('http://'.length)}`
}

/** What a picture shows. */
export type PictureKind = 'singer' | 'album' | 'playlist' | 'song'

const pictureKinds: Readonly<Record<PictureKind, string>> = { singer: 'T001', album: 'T002', playlist: 'T003', song: 'T062' }

/** Returns the address of a picture. `id`: a MID, or a MID with a version suffix. `size`: pixels, like `300x300`. */
export function pictureUrl (imageOrigin: string, kind: PictureKind, id: string, size = '300x300'): string {
  return `${imageOrigin}/music/photo_new/${pictureKinds[kind]}R${size}M000${id}.jpg`
}
