/**
 * Framing: turns a call into an HTTP request. The upstream has two entry points: the batch gateway (named module/method
 * pairs in one JSON POST) and the classic CGIs (GET, JSON or JSONP). Forms recorded 2026-08-06.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { ClassicRequest, CommKind, MusicuRequest } from '../calls.ts'
import type { HostName } from '../http/origins.ts'
import { cookieHeader, tokenOf, type Credential } from './credentials.ts'

/** User agent of all calls except those of the phone programs and of the signed entry. */
export const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** User agent of the phone program. */
export const mobileApp = 'QQMusic 14090008(android 12)'
const signedApp = 'QQMusic 14090508(android 12)'
const liteApp = 'okhttp/3.14.9'

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

/** Names in requests that contain the provider's own name. The calls of endpoints take them from here. */
export const ownWords = {
  desktopSearch: 'DoSearchForQQMusicDesktop',
  phoneSearch: 'DoSearchForQQMusicMobile',
  liteSearch: 'DoSearchForQQMusicLite',
  siteSearchPath: '/soso/fcgi-bin/search_for_qq_cp',
  phoneHotkeys: 'GetHotkeyForQQMusicMobile',
  desktopHotkeys: 'GetHotkeyForQQMusicPC',
  desktopHotkeyModule: 'tencent_musicsoso_hotkey.HotkeyService',
  focusModule: 'QQMusic.MusichallServer',
  lightDailyModule: 'music.qqmusiclite.MtRecommendSvr'
} as const

/** Parameter for calls that can return data of an account: selects no account. */
export const noAccount = { qq: '' } as const

/** What an older phone program sends with a login. */
const olderPhone = {
  ct: 11,
  cv: 1601,
  v: 1601,
  os_ver: '12',
  phonetype: '0',
  devicelevel: '31',
  tmeAppID: 'qqmusic',
  nettype: 'NETWORK_WIFI',
  udid: '0'
} as const

