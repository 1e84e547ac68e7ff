/** Cleans texts and picture addresses: HTML entities in names, `<br>` in descriptions, http addresses of pictures. */
import { decodeHTML } from 'entities/decode'
import { isLoopbackHost } from '../http/origins.ts'

/**
 * Returns the text with HTML entities decoded (`R&#38;B` becomes `R&B`) and without the highlight tags of search hits
 * (`<em>`), which searches set even if told not to (2026-09).
 */
export function unescapeText (text: string): string {
  const unmarked = text.includes('</em>') ? text.replaceAll(/<\/?em>/gi, '') : text
  return unmarked.includes('&') ? decodeHTML(unmarked) : unmarked
}

/** Like `unescapeText` for a description, whose `<br>` becomes a newline. */
export function plainText (text: string): string {
  return unescapeText(text.replaceAll(/<br\s{0,9}\/?>/gi, '\n'))
}

/** Returns an http or https address, else "". A page would run the text of a `javascript:` address. */
export function webAddress (url: string): string {
  return /^https?:\/\/./i.test(url) && URL.canParse(url) ? url : ''
}

/**
 * Returns a picture's address with https, which all of the upstream's picture hosts support, or "" if it is not an
 * address. Addresses of this machine stay unchanged.
 */
export function httpsPicture (text: string): string {
  const url = webAddress(text.startsWith('//') ? `https:${text}` : text)
  if (!url.startsWith('http://') || isLoopbackHost(new URL(url).hostname)) return url
  return `https://${url.slice('http://'.length)}`
}

/** The kind of item that a picture shows. */
export type PictureKind = 'singer' | 'album' | 'playlist' | 'song'

const pictureKinds: Readonly<Record<PictureKind, string>> = {
  singer: 'T001',
  album: 'T002',
  playlist: 'T003',
  song: 'T062'
}

/** Returns the address of a picture. `id`: a MID, or a MID with a version suffix. `size`: pixels, like `300x300`. */
export function pictureUrl (imageOrigin: string, kind: PictureKind, id: string, size = '300x300'): string {
  return `${imageOrigin}/music/photo_new/${pictureKinds[kind]}R${size}M000${id}.jpg`
}

/** Reads the name of a picture in an address, such as `T002R300x300M000` and an id. Undefined for other texts. */
export function pictureNamed (name: string): { readonly kind: PictureKind, readonly id: string } | undefined {
  const [, prefix, id] = /^(T\d{3})(?:R\d{2,4}x\d{2,4})?M000(\w+)$/.exec(name) ?? []
  const kind = (Object.keys(pictureKinds) as PictureKind[]).find((each) => pictureKinds[each] === prefix)
  return kind === undefined || id === undefined ? undefined : { kind, id }
}

// @mutate readers: reading
