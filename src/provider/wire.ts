/**
 * Framing: what a call looks like on the wire.
 * The upstream has two doors: the batch gateway (named module/method pairs in one JSON POST) and the classic CGIs
 * (GET, JSON or JSONP). Forms recorded 2026-08-06.
 */
import { hosts } from './origins.ts'
import { cookieHeader, tokenOf } from './credentials.ts'
import type { Credential } from './credentials.ts'
import type { ClassicAsk, CommKind, MusicuAsk } from './upstream.ts'

export const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const mobileApp = 'QQMusic 14090008(android 12)'

/** Referer of ordinary pages; classic calls refuse without one. */
export const siteReferer = 'https://y.qq.com/'
export const playerReferer = 'https://y.qq.com/portal/player.html'
export const profileReferer = 'https://y.qq.com/portal/profile.html'
export const playlistReferer = 'https://y.qq.com/n/yqq/playlist'

/** Parameters that most classic calls carry; `g_tk` and `loginUin` are replaced when there is a credential. */
export const classicFiller = {
  g_tk: '5381',
  loginUin: '0',
  hostUin: '0',
  inCharset: 'utf8',
  outCharset: 'utf-8',
  notice: '0',
  platform: 'yqq.json',
  needNewCode: '0'
} as const

/** Words of the wire that contain the provider's own name; calls of endpoints take them from here. */
export const ownWords = {
  desktopSearch: 'DoSearchForQQMusicDesktop',
  phoneSearch: 'DoSearchForQQMusicMobile',
  phoneHotkeys: 'GetHotkeyForQQMusicMobile',
  desktopHotkeys: 'GetHotkeyForQQMusicPC',
  desktopHotkeyModule: 'tencent_musicsoso_hotkey.HotkeyService',
  focusModule: 'QQMusic.MusichallServer'
} as const

/** Parameter of calls that may be asked for an account: for none. */
export const nobody = { qq: '' } as const

/** What the site's search page sends besides the words. */
export const searchFiller = { ...classicFiller, remoteplace: 'txt.yqq.song', ct: '24', qqmusic_ver: '1298' } as const

/** The `comm` blocks a call may ask for. `web` is the recorded anonymous web block and the default. */
const commBlocks = {
  web: { ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: 0, need_new_code: 1 },
  /** The desktop program; search there needs it, with text values. */
  desktop: { ct: '19', cv: '1859', uin: '0' },
  /** An older one, which asks for hot words. */
  olderDesktop: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' },
  /** The phone program. */
  mobile: { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' },
  /** The web's playlist square. */
  plaza: { ct: 20, cv: 1602 },
  /** The Windows program's home page: other values show other shelves (2024-03). */
  feed: { ct: 20, cv: 1770, platform: 'wk_v17', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', uid: '', guid: '' }
} as const satisfies Record<CommKind, object>

/** What goes to the network: host and path are fixed by the call, so a caller can choose neither. */
export interface WireRequest {
  readonly host: keyof typeof hosts
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

function headersOf (referer: string, credential: Credential | undefined, agent: string): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': agent, referer, accept: '*/*', 'accept-encoding': 'gzip, br' }
  if (credential !== undefined) headers['cookie'] = cookieHeader(credential)
  return headers
}

/** The key of the n-th call in a batch body. */
export const batchKey = (index: number): string => `req_${index}`

/** Several calls in one POST. All of one body share a `comm` block, so calls with different blocks do not mix. */
export function musicuRequest (asks: readonly MusicuAsk[], credential: Credential | undefined): WireRequest {
  const kind = asks[0]?.comm ?? 'web'
  const token = tokenOf(credential)
  const comm: Record<string, unknown> = { ...commBlocks[kind] }
  if (kind === 'web') Object.assign(comm, { g_tk: token, g_tk_new_20200303: token })
  // Account numbers are text: the ids of the alternative channel have 19 digits.
  if (credential !== undefined && kind === 'mobile') {
    Object.assign(comm, { qq: credential.uin, authst: credential.key, tmeLoginType: credential.loginType })
  } else if (credential !== undefined) {
    Object.assign(comm, { uin: credential.uin, g_tk: token, g_tk_new_20200303: token })
    if (asks.some((ask) => ask.authst === true)) comm['authst'] = credential.key
  }
  const body: Record<string, unknown> = { comm }
  asks.forEach(({ module, method, param }, index) => { body[batchKey(index)] = { module, method, param } })
  return {
    host: 'musicu',
    method: 'POST',
    path: '/cgi-bin/musicu.fcg',
    headers: {
      ...headersOf(siteReferer, credential, kind === 'mobile' ? mobileApp : browser),
      origin: 'https://y.qq.com',
      'content-type': 'application/json'
    },
    body: JSON.stringify(body)
  }
}

export function classicRequest (ask: ClassicAsk, credential: Credential | undefined): WireRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(ask.query)) query.set(name, String(value))
  if (credential !== undefined) {
    for (const name of ['g_tk', 'g_tk_new_20200303']) if (query.has(name)) query.set(name, String(tokenOf(credential)))
    if (query.has('loginUin')) query.set('loginUin', credential.uin)
  }
  return {
    host: ask.host ?? 'classic',
    method: 'GET',
    path: `${ask.path}?${query.toString()}`,
    headers: headersOf(ask.referer ?? siteReferer, credential, browser)
  }
}
