/**
 * Reads links to songs, albums, singers, playlists, charts and MVs, as users share them from the site, the programs and
 * phones. Sources: clients and live tests of 2026; the forms of 2018 and before come from old clients.
 */
import { decodeHTML } from 'entities/decode'
import { hosts, siteHost, type HostName } from '../http/origins.ts'

/** Types of items that a link can name. */
export type LinkedType = 'song' | 'album' | 'singer' | 'playlist' | 'chart' | 'mv'

/** The item that a link names: number, MID, or both. '': not in the link. */
export interface LinkedItem {
  readonly type: LinkedType
  readonly id: string
  /** MID, or vid of an MV. */
  readonly mid: string
  /** Some songs have a number of another kind, which is valid only together with this type. 0: an ordinary song. */
  readonly songType: number
}

/** A link that redirects to the item. Only the token is variable: host and path are constants. */
export interface ShortLink { readonly host: HostName & ('classic' | 'profile'), readonly token: string }

/** Path of short links. */
export const shortLinkPath = '/base/fcgi-bin/u'

const shortLinkHosts = ['classic', 'profile'] as const

/**
 * Path of a page, and the item that its last part names. Some users append parameters to it. `_num` marked numbers of
 * songs (2018).
 */
const routes = /^\/(?:n\/(?:ryqq|ryqq_v2|yqq)|portal)\/(song|songDetail|album|albumDetail|singer|playlist|playsquare|toplist|mv)(?:\/v)?\/([0-9A-Za-z_]{1,32}?)(?:_num)?(?:\.html)?\/?(?:&.*)?$/

const typeOfRoute: Readonly<Record<string, LinkedType>> = {
  song: 'song',
  songDetail: 'song',
  album: 'album',
  albumDetail: 'album',
  singer: 'singer',
  playlist: 'playlist',
  playsquare: 'playlist',
  toplist: 'chart',
  mv: 'mv'
}

/**
 * Pages that name the item in parameters. The page decides the type: the same `id` means a song, an album or a
 * playlist.
 */
const pages: readonly (readonly [page: RegExp, type: LinkedType, parameters: readonly string[]])[] = [
  // The address of the audio in cards of chats ends in `.fcg`.
  [/\/playsong(?:\/index)?\.html$|\/outchain\/player\/index\.html$|\/fcg_pyq_play\.fcg$/, 'song', [
    'songmid',
    'songid'
  ]],
  [
    /\/(?:taoge|interactive_playlist|playlist|playlist\/detail)\.html$|\/(?:taoge|personalized_playlist_v2)\/index\.html$/,
    'playlist',
    ['id', 'disstid']
  ],
  [/\/album(?:\/detail)?\.html$/, 'album', ['albummid', 'albumMid', 'albumId', 'albumid', 'id']],
  [/\/singer\.html$|\/profile_v2\/index\.html$/, 'singer', ['singermid', 'singerMid']],
  [/\/toplist\.html$/, 'chart', ['id']],
  [/\/mv\.html$/, 'mv', ['vid']]
]

/** Types in the fragment of links before 2017, which are still in old posts: `#type=song&mid=`. */
const typeOfFragment: Readonly<Record<string, LinkedType>> = {
  song: 'song',
  album: 'album',
  singer: 'singer',
  taoge: 'playlist',
  playsquare: 'playlist',
  playlist: 'playlist',
  toplist: 'chart',
  mv: 'mv'
}

/** Returns a short link. */
export const shortLinkOf = (token: string): string => `https://${hosts.profile}${shortLinkPath}?__=${token}`

const isNumber = (text: string): boolean => /^[1-9]\d{0,18}$/.test(text)
const isMid = (text: string): boolean => /^[0-9A-Za-z_]{1,32}$/.test(text)

/** Types whose numbers the interface accepts, and types with MIDs. */
const numbered: ReadonlySet<LinkedType> = new Set(['song', 'album', 'playlist', 'chart'])
const withMid: ReadonlySet<LinkedType> = new Set(['song', 'album', 'singer', 'mv'])
/** Current MIDs have so many characters, and a few are digits only. */
export const midLength = 14

/**
 * Returns the item for these values, from the first number and the first MID among them. Undefined if they name none.
 */
function itemOf (type: LinkedType, values: readonly string[], songType: string | null): LinkedItem | undefined {
  const isId = (text: string): boolean =>
    isNumber(text) && numbered.has(type) && !(withMid.has(type) && text.length === midLength)
  const id = values.find(isId) ?? ''
  const mid = withMid.has(type) ? values.find((text) => isMid(text) && !/^\d{1,13}$/.test(text)) ?? '' : ''
  if (id === '' && mid === '') return undefined
  return {
    type,
    id,
    mid,
    songType: type === 'song' && songType !== null && /^\d{1,6}$/.test(songType) ? Number(songType) : 0
  }
}

