/**
 * Framing: turns a call into an HTTP request.
 * The upstream has two entry points: the batch gateway (named module/method pairs in one JSON POST) and the classic CGIs
 * (GET, JSON or JSONP). Forms recorded 2026-08-06.
 */
import { hosts } from '../http/origins.ts'
import { cookieHeader, tokenOf } from './credentials.ts'
import type { Credential } from './credentials.ts'
import type { ClassicRequest, CommKind, MusicuRequest } from '../calls.ts'

/** User agent of all calls except those of the phone program. */
export const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const mobileApp = 'QQMusic 14090008(android 12)'

/** Referer of ordinary pages. Classic calls are refused without a referer. */
export const siteReferer = 'https://y.qq.com/'
/** Referer of the player page. */
export const playerReferer = 'https://y.qq.com/portal/player.html'
/** Referer of personal pages. */
export const profileReferer = 'https://y.qq.com/portal/profile.html'
/** Referer of playlist pages. */
export const playlistReferer = 'https://y.qq.com/n/yqq/playlist'

/** Parameters of most classic calls. A credential replaces `g_tk` and `loginUin`. */
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

/** Names on the wire that contain the provider's own name. The calls of endpoints take them from here. */
export const ownWords = {
  desktopSearch: 'DoSearchForQQMusicDesktop',
  phoneSearch: 'DoSearchForQQMusicMobile',
  phoneHotkeys: 'GetHotkeyForQQMusicMobile',
  desktopHotkeys: 'GetHotkeyForQQMusicPC',
  desktopHotkeyModule: 'tencent_musicsoso_hotkey.HotkeyService',
  focusModule: 'QQMusic.MusichallServer'
} as const

/** Parameter of calls that can return data for an account: no account. */
export const nobody = { qq: '' } as const

/** What the site's search page sends besides the search text. */
export const searchFiller = { ...classicFiller, remoteplace: 'txt.yqq.song', ct: '24', qqmusic_ver: '1298' } as const

/** The `comm` blocks that a call may choose from. `web` is the recorded anonymous web block and the default. */
const commBlocks = {
  web: { ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: 0, need_new_code: 1 },
  /** The desktop program. Its search requires this block, with text values. */
  desktop: { ct: '19', cv: '1859', uin: '0' },
  /** An older desktop program, for trending searches. */
  olderDesktop: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' },
  /** The phone program. */
  mobile: { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' },
  /** The web's playlist square. */
  plaza: { ct: 20, cv: 1602 },
  /** The home page of the Windows program. Other values return other shelves (2024-03). */
  feed: { ct: 20, cv: 1770, platform: 'wk_v17', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', uid: '', guid: '' }
} as const satisfies Record<CommKind, object>

/** A request for the network. The call fixes host and path, so a caller can choose neither. */
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

/** Returns the key of a call in a batch body. `index` counts from 0. */
export const batchKey = (index: number): string => `req_${index}`

/** Returns one POST for several calls. They share one `comm` block, that of the first call. */
export function musicuRequest (requests: readonly MusicuRequest[], credential: Credential | undefined): WireRequest {
  const kind = requests[0]?.comm ?? 'web'
  const token = tokenOf(credential)
  const comm: Record<string, unknown> = { ...commBlocks[kind] }
  if (kind === 'web') Object.assign(comm, { g_tk: token, g_tk_new_20200303: token })
  // With the cookie alone, a call stayed anonymous (2026-06). Account numbers stay text: some have 19 digits.
  if (credential !== undefined) {
    Object.assign(comm, { [kind === 'mobile' ? 'qq' : 'uin']: credential.uin, authst: credential.key, tmeLoginType: credential.loginType })
    if (kind !== 'mobile') Object.assign(comm, { g_tk: token, g_tk_new_20200303: token })
  }
  const body: Record<string, unknown> = { comm }
  requests.forEach(({ module, method, param }, index) => { body[batchKey(index)] = { module, method, param } })
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

/** Returns the GET request of a classic call. */
export function classicRequest (request: ClassicRequest, credential: Credential | undefined): WireRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query)) query.set(name, String(value))
  if (credential !== undefined) {
    for (const name of ['g_tk', 'g_tk_new_20200303']) if (query.has(name)) query.set(name, String(tokenOf(credential)))
    if (query.has('loginUin')) query.set('loginUin', credential.uin)
  }
  return {
    host: request.host ?? 'classic',
    method: 'GET',
    path: `${request.path}?${query.toString()}`,
    headers: headersOf(request.referer ?? siteReferer, credential, browser)
  }
}
