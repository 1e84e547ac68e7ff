/**
 * What the upstream's login answers say. Everything in them may be forged by whoever chose a nickname or stands in
 * the middle, so each reader takes exactly the values it can check and gives undefined for the rest.
 */
import { accountDigits } from './credentials.ts'
import type { Credential } from './credentials.ts'
import { isCookieValue } from './loginDoor.ts'
import type { LoginAnswer } from './loginDoor.ts'
import { authoriseState } from './loginWire.ts'
import type { SignCookies, SignValues } from './loginWire.ts'
import { hosts, siteHost } from './origins.ts'
import { Answer, maybe } from './read.ts'
import type { Listener } from './read.ts'
import { decodeText, parseAnswer } from './decode.ts'

/** First bytes of the picture formats a QR code may come in. */
const pictures = { 'image/png': [0x89, 0x50, 0x4e, 0x47], 'image/jpeg': [0xff, 0xd8, 0xff], 'image/gif': [0x47, 0x49, 0x46, 0x38] } as const

/** The picture as a data URL; its type is told by its bytes. */
export function pictureOf ({ status, bytes }: LoginAnswer): string | undefined {
  if (status !== 200) return undefined
  const type = Object.entries(pictures).find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0]
  return type === undefined ? undefined : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

export function signatureOf ({ cookies }: LoginAnswer): string | undefined {
  const qrsig = cookies.get('qrsig')
  return qrsig !== undefined && /^[0-9A-Za-z*_-]{1,256}$/.test(qrsig) ? qrsig : undefined
}

/**
 * Text of a 200 answer; undefined for anything else. A nickname that was cut in the middle of a character must not cost
 * its owner the login: all that is taken out of these texts is ASCII, and checked.
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
 * The arguments of `ptuiCB('66','0','','0','…', 'nick')`. The last ones are text that others choose: quotes, brackets
 * and the words of another state mean nothing inside of a quoted argument, where a backslash escapes.
 */
export function callArguments (text: string): string[] {
  const values: string[] = []
  let at = /^\s*ptuiCB\s{0,9}\(/.exec(text)?.[0].length ?? text.length
  const argument = /\s{0,9}'((?:[^'\\]|\\[\s\S])*)'\s{0,9}(,?)/y
  while (values.length < 16) {
    argument.lastIndex = at
    const found = argument.exec(text)
    if (found === null) break
    values.push((found[1] as string).replaceAll(/\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g, (_, hex: string | undefined, char: string) => hex === undefined ? char : String.fromCharCode(Number.parseInt(hex, 16))))
    at = argument.lastIndex
    if (found[2] === '') break
  }
  return values
}

/** State of a main QR code: the first argument decides, and nothing else in the answer. */
export function mainStateOf (answer: LoginAnswer): { readonly code: string, readonly address: string } | undefined {
  const [code, , address = ''] = callArguments(textOf(answer) ?? '')
  return code !== undefined && /^\d{1,6}$/.test(code) ? { code, address } : undefined
}