/** The `comm` blocks that a call may choose from. `web` is the recorded anonymous web block and the default. */
const commBlocks = {
  web: {
    ct: 24,
    cv: 4747474,
    platform: 'yqq.json',
    chid: '0',
    format: 'json',
    inCharset: 'utf-8',
    outCharset: 'utf-8',
    notice: 0,
    need_new_code: 1
  },
  /** The desktop program. Its search requires this block, with text values. */
  desktop: { ct: '19', cv: '1859', uin: '0' },
  /** An older desktop program, for trending searches. */
  olderDesktop: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' },
  /** The desktop program at the signed entry, which sends no account (2026). */
  signed: {
    _channelid: '0',
    _os_version: '6.2.9200-2',
    ct: '19',
    cv: '2151',
    patch: '118',
    psrf_access_token_expiresAt: 0,
    psrf_qqaccess_token: '',
    psrf_qqopenid: '',
    psrf_qqunionid: '',
    tmeAppID: 'qqmusic',
    tmeLoginType: 0,
    uin: '0'
  },
  /** The phone program. */
  mobile: { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' },
  /**
   * An older phone program, whose search answered 114 of 114 requests (2026-09). It refuses a block without a
   * `QIMEI36`, whatever its value. The zeros are a placeholder that names no device: the relay invents none.
   */
  phone: { ...olderPhone, uid: '0', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', QIMEI36: '0'.repeat(36) },
  /** The phone program's light edition (2026-08). */
  lite: {
    ct: 11,
    cv: '1003006',
    v: '1003006',
    os_ver: '12',
    phonetype: '0',
    devicelevel: '31',
    tmeAppID: 'qqmusiclight',
    nettype: 'NETWORK_WIFI',
    udid: '0'
  },
  /** The web's playlist square. */
  plaza: { ct: 20, cv: 1602 },
  /** The home page of the Windows program. Other values return other shelves (2024-03). */
  feed: {
    ct: 20,
    cv: 1770,
    platform: 'wk_v17',
    format: 'json',
    inCharset: 'utf-8',
    outCharset: 'utf-8',
    uid: '',
    guid: ''
  }
} as const satisfies Record<CommKind, object>

/** A request for the network. The call fixes host and path, so a caller can choose neither. */
export interface WireRequest {
  readonly host: HostName
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
  /** Treat a redirect and a 404 as answers. */
  readonly redirects?: boolean
}

const agents: Readonly<Partial<Record<CommKind, string>>> = {
  mobile: mobileApp,
  phone: mobileApp,
  lite: liteApp,
  signed: signedApp
}
const phones: ReadonlySet<CommKind> = new Set(['mobile', 'phone', 'lite'])

function headersOf (credential: Credential | undefined, agent: string, referer?: string): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': agent, accept: '*/*', 'accept-encoding': 'gzip, br' }
  if (referer !== undefined) headers['referer'] = referer
  if (credential !== undefined) headers['cookie'] = cookieHeader(credential)
  return headers
}

/**
 * Returns the key of a call in a batch body. `index` counts from 0. The signed entry's clients use the name of the
 * module.
 */
export const batchKey = ({ comm, module }: MusicuRequest, index: number): string =>
  comm === 'signed' ? `${module}${index === 0 ? '' : `_${index}`}` : `req_${index}`

/**
 * Returns one POST for several calls. They share one `comm` block, that of the first call. `device` is sent to the
 * signed entry instead of an account.
 */
export function musicuRequest (
  requests: readonly MusicuRequest[],
  given: Credential | undefined,
  device: Device
): WireRequest {
  const kind = requests[0]?.comm ?? 'web'
  const signed = kind === 'signed'
  const credential = signed ? undefined : given
  const comm: Record<string, unknown> = { ...commBlocks[kind] }
  Object.assign(comm, signed ? device : accountIn(kind, credential))
  const body = JSON.stringify({
    comm,
    ...Object.fromEntries(requests.map((
      request,
      index
    ) => [batchKey(request, index), { module: request.module, method: request.method, param: request.param }]))
  })
  const headers = headersOf(credential, agents[kind] ?? browser, signed || kind === 'lite' ? undefined : siteReferer)
  if (headers['referer'] !== undefined) headers['origin'] = 'https://y.qq.com'
  headers['content-type'] = 'application/json'
  return {
    host: 'musicu',
    method: 'POST',
    path: signed ? `/cgi-bin/musics.fcg?sign=${signatureOf(body)}` : '/cgi-bin/musicu.fcg',
    headers,
    body
  }
}

/**
 * Returns the account fields of a `comm` block. With the cookie alone, a call stayed anonymous (2026-06). Account
 * numbers stay text: some have 19 digits.
 */
function accountIn (kind: CommKind, credential: Credential | undefined): Record<string, unknown> {
  const token = tokenOf(credential)
  const tokens = { g_tk: token, g_tk_new_20200303: token }
  if (credential === undefined) return kind === 'web' ? tokens : {}
  const { uin, key, loginType } = credential
  return { uin, authst: key, tmeLoginType: loginType, ...phones.has(kind) ? { qq: uin } : tokens }
}

/**
 * Returns the phone program's complete `comm` block for an account, as a login from the program itself sends it
 * (2026-09).
 */
export function phoneComm (credential: Credential): Record<string, unknown> {
  return { ...olderPhone, cv: commBlocks.mobile.cv, v: commBlocks.mobile.v, ...accountIn('phone', credential) }
}

/** Returns the GET request of a classic call. */
export function classicRequest (request: ClassicRequest, given: Credential | undefined): WireRequest {
  const redirects = request.as === 'redirect'
  // Do not reveal to the creator of a link which account opens it.
  const credential = redirects || request.nameless === true ? undefined : given
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
    headers: headersOf(credential, browser, request.referer ?? siteReferer),
    ...redirects ? { redirects } : {}
  }
}

// The signature of the gateway's signed entry. Source: public clients of 2026 and their vectors (2026-11).

/** The digits of the hash that come first and last, and the bytes that the hash is mixed with. */
const head = [23, 14, 6, 36, 16, 7, 19]
const tail = [16, 1, 32, 12, 19, 27, 8, 5]
const mask = [89, 39, 179, 150, 218, 82, 58, 252, 177, 52, 186, 123, 120, 64, 242, 133, 143, 161, 121, 179]

/** Returns the signature (`zzc…`) of a body, for the exact text that is sent. */
export function signatureOf (body: string): string {
  const hash = createHash('sha1').update(body, 'utf8').digest()
  const digits = hash.toString('hex')
  const pick = (places: readonly number[]): string => places.map((place) => digits[place]).join('')
  const mixed = Buffer.from(hash.map((byte, at) => byte ^ (mask[at] ?? 0))).toString('base64').replaceAll(
    /[\\/+=]/g,
    ''
  )
  return `zzc${pick(head)}${mixed}${pick(tail)}`.toLowerCase()
}

// The random device that a relay sends to the gateway's signed entry.

/** `guid`: 32 upper-case hex digits. `wid`: 19 digits. Public clients create both once and store them (2026). */
export interface Device { readonly guid: string, readonly wid: string }

/** Returns a new device. */
export function createDevice (): Device {
  const digits = Array.from({ length: 18 }, () => randomInt(10)).join('')
  return { guid: randomBytes(16).toString('hex').toUpperCase(), wid: `${randomInt(1, 10)}${digits}` }
}

// @mutate readers: cookie-rules signature
