/**
 * Reads the upstream's login answers. They may be forged by someone who chose a nickname or controls the connection.
 * Each reader therefore takes only values that it can check, and returns undefined otherwise.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import { isCookieValue } from '../wire/cookies.ts'
import { accountDigits, type Credential } from '../wire/credentials.ts'
import type { LoginAnswer } from './loginClient.ts'
import { authoriseState, type SignCookies, type SignValues } from './loginRequests.ts'
import { hosts, plainAddress, siteHost } from '../http/origins.ts'
import { Answer, maybe } from '../read/read.ts'
import type { UpstreamObserver } from '../read/observer.ts'
import { decodeText, parseAnswer } from '../read/decode.ts'
import type { LoginSession } from '../../../schemas/login.ts'

/** First bytes of the possible picture formats of a QR code. */
const pictures = {
  'image/png': [0x89, 0x50, 0x4e, 0x47],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38]
} as const

/** Returns the picture as a data URL. The bytes decide its type, not the header. */
export function qrPictureOf ({ status, bytes }: LoginAnswer): string | undefined {
  if (status !== 200) return undefined
  const type = Object.entries(pictures).find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0]
  return type === undefined ? undefined : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** Returns the id of a main QR code, which is a cookie of the answer. */
export function qrsigOf ({ cookies }: LoginAnswer): string | undefined {
  const qrsig = cookies.get('qrsig')
  return qrsig !== undefined && /^[0-9A-Za-z*_-]{1,256}$/.test(qrsig) ? qrsig : undefined
}

/**
 * Returns the text of a 200 answer; undefined for any other status. A nickname that is cut in the middle of a character
 * must not fail its owner's login. Broken text is safe here: every value read from it is ASCII and checked.
 */
function textOf ({ status, bytes, contentType }: LoginAnswer): string | undefined {
  if (status !== 200) return undefined
  try {
    return decodeText(bytes, contentType)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * Returns the arguments of `ptuiCB('66','0','','0','…', 'nick')`, 16 at most. The last ones are text that others
 * choose. Inside a quoted argument, quotes, brackets and the text of another state mean nothing; a backslash escapes.
 */
export function callArguments (text: string): string[] {
  const values: string[] = []
  let at = /^\s*ptuiCB\s{0,9}\(/.exec(text)?.[0].length ?? text.length
  const argument = /\s{0,9}'((?:[^'\\]|\\[\s\S])*)'\s{0,9}(,?)/y
  while (values.length < 16) {
    argument.lastIndex = at
    const found = argument.exec(text)
    if (found === null) break
    values.push((found[1] as string).replaceAll(
      /\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g,
      (_, hex: string | undefined, char: string) =>
        hex === undefined ? char : String.fromCharCode(Number.parseInt(hex, 16))
    ))
    at = argument.lastIndex
    if (found[2] === '') break
  }
  return values
}

/** Returns the state of a main QR code. Only the first argument decides it. */
export function mainStateOf (answer: LoginAnswer): { readonly code: string, readonly address: string } | undefined {
  const [code, , address = ''] = callArguments(textOf(answer) ?? '')
  return code !== undefined && /^\d{1,6}$/.test(code) ? { code, address } : undefined
}

/** The address, if it belongs to this host: https, default port, no user name. */
function addressAt (host: string, text: string): URL | undefined {
  const url = plainAddress(text)
  return url?.protocol === 'https:' && url.host === host ? url : undefined
}

/**
 * Returns two values from the address in a confirmed scan. Returns undefined unless the address is exactly that of the
 * sign host: https, its name, default port, no user name, its path. The address itself is never requested.
 */
export function signValuesOf (address: string): SignValues | undefined {
  const text = address.replaceAll('&amp;', '&')
  const url = addressAt(hosts.mainSign, text)
  if (url?.pathname !== '/check_sig') return undefined
  const uin = url.searchParams.get('uin') ?? ''
  const ptsigx = url.searchParams.get('ptsigx') ?? ''
  return /^\d{1,20}$/.test(uin) && /^[0-9A-Za-z_*-]{1,1024}$/.test(ptsigx) ? { uin, ptsigx } : undefined
}

