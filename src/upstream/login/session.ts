/** A finished login in the public interface: neutral cookie names, and the account as "o" plus its digits. */
import type { LoginSession } from '../../../schemas/login.ts'
import type { Credential } from '../wire/credentials.ts'

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
