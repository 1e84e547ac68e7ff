/**
 * The requests of the two QR logins, one function each. Hosts, application ids and paths are constants. All other
 * values were validated before. Forms observed in public clients, 2024 to 2026-08.
 */
import { hash33 } from '../wire/credentials.ts'
import { hosts } from '../http/origins.ts'
import { siteReferer, browser, type WireRequest } from '../wire/requests.ts'

/** One login request with its name. */
export interface LoginCall {
  /** Our name of the call, for logs and errors. */
  readonly name: string
  readonly request: WireRequest
  /** Status and headers are enough; the body is not read. */
  readonly headersOnly?: true
}

const main = {
  app: '716027609',
  area: '383',
  client: '100497308',
  jump: 'https://graph.qq.com/oauth2.0/login_jump',
  redirect: 'https://y.qq.com/portal/wx_redirect.html?login_type=1&surl=https://y.qq.com/',
  referer: 'https://xui.ptlogin2.qq.com/'
} as const

const alt = {
  app: 'wx48db31d50e334801',
  redirect: 'https://y.qq.com/portal/wx_redirect.html?login_type=2&surl=https://y.qq.com/',
  page: 'https://open.weixin.qq.com/connect/qrconnect',
  referer: 'https://open.weixin.qq.com/'
} as const

/** Id of the music program at the login of the main channel. */
export const mainClient = main.client

/** Application id of the alternative channel. */
export const altApp = alt.app

/** The phone app that scans the codes of each channel. */
export const scanApps = { main: 'QQ', alt: 'WeChat' } as const

/**
 * The content of an alternative QR code (public clients, 2026). Needed because the
 * picture may be a JPEG, which the relay cannot decode.
 */
export const altScanAddress = (uuid: string): string => `https://${hosts.altQr}/connect/confirm?uuid=${encodeURIComponent(uuid)}`

/**
 * Sent with the authorisation and expected back in its redirect. A constant is safe: the relay reads that answer
 * itself, so an attacker cannot replace it.
 */
export const authoriseState = 'state'

const headers = (referer: string, more: Record<string, string> = {}): Record<string, string> =>
  ({ 'user-agent': browser, referer, accept: '*/*', 'accept-encoding': 'gzip, br', ...more })

const get = (
  host: WireRequest['host'],
  path: string,
  query: Record<string, string>,
  head: Record<string, string>
): WireRequest => ({ host, method: 'GET', path: `${path}?${new URLSearchParams(query).toString()}`, headers: head })

/** Requests the picture of a main QR code; its id comes as a cookie. */
export function mainQrCall (): LoginCall {
  const query = {
    appid: main.app,
    e: '2',
    l: 'M',
    s: '3',
    d: '72',
    v: '4',
    t: String(Math.random()),
    daid: main.area,
    pt_3rd_aid: main.client
  }
  return { name: 'login.main.qr', request: get('mainQr', '/ptqrshow', query, headers(main.referer)) }
}

/** Returns the check value of a poll. It is always computed here; a caller's copy is never used. */
export const mainPollToken = (qrsig: string): string => String(hash33(qrsig, 0))

/** Requests the state of a main QR code. `now`: milliseconds since the epoch. */
export function mainPollCall (qrsig: string, now: number): LoginCall {
  const query = {
    u1: main.jump,
    ptqrtoken: mainPollToken(qrsig),
    ptredirect: '0',
    h: '1',
    t: '1',
    g: '1',
    from_ui: '1',
    ptlang: '2052',
    action: `0-0-${now}`,
    js_ver: '20102616',
    js_type: '1',
    login_sig: '',
    pt_uistyle: '40',
    aid: main.app,
    daid: main.area,
    pt_3rd_aid: main.client,
    has_onekey: '1'
  }
  return {
    name: 'login.main.poll',
    request: get('mainQr', '/ptqrlogin', query, headers(main.referer, { cookie: `qrsig=${qrsig}` }))
  }
}

/** The only two values that are used from the address in a confirmed scan. */
export interface SignValues { readonly uin: string, readonly ptsigx: string }

/** Requests the sign-on cookies of a confirmed scan. */
export function mainSignCall ({ uin, ptsigx }: SignValues): LoginCall {
  const query = {
    pttype: '1',
    uin,
    service: 'ptqrlogin',
    nodirect: '0',
    ptsigx,
    s_url: main.jump,
    f_url: '',
    ptlang: '2052',
    ptredirect: '100',
    aid: main.app,
    daid: main.area,
    j_later: '0',
    low_login_hour: '0',
    regmaster: '0',
    pt_login_type: '3',
    pt_aid: '0',
    pt_aaid: '16',
    pt_light: '0',
    pt_3rd_aid: main.client
  }
  return {
    name: 'login.main.sign',
    request: get('mainSign', '/check_sig', query, headers(main.referer)),
    headersOnly: true
  }
}

