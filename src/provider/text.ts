/** Texts as the upstream writes them: HTML entities in names, `<br>` in descriptions, base64 in lyrics, http pictures. */
import { decode } from 'html-entities'
import { isLoopbackHost } from './origins.ts'

/** `R&#38;B` to `R&B`. */
export function unescapeText (text: string): string {
  return text.includes('&') ? decode(text) : text
}

/** A description: entities decoded, `<br>` as newline, highlight marks dropped. */
export function plainText (text: string): string {
  return unescapeText(text.replaceAll(/<br\s{0,9}\/?>/gi, '\n').replaceAll(/<\/?em>/gi, ''))
}

/** The same picture over https, which all of the upstream's picture hosts serve; another machine's stays as it is. */
export function httpsPicture (url: string): string {
  if (url.startsWith('//')) return `https:${url}`
  if (!url.startsWith('http://') || !URL.canParse(url) || isLoopbackHost(new URL(url).hostname)) return url
  return `https://${url.slice('http://'.length)}`
}

export type PictureKind = 'singer' | 'album' | 'playlist' | 'song'

const pictureKinds: Readonly<Record<PictureKind, string>> = { singer: 'T001', album: 'T002', playlist: 'T003', song: 'T062' }

/** Address of a picture by its id (a MID, or a MID with a version suffix). */
export function pictureUrl (imageOrigin: string, kind: PictureKind, id: string, size = '300x300'): string {
  return `${imageOrigin}/music/photo_new/${pictureKinds[kind]}R${size}M000${id}.jpg`
}
