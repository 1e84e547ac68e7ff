/** The upstream's hosts. The relay contacts only these, or a configured replacement. */
import { RelayError } from '../../common/errors.ts'

/** Logical names and their hosts. */
export const hosts = {
  /** Batch gateway: module and method pairs in a JSON body. */
  musicu: 'u.y.qq.com',
  /** Two more names of the batch gateway. */
  musicuSz: 'szu.y.qq.com',
  musicuSh: 'shu.y.qq.com',
  /** Classic CGI calls. */
  classic: 'c.y.qq.com',
  /** The classic host of personal pages. */
  profile: 'c6.y.qq.com',
  /** Main login channel: QR picture and its state. */
  mainQr: 'ssl.ptlogin2.qq.com',
  /** Main login channel: exchanges the confirmed scan for cookies of the next host. */
  mainSign: 'ssl.ptlogin2.graph.qq.com',
  /** Main login channel: exchanges those cookies for a code. */
  mainAuthorise: 'graph.qq.com',
  /** Alternative login channel: page and QR picture. */
  altQr: 'open.weixin.qq.com',
  /** Alternative login channel: the long poll. */
  altPoll: 'lp.open.weixin.qq.com'
} as const

/** Logical name of an upstream host. */
export type HostName = keyof typeof hosts

/** Root of playable addresses, used when the upstream names none (observed constant of several clients, 2026). */
export const streamRoot = 'https://isure.stream.qqmusic.qq.com/'

/** Hosts of audio files. A name that begins with a dot stands for all names below it (clients, 2026). */
export const audioHosts = ['.stream.qqmusic.qq.com', '.music.tc.qq.com', 'aqqmusic.tc.qq.com'] as const

/** Returns an address of the upstream without user name and password. Undefined for all other texts. */
export function plainAddress (text: string): URL | undefined {
  // A URL parser would read a backslash as a slash and skip control characters; valid addresses contain neither.
  if (!/^[!-[\]-~]{1,4096}$/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

/**
 * Returns the address of an audio file with https on a host of the provider, or on `originOverride`. Undefined for all
 * other texts. They come from upstream answers, which must not decide where the relay connects or where it sends a
 * player.
 */
export function listedAudio (text: string, originOverride: string | undefined): URL | undefined {
  const url = plainAddress(text)
  if (url === undefined || url.origin === originOverride) return url
  const isListed = audioHosts.some((name) => name.startsWith('.') ? url.host.endsWith(name) : url.host === name)
  return isListed && url.protocol === 'https:' ? url : undefined
}

/**
 * Returns the address of a picture on the origin of pictures, or on `originOverride`. Undefined for all other texts.
 */
export function listedPicture (text: string, origin: string, originOverride: string | undefined): URL | undefined {
  const url = plainAddress(text)
  return url !== undefined && (url.origin === origin || url.origin === originOverride) ? url : undefined
}

/** Host that a finished main login redirects to: read from an answer, never contacted. */
export const siteHost = 'y.qq.com'

/** Origin of pictures. Contacted only for a relay that passes pictures on. */
export const imageOrigin = 'https://y.gtimg.cn'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a URL's hostname is this machine. IPv6 has brackets. */
export function isLoopbackHost (hostname: string): boolean {
  return loopback.has(hostname) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Returns a URL's hostname without the brackets of an IPv6 address, as connections need it. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Whether a name or address to listen on is this machine. IPv6 has no brackets. */
export function isLoopbackName (host: string): boolean {
  return isLoopbackHost(host.includes(':') ? `[${host}]` : host)
}

/**
 * Returns the normalised origin of `text`: https on any host, http only on this machine.
 * Throws RelayError (INVALID_INPUT) otherwise; `name` is the setting in the error message.
 */
export function checkOrigin (text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain = url !== null && url.username === '' && url.password === '' && url.pathname === '/' && url.search === ''
    && url.hash === ''
  if (
    url === null || !plain || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)))
  ) {
    throw new RelayError(
      'INVALID_INPUT',
      `${name}: must be an origin such as https://mirror.example or http://127.0.0.1:4200 (http on loopback only, no path).`
    )
  }
  return url.origin
}

/** Returns the origin to connect to: `https://<host>`, or the override. */
export function originOf (host: HostName, override: string | undefined): string {
  return override ?? `https://${hosts[host]}`
}