/** Names of the key among the sign-on cookies (2026-11). */
const signKeyNames = ['p_skey', 'p-skey', 'pskey', 'ptsigx']

/**
 * Returns the sign-on cookies that the authorisation host needs, under their original names. The others give access to
 * more than music. Undefined without a key.
 */
export function signCookiesOf ({ cookies }: LoginAnswer): SignCookies | undefined {
  const keyName = signKeyNames.find((name) => cookies.has(name))
  if (keyName === undefined) return undefined
  const header = ['p_uin', 'pt4_token', keyName, 'pt_oauth_token', 'pt_login_type'].flatMap((name) =>
    cookies.has(name) ? [`${name}=${cookies.get(name)}`] : []
  ).join('; ')
  return { header, p_skey: cookies.get(keyName) as string }
}

/** Returns the redirect address of a 3xx answer. */
export function redirectOf ({ status, location }: LoginAnswer): string | undefined {
  return status >= 300 && status < 400 && location !== undefined && location !== '' ? location : undefined
}

/** Returns the authorisation code from a redirect, which must go to the music site and carry our `state`. */
export function authorisationCodeOf (location: string): string | undefined {
  const url = addressAt(siteHost, location)
  const code = url?.searchParams.get('code') ?? ''
  return url?.searchParams.get('state') === authoriseState && /^[0-9A-Za-z_-]{1,256}$/.test(code) ? code : undefined
}