/** The cookies that the authorisation host needs, as the sign host set them. */
export interface SignCookies { readonly header: string, readonly p_skey: string }

/** Requests the redirect with the authorisation code. `now`: milliseconds since the epoch. */
export function mainAuthoriseCall ({ header, p_skey }: SignCookies, now: number): LoginCall {
  const form = {
    response_type: 'code',
    client_id: main.client,
    redirect_uri: main.redirect,
    scope: 'get_user_info,get_app_friends',
    state: authoriseState,
    switch: '',
    from_ptlogin: '1',
    src: '1',
    update_auth: '1',
    openapi: '1010_1030',
    g_tk: String(hash33(p_skey, 5381)),
    auth_time: String(now),
    ui: crypto.randomUUID().toUpperCase()
  }
  return {
    name: 'login.main.authorise',
    headersOnly: true,
    request: {
      host: 'mainAuthorise',
      method: 'POST',
      path: '/oauth2.0/authorize',
      headers: headers(main.referer, { cookie: header, 'content-type': 'application/x-www-form-urlencoded' }),
      body: new URLSearchParams(form).toString()
    }
  }
}

/** A request of the login gateway. An exchange has its own `comm` and no account: the code identifies it. */
export function gatewayCall (
  name: string,
  comm: Record<string, unknown>,
  call: { module: string, method: string, param: Record<string, unknown> },
  host: WireRequest['host'] = 'musicu',
  more: Record<string, string> = {}
): LoginCall {
  return {
    name,
    request: {
      host,
      method: 'POST',
      path: '/cgi-bin/musicu.fcg',
      headers: headers(siteReferer, { 'origin': 'https://y.qq.com', 'content-type': 'application/json', ...more }),
      body: JSON.stringify({ comm: { ct: 24, cv: 0, platform: 'yqq', ...comm }, req: call })
    }
  }
}

/** Exchanges the authorisation code of the main channel for a music key. */
export const mainExchangeCall = (code: string, { p_skey }: SignCookies): LoginCall =>
  gatewayCall('login.main.exchange', { g_tk: hash33(p_skey, 5381), tmeLoginType: 2 }, {
    module: 'QQConnectLogin.LoginServer',
    method: 'QQLogin',
    param: { code }
  })

/** Requests the login page, which holds the id of a new alternative QR code. */
export function altPageCall (): LoginCall {
  const query = {
    appid: alt.app,
    redirect_uri: alt.redirect,
    response_type: 'code',
    scope: 'snsapi_login',
    state: 'STATE',
    href: 'https://y.qq.com/mediastyle/music_v17/src/css/popup_wechat.css#wechat_redirect'
  }
  return { name: 'login.alt.page', request: get('altQr', '/connect/qrconnect', query, headers(siteReferer)) }
}

/** Requests the picture of an alternative QR code. */
export const altImageCall = (uuid: string): LoginCall => ({
  name: 'login.alt.qr',
  request: {
    host: 'altQr',
    method: 'GET',
    path: `/connect/qrcode/${encodeURIComponent(uuid)}`,
    headers: headers(alt.page)
  }
})

/**
 * Long-polls the state of an alternative QR code. `scanned`: an earlier poll reported the scan. Without this mark the
 * upstream would report it again at once instead of waiting for a change.
 */
export function altPollCall (uuid: string, scanned: boolean, now: number): LoginCall {
  const query = { uuid, ...(scanned ? { last: '404' } : {}), _: String(now) }
  return { name: 'login.alt.poll', request: get('altPoll', '/connect/l/qrconnect', query, headers(alt.referer)) }
}

/** The hosts of the alternative exchange, in the order in which clients try them (2026-11). */
export const altExchangeHosts = ['musicu', 'musicuSz', 'musicuSh'] as const satisfies readonly WireRequest['host'][]

/** Exchanges the code of the alternative channel for a music key. */
export const altExchangeCall = (code: string, host: typeof altExchangeHosts[number]): LoginCall =>
  gatewayCall(
    'login.alt.exchange',
    { tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381 },
    { module: 'music.login.LoginServer', method: 'Login', param: { code, strAppid: alt.app } },
    host,
    { cookie: 'login_type=2' }
  )

// @mutate login steps: login-answers login-main login-both