/** The address, if it is one of this host: https, its default port, nobody's user name. */
function addressAt (host: string, text: string): URL | undefined {
  // A parser would read a backslash as a slash and skip control characters; an honest address has neither.
  if (!/^[!-[\]-~]{1,4096}$/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === 'https:' && url.host === host && url.username === '' && url.password === '' ? url : undefined
}

/**
 * The two values of the address that a confirmed scan names; undefined unless the address is exactly that of the sign
 * host: https, its name, its default port, nobody's user name, its path. The address itself is never requested.
 */
export function signValuesOf (address: string): SignValues | undefined {
  const text = address.replaceAll('&amp;', '&')
  const url = addressAt(hosts.mainSign, text)
  if (url?.pathname !== '/check_sig') return undefined
  const uin = url.searchParams.get('uin') ?? ''
  const ptsigx = url.searchParams.get('ptsigx') ?? ''
  return /^\d{1,20}$/.test(uin) && /^[0-9A-Za-z_*-]{1,1024}$/.test(ptsigx) ? { uin, ptsigx } : undefined
}

/** Of all the cookies that a sign-on sets, those that the authorisation host needs. The others open more than music. */
const signCookieNames = ['p_uin', 'pt4_token', 'p_skey', 'pt_oauth_token', 'pt_login_type']

export function signCookiesOf ({ cookies }: LoginAnswer): SignCookies | undefined {
  const p_skey = cookies.get('p_skey')
  if (p_skey === undefined) return undefined
  const header = signCookieNames.flatMap((name) => cookies.has(name) ? [`${name}=${cookies.get(name)}`] : []).join('; ')
  return { header, p_skey }
}

export function redirectOf ({ status, location }: LoginAnswer): string | undefined {
  return status >= 300 && status < 400 && location !== undefined && location !== '' ? location : undefined
}

/** The code of the authorisation, out of a redirect to the music site and to nowhere else. */
export function authorisationCodeOf (location: string): string | undefined {
  const url = addressAt(siteHost, location)
  const code = url?.searchParams.get('code') ?? ''
  return url?.searchParams.get('state') === authoriseState && /^[0-9A-Za-z_-]{1,256}$/.test(code) ? code : undefined
}

/** The session id of an alternative QR code: in the picture's address, in a script, or in JSON. */
export function uuidOf (answer: LoginAnswer): string | undefined {
  const page = textOf(answer) ?? ''
  for (const place of [/\/connect\/qrcode\/([0-9A-Za-z_=-]{1,128})["'?]/, /uuid=([0-9A-Za-z_=-]{1,128})["'&]/, /"uuid"\s{0,9}:\s{0,9}"([0-9A-Za-z_=-]{1,128})"/]) {
    const uuid = place.exec(page)?.[1]
    if (uuid !== undefined) return uuid
  }
  return undefined
}

/** `window.wx_errcode=404;window.wx_code='';` where the second part may be missing. */
export function altStateOf (answer: LoginAnswer): { readonly errcode: number, readonly code: string } | undefined {
  const text = textOf(answer) ?? ''
  const errcode = /^\s*window\.wx_errcode\s{0,9}=\s{0,9}(\d{1,5})\s{0,9};?/.exec(text)
  if (errcode === null) return undefined
  const code = /^\s*window\.wx_code\s{0,9}=\s{0,9}(?:'([0-9A-Za-z_-]{0,256})'|"([0-9A-Za-z_-]{0,256})")/.exec(text.slice(errcode[0].length))
  return { errcode: Number(errcode[1]), code: code?.[1] ?? code?.[2] ?? '' }
}

/** Either a login with everything it needs, or the upstream's business code (0: it said yes and gave nothing usable). */
export type LoginOutcome = { readonly login: Credential, readonly refused?: undefined } | { readonly login?: undefined, readonly refused: number }

/** A cookie holds its key twice, and is taken back up to 8192 characters. Keys seen were up to 130 long. */
const longestKey = 2048

/**
 * The record of an exchange. Account numbers are taken as text, they exceed 2^53. Where the record lacks something the
 * answer's own cookies may have it; a key of the main account (p_skey and its like) is never taken for a music key.
 */
export function loginOf (answer: LoginAnswer, loginType: 1 | 2, listener: Listener): LoginOutcome | undefined {
  let body: unknown
  try {
    body = parseAnswer(textOf(answer) ?? '')
  } catch {
    return undefined
  }
  const whole = new Answer(body, answer.call, listener)
  // The code outside may refuse, but it is 0 for many a failure: only the one inside says yes.
  const code = maybe.int(whole, 'req.code') ?? (maybe.int(whole, 'code') || undefined)
  if (code === undefined) return undefined
  if (code !== 0) return { refused: code }
  const { cookies } = answer
  const record = maybe.at(whole, 'req.data') ?? new Answer({}, answer.call, listener)
  const key = maybe.text(record, 'musickey') ?? cookies.get('qqmusic_key') ?? cookies.get('qm_keyst') ?? ''
  const uin = accountDigits(maybe.id(record, 'str_musicid', 'musicid') ?? cookies.get('qqmusic_uin') ?? cookies.get('uin') ?? cookies.get('wxuin') ?? '')
  const euin = maybe.text(record, 'encryptUin') ?? cookies.get('euin')
  if (uin === undefined || !isCookieValue(key) || key.length > longestKey) return { refused: 0 }
  return { login: { uin, key, loginType, euin: euin !== undefined && isCookieValue(euin) && euin.length <= longestKey ? euin : undefined } }
}
