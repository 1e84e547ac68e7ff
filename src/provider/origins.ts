/** The upstream's hosts. Nothing else is ever contacted. */
import { RelayError } from '../errors.ts'

/** Logical names and the hosts behind them. */
export const hosts = {
  /** Batch gateway: module and method pairs in a JSON body. */
  musicu: 'u.y.qq.com',
  /** Classic CGI calls. */
  classic: 'c.y.qq.com',
  /** The classic host of personal pages. */
  profile: 'c6.y.qq.com',
  /** Main login channel: QR picture and its state. */
  mainQr: 'ssl.ptlogin2.qq.com',
  /** Main login channel: the confirmed scan becomes cookies of the next host. */
  mainSign: 'ssl.ptlogin2.graph.qq.com',
  /** Main login channel: those cookies become a code. */
  mainAuthorise: 'graph.qq.com',
  /** Alternative login channel: page and QR picture. */
  altQr: 'open.weixin.qq.com',
  /** Alternative login channel: the long poll. */
  altPoll: 'lp.open.weixin.qq.com'
} as const

export type HostName = keyof typeof hosts

/** Root of playable addresses when the upstream names none (observed constant of several clients, 2026). */
export const streamRoot = 'https://isure.stream.qqmusic.qq.com/'

/** The page a finished main login is sent to: read out of an answer, never contacted. */
export const siteHost = 'y.qq.com'

/** Where pictures live; part of answers only, never contacted. */
export const imageOrigin = 'https://y.gtimg.cn'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

export function isLoopbackHost (hostname: string): boolean {
  return loopback.has(hostname) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** The same for a name or address to listen on, where IPv6 has no brackets. */
export function isLoopbackName (host: string): boolean {
  return isLoopbackHost(host.includes(':') ? `[${host}]` : host)
}

/** An origin that may stand in for the upstream: https anywhere, http only on this machine. */
export function checkOrigin (text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain = url !== null && url.username === '' && url.password === '' && url.pathname === '/' && url.search === '' && url.hash === ''
  if (url === null || !plain || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)))) {
    throw new RelayError('INVALID_INPUT', `${name}: must be an origin such as https://mirror.example or http://127.0.0.1:4200 (http on loopback only, no path).`)
  }
  return url.origin
}

/** Where a request to this host really goes: `https://<host>`, or the override. */
export function originOf (host: HostName, override: string | undefined): string {
  return override ?? `https://${hosts[host]}`
}