/** Returns the session id of an alternative QR code: from the picture's address, a script, or JSON. */
export function uuidOf (answer: LoginAnswer): string | undefined {
  const page = textOf(answer) ?? ''
  for (
    const place of [
      /\/connect\/qrcode\/([0-9A-Za-z_=-]{1,128})["'?]/,
      /uuid=([0-9A-Za-z_=-]{1,128})["'&]/,
      /"uuid"\s{0,9}:\s{0,9}"([0-9A-Za-z_=-]{1,128})"/
    ]
  ) {
    const uuid = place.exec(page)?.[1]
    if (uuid !== undefined) return uuid
  }
  return undefined
}

/**
 * Returns the state of an alternative QR code, from
 * `window.wx_errcode=404;window.wx_code='';`. The second part may be missing.
 */
export function altStateOf (answer: LoginAnswer): { readonly errcode: number, readonly code: string } | undefined {
  const text = textOf(answer) ?? ''
  const errcode = /^\s*window\.wx_errcode\s{0,9}=\s{0,9}(\d{1,5})\s{0,9};?/.exec(text)
  if (errcode === null) return undefined
  const code = /^\s*window\.wx_code\s{0,9}=\s{0,9}(?:'([0-9A-Za-z_-]{0,256})'|"([0-9A-Za-z_-]{0,256})")/.exec(text.slice(errcode[0].length))
  return { errcode: Number(errcode[1]), code: code?.[1] ?? code?.[2] ?? '' }
}

/**
 * A complete login and the data that a renewal of its key will need, or the upstream's business code. 0 means: the
 * upstream reported success without usable values.
 */
export type LoginOutcome =
  { readonly login: Credential, readonly renewal: LoginRenewal, readonly refused?: undefined } |
  { readonly login?: undefined, readonly renewal?: undefined, readonly refused: number }

/** A cookie holds its key twice and may have 8192 characters. Observed keys had up to 130 characters. */
const longestKey = 2048

/**
 * Returns the login in the record of an exchange; undefined when it is not JSON or has no code. Account numbers stay
 * text: they exceed 2^53. Values that the record lacks may be in the answer's cookies. A key of the main account
 * (p_skey and similar) is never used as a music key. `known`: the record that is renewed, whose values replace empty
 * ones of the answer.
 */
export function loginOf (
  answer: LoginAnswer,
  loginType: 1 | 2,
  observer: UpstreamObserver,
  known?: LoginRenewal
): LoginOutcome | undefined {
  let body: unknown
  try {
    body = parseAnswer(textOf(answer) ?? '')
  } catch {
    return undefined
  }
  const whole = new Answer(body, answer.call, observer)
  // The outer code can report a refusal, but is 0 for many failures. Only the inner code means success.
  const code = maybe.int(whole, 'req.code') ?? (maybe.int(whole, 'code') || undefined)
  if (code === undefined) return undefined
  if (code !== 0) return { refused: code }
  const { cookies } = answer
  const record = maybe.at(whole, 'req.data') ?? new Answer({}, answer.call, observer)
  // A refusal may stand further inside, even beside the old key (two clients since 2026-09).
  const inner = maybe.int(record, 'code') ?? 0
  if (inner !== 0) return { refused: inner }
  const key = maybe.text(record, 'musickey') ?? cookies.get('qqmusic_key') ?? cookies.get('qm_keyst') ?? ''
  const uin =
    accountDigits(maybe.id(record, 'str_musicid', 'musicid') ?? cookies.get('qqmusic_uin') ?? cookies.get('uin')
      ?? cookies.get('wxuin') ?? known?.musicId ?? '')
  const euin = maybe.text(record, 'encryptUin') ?? cookies.get('euin')
  if (uin === undefined || !isCookieValue(key) || key.length > longestKey) return { refused: 0 }
  const login = {
    uin,
    key,
    loginType,
    euin: euin !== undefined && isCookieValue(euin) && euin.length <= longestKey ? euin : undefined
  }
  return { login, renewal: { ...known, ...renewalOf(record, login) } }
}

/** Returns the data that a renewal of the key will need. Missing or unusable values are left out. */
function renewalOf (record: Answer, { uin, key, loginType }: Credential): LoginRenewal {
  const text = (name: string): string | undefined => {
    const value = maybe.text(record, name)
    return value !== undefined && isCookieValue(value) ? value : undefined
  }
  const seconds = (name: string): number | undefined => {
    const value = maybe.int(record, name) ?? 0
    return value > 0 ? value : undefined
  }
  const found = {
    keyCreatedAt: seconds('musickeyCreateTime'),
    keyExpiresIn: seconds('keyExpiresIn'),
    openId: text('openid'),
    unionId: text('unionid'),
    accessToken: text('access_token'),
    accessTokenExpiresAt: seconds('expired_at'),
    refreshToken: text('refresh_token'),
    refreshKey: text('refresh_key')
  }
  const known = Object.entries(found).filter(([, value]) => value !== undefined) as [string, string | number][]
  return { loginType, musicId: uin, musicKey: key, ...Object.fromEntries(known) }
}

/** Explanations of the upstream's refusal codes (collected from public clients, 2026). */
const reasons: Readonly<Record<number, string>> = {
  0: 'it gave no usable key',
  1000: 'the authorisation is invalid, expired or already used',
  104400: 'the authorisation is invalid, expired or already used',
  104401: 'the authorisation is invalid, expired or already used',
  20261: 'it finds the login parameters wrong',
  20271: 'it finds the verification code wrong',
  20272: 'the binding of the account is abnormal',
  20274: 'the account lacks a binding',
  20277: 'the account is restricted',
  20278: 'the account is restricted',
  20279: 'the account is used on too many devices',
  20450: 'the account is banned',
  104604: 'logins are too frequent'
}

/** Returns the reason for a message, like `code 20279: the account is used on too many devices`. */
export function refusalReason (code: number): string {
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined
  if (code === 0) return String(reason)
  return reason === undefined ? `code ${code}` : `code ${code}: ${reason}`
}

/** Returns the session that a caller gets: account, and the cookie in three forms. */
export function sessionOf ({ uin, key, loginType, euin }: Credential): LoginSession {
  const account = `o${uin}`
  const pairs: [string, string][] = [
    ['uin', account],
    ['provider_key', key],
    ['provider_keyst', key],
    ...(euin === undefined ? [] : [['euin', euin] satisfies [string, string]]),
    ['providerLoginType', String(loginType)]
  ]
  const cookieList = pairs.map(([name, value]) => `${name}=${value}`)
  return {
    loginUin: account,
    uin: account,
    cookie: cookieList.join('; '),
    cookieList,
    cookieObject: Object.fromEntries(pairs)
  }
}

// @mutate login steps: login-answers