/** Reads one address. Undefined: not of the provider, or it names no item. The address itself is never requested. */
function readAddress (text: string): LinkedItem | ShortLink | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, username, password, pathname, searchParams, hash } = new URL(text)
  if (
    !/^https?:$/.test(protocol) || username !== '' || password !== ''
    || !(host === siteHost || host.endsWith(`.${siteHost}`))
  ) { return undefined }
  const route = routes.exec(pathname)
  const songType = searchParams.get('songtype') ?? searchParams.get('type')
  if (route !== null) return itemOf(typeOfRoute[route[1] as string] as LinkedType, [route[2] as string], songType)
  const shortHost = shortLinkHosts.find((name) => hosts[name] === host)
  const token = searchParams.get('__') ?? ''
  if (pathname === shortLinkPath && shortHost !== undefined) {
    return /^[0-9A-Za-z]{1,64}$/.test(token) ? { host: shortHost, token } : undefined
  }
  if (pathname === '/' && hash.startsWith('#type=')) return itemOfFragment(new URLSearchParams(hash.slice(1)))
  const page = pages.find(([form]) => form.test(pathname))
  return page === undefined ? undefined
    : itemOf(page[1], page[2].flatMap((name) => searchParams.get(name) ?? []), songType)
}

function itemOfFragment (parameters: URLSearchParams): LinkedItem | undefined {
  const name = parameters.get('type') ?? ''
  const type = Object.hasOwn(typeOfFragment, name) ? typeOfFragment[name] : undefined
  return type === undefined ? undefined
    : itemOf(type, ['mid', 'vid', 'id'].flatMap((each) => parameters.get(each) ?? []), null)
}

// Texts around links: the words of an app, cards and codes of chats, markup, and addresses that were encoded on their
// way.

const withoutScheme = new RegExp(`^[:=(\\[,;|]{0,3}(?://)?(?=(?:[\\w-]+\\.)*${siteHost.replaceAll('.', '\\.')}(?:/|%(?:25){0,2}2f))`, 'i')

/** How often a text may have been encoded. */
const mostLayers = 3

/** ASCII characters as chats, pages and JSON write them: `&#44;`, `&amp;`, `\u0026`. */
const written = /&(?:amp|quot|lt|gt|#\d{2,3}|#x[2-7][\da-f]);|\\u00[2-7][\da-f]/gi
const named: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>' }

function characterOf (code: string): string {
  const [, decimal, hex] = /^&#(\d+);$|(?:x|u00)([\da-f]{2});?$/i.exec(code) ?? []
  const point = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal)
  if (Number.isNaN(point)) return named[code.slice(1, -1).toLowerCase()] ?? code
  return point > 31 && point < 127 ? String.fromCharCode(point) : code
}

/** Decodes a text that chats and pages have encoded, each once. */
function decoded (text: string): string {
  let plain = text
  for (let layer = 0; layer < mostLayers; layer++) {
    const before = plain
    plain = plain.replaceAll(written, characterOf).replaceAll(/\\{1,4}\//g, '/')
    if (plain === before) break
  }
  return plain
}

/** Decodes an address that was a parameter of another one. What follows its scheme, or its host, is encoded in it. */
function percentDecoded (address: string): string {
  let plain = address
  for (let layer = 0; layer < mostLayers && /^https?(?:%|:\/\/[\w.-]{1,99}%)/i.test(plain); layer++) {
    try {
      plain = decodeURIComponent(plain)
    } catch {
      return address
    }
  }
  return plain
}

/**
 * Yields the addresses in a text, which may be copied from an app, with a title before the link, or a chat card in
 * JSON. If other characters follow an address without a space, the part before them is yielded, too.
 */
function* addressesIn (text: string): Generator<string> {
  // Printable ASCII without quotes, angle brackets and the backslash, which a URL parser would read as a slash.
  for (const [word] of decoded(text).matchAll(/[!#-&(-;=?-[\]-~]+/g)) {
    const at = word.search(/https?(?::\/\/|%(?:25){0,2}3a%(?:25){0,2}2f)/i)
    if (at === -1 && !withoutScheme.test(word)) continue
    const address = percentDecoded(at === -1 ? `https://${word.replace(withoutScheme, '')}` : word.slice(at)).replace(
      /[!),.;?\]}]{1,9}$/,
      ''
    )
    yield address
    const start = address.indexOf('/', 'https://'.length)
    const end = start === -1 ? -1 : address.slice(start).search(/[@()[\]{},;|*~`!]/)
    if (end !== -1) yield address.slice(0, start + end)
  }
}

/** Codes of chat programs for a song of the provider: the CQ code, and the segment of OneBot. */
const songCodes = [
  /\[CQ:music,type=qq,id=([1-9]\d{0,18})\b/,
  /"type"\s{0,9}:\s{0,9}"qq"\s{0,9},\s{0,9}"id"\s{0,9}:\s{0,9}"?([1-9]\d{0,18})\b/
] as const

/**
 * Returns the item of the first link in a text that names one, else of the first code of a chat; undefined if none
 * does.
 */
export function linkIn (text: string): LinkedItem | ShortLink | undefined {
  for (const address of addressesIn(text)) {
    const found = readAddress(address)
    if (found !== undefined) return found
  }
  for (const code of songCodes) {
    const id = code.exec(text)?.[1]
    if (id !== undefined) return { type: 'song', id, mid: '', songType: 0 }
  }
  return undefined
}

/** Maximum number of characters of a page that are searched. */
const mostOfPage = 200_000

/**
 * Returns the target of a short link's page in the form of 2018: an HTML page with the address, which its parameter
 * `no_redirect` distinguishes from other links of the page. Undefined if there is none.
 */
export function linkOfPage (html: string): LinkedItem | undefined {
  for (const address of addressesIn(decodeHTML(html.slice(0, mostOfPage)))) {
    const found = /[?&]no_redirect\b/.test(address) ? readAddress(address) : undefined
    if (found !== undefined && !('token' in found)) return found
  }
  return undefined
}
