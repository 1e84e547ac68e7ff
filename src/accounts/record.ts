/** What a stored login says: its credential, what a renewal may use and when, its keys. Nothing is read or written. */
import { createHash, randomBytes } from 'node:crypto'
import { accountNamePattern, mostKeys, mostPerMinute, type StoredKey } from '../../schemas/accounts.ts'
import { LoginRenewal, type UserInfo } from '../../schemas/config.ts'
import { InvalidInput } from '../common/errors.ts'
import type { AccountKey } from '../relay/accountBook.ts'
import { isCookieValue, knownPairs, withKey } from '../upstream/wire/cookies.ts'
import { readCredential, type Credential } from '../upstream/wire/credentials.ts'
import type { StoredLogin } from './loginFiles.ts'

/** A stored account, without anything secret. Times are Unix seconds. */
export interface Account {
  readonly name: string
  /** Account number, digits only. Absent if the stored cookie is no login. */
  readonly uin?: string | undefined
  readonly channel?: 'main' | 'alt'
  readonly nickname?: string | undefined
  /** `log in again`: the upstream refuses to renew the login. Its key may work until it expires. */
  readonly state: 'ok' | 'log in again'
  /** The upstream's code for `log in again`. */
  readonly reason?: number | undefined
  readonly createdAt?: number | undefined
  readonly renewedAt?: number | undefined
  /** Absent if the key's age is not known. */
  readonly expiresAt?: number | undefined
  /** When a relay renews it. Absent if it cannot be renewed, or if the key's age is not known. */
  readonly renewsAt?: number | undefined
  /** Whether the relay has what a renewal needs. */
  readonly renewable: boolean
  /** The keys of the relay for this account, in the order of their creation. */
  readonly keys: ReadonlyArray<AccountKey & { readonly createdAt: number }>
}

/** Life of a key that does not say it (2026-11), and the limits of what it may say. Seconds. */
const usualLife = 259_200
const shortestLife = 3600
const longestLife = 90 * 86_400
/** How far the clock of the upstream may be ahead. Seconds. */
const clockDifference = 3600

/** Returns account and key of a login; undefined if its cookie is no login. */
export function credentialOf (login: StoredLogin): Credential | undefined {
  return readCredential(knownPairs(login.cookie ?? ''))
}

/** Returns the account as people and programs may see it. `now`: milliseconds since the epoch. */
export function accountOf (
  name: string,
  login: StoredLogin,
  now: number,
  times: RenewalTimes = renewalTimes
): Account {
  const credential = credentialOf(login)
  const made = madeAt(login, now)
  const renewable = isRenewable(login)
  return {
    name,
    uin: credential?.uin,
    ...credential === undefined ? {} : { channel: credential.loginType === 1 ? 'alt' : 'main' },
    nickname: login.nickname,
    state: login.renewal?.state === 'log in again' ? 'log in again' : 'ok',
    reason: login.renewal?.reason,
    createdAt: login.createdAt,
    renewedAt: login.renewal?.renewedAt,
    expiresAt: made === undefined ? undefined : made + lifeOf(login),
    renewsAt: made === undefined || !renewable ? undefined : Math.floor(dueAt(login, now, times) / 1000),
    renewable,
    keys: (login.keys ?? []).map((key) => ({ ...accountKeyOf(key), createdAt: key.createdAt }))
  }
}

/** Returns what renewals may use: the record of the key, and the one before while the key has not answered yet. */
export function recordsOf (login: StoredLogin): readonly LoginRenewal[] {
  const credential = credentialOf(login)
  if (credential === undefined || login.renewal === undefined) return []
  const { renewedAt: _, previous, state: __, reason: ___, refusedBy: ____, refreshKeyChanged: _____, ...record } =
    login.renewal
  const usable = ({ musicId, musicKey }: LoginRenewal): boolean => musicId === credential.uin && isCookieValue(musicKey)
  // A cookie that somebody else put there makes the rest useless.
  if (record.musicKey !== credential.key || !usable(record)) return []
  return previous !== undefined && usable(previous) ? [record, previous] : [record]
}

export function isRenewable (login: StoredLogin): boolean {
  return recordsOf(login).length > 0
}

/** Returns the login with a new record in place of `old`, which is kept. `now`: milliseconds since the epoch. */
export function renewed (login: StoredLogin, old: LoginRenewal, record: LoginRenewal, now: number): StoredLogin {
  const previous = old.musicKey === record.musicKey ? {} : { previous: old }
  const isKnown = old.refreshKey !== undefined && record.refreshKey !== undefined
  const changed = isKnown ? { refreshKeyChanged: old.refreshKey !== record.refreshKey } : {}
  const renewal = { ...record, renewedAt: Math.floor(now / 1000), ...changed, ...previous }
  return { ...login, cookie: withKey(login.cookie ?? '', record.musicKey), renewal }
}

/**
 * What a renewal has to work with: the names of its fields, the life of the key in seconds, and whether the last one
 * brought another refreshKey.
 */
export interface RenewalFacts {
  readonly channel: 'main' | 'alt'
  readonly fields: readonly string[]
  readonly keyLife?: number
  readonly refreshKeyChanged?: boolean
}

/** Returns what may be told of a renewal's data: names, never values. */
export function renewalFactsOf (record: LoginRenewal & { readonly refreshKeyChanged?: boolean }): RenewalFacts {
  const { loginType, keyExpiresIn: keyLife, refreshKeyChanged } = record
  const fields = Object.keys(LoginRenewal.properties)
    .filter((name) => !['loginType', 'musicId', 'musicKey'].includes(name) && name in record)
  return {
    channel: loginType === 1 ? 'alt' : 'main',
    fields,
    ...keyLife === undefined ? {} : { keyLife },
    ...refreshKeyChanged === undefined ? {} : { refreshKeyChanged }
  }
}

/**
 * Returns a renewed login with the secret and the keys of the file, which may have changed since: a revoked key must
 * not come back.
 */
export function withSecretsOf (file: StoredLogin, newer: StoredLogin): StoredLogin {
  const { secret: _, keys: __, ...login } = newer
  return {
    ...login,
    ...file.secret === undefined ? {} : { secret: file.secret },
    ...file.keys === undefined ? {} : { keys: file.keys }
  }
}

/** Whether the key of a login was made out of that of another one. */
export function followsKeyOf (next: StoredLogin, login: StoredLogin): boolean {
  const { previous } = next.renewal ?? {}
  return previous !== undefined && previous.musicKey === login.renewal?.musicKey
}

/** Whether a login is what a renewal made of another one. */
export function isRenewalOf (next: StoredLogin, login: StoredLogin): boolean {
  return followsKeyOf(next, login) && next.renewal?.musicKey !== login.renewal?.musicKey
    && next.secret === login.secret
    && next.loginUin === login.loginUin
}

/** Returns the login without the record before: its key has answered. */
export function withoutPrevious (login: StoredLogin): StoredLogin {
  const { previous: _, ...renewal } = login.renewal as NonNullable<StoredLogin['renewal']>
  return { ...login, renewal }
}

/**
 * Returns the login, marked as ended with the upstream's code. `origin`: who said so in place of the upstream; empty:
 * nobody.
 */
export function refused (login: StoredLogin, reason: number, origin: string): StoredLogin {
  return {
    ...login,
    renewal: {
      ...login.renewal as NonNullable<StoredLogin['renewal']>,
      state: 'log in again',
      reason,
      ...origin === '' ? {} : { refusedBy: origin }
    }
  }
}

/** When the key was made, by this machine's clock if the relay renewed it. Unix seconds. */
function madeAt ({ renewal, createdAt }: StoredLogin, now: number): number | undefined {
  const made = renewal?.renewedAt ?? renewal?.keyCreatedAt ?? createdAt
  return made === undefined || made > now / 1000 + clockDifference ? undefined : made
}

function lifeOf ({ renewal }: StoredLogin): number {
  return Math.max(shortestLife, Math.min(longestLife, renewal?.keyExpiresIn ?? usualLife))
}

/** When logins are renewed. Tests use others. */
export const renewalTimes = {
  /**
   * Part of a key's life after which it is renewed. Two thirds of three days leave a day for failures. Public clients
   * usually renew about once a day (2026-11).
   */
  renewPercent: 200 / 3,
  /** Variation of that time, so that accounts created in one evening are not all renewed in the same second. */
  renewJitterPercent: 10,
  /**
   * First pause after a failed renewal. Each further one is twice as long. A shorter pause would not outlast an outage.
   */
  renewRetryMinMs: 60_000,
  /** Longest such pause. It allows at least three attempts in the last third of a key's life. */
  renewRetryMaxMs: 21_600_000,
  /**
   * Minimum time between two renewals of one login. A login whose keys are refused at once is not renewed in a loop.
   */
  renewGapMs: 600_000,
  /** Concurrent renewals. After a long stop, all accounts are due. */
  renewalsAtOnce: 4
}

export type RenewalTimes = typeof renewalTimes

/**
 * Returns when the key is to be renewed, in milliseconds since the epoch. The variation follows from the key, so that
 * it is the same after a restart. A key of unknown age is due at once.
 */
export function dueAt (
  login: StoredLogin,
  now: number,
  { renewPercent, renewJitterPercent }: RenewalTimes
): number {
  const made = madeAt(login, now)
  if (made === undefined) return 0
  const part = createHash('sha256').update(login.cookie ?? '').digest().readUInt32BE(0) / 2 ** 32
  const variation = 1 + (2 * part - 1) * renewJitterPercent / 100
  return 1000 * (made + lifeOf(login) * renewPercent / 100 * variation)
}

/**
 * Returns the pause after this many failures in a row, in milliseconds. `part`, from 0 to 1: where in its variation.
 */
export function pauseAfter (
  failures: number,
  { renewRetryMinMs, renewRetryMaxMs, renewJitterPercent }: RenewalTimes,
  part = Math.random()
): number {
  const pause = Math.min(renewRetryMaxMs, renewRetryMinMs * 2 ** (failures - 1))
  return pause * (1 + (2 * part - 1) * renewJitterPercent / 100)
}

// Whose refusal a stored login holds. A demo or a mirror in place of the upstream (the setting `upstreamOrigin`)
// refuses logins that it does not know; that must not end them where they were made.

/**
 * Returns a login of a file as it counts at this origin: without the refusal of another one. `origin`: empty for the
 * upstream itself, whose refusal counts everywhere.
 */
export function refusalsAt<T extends UserInfo> (origin: string, login: T): T {
  const { state: _, reason: __, refusedBy, ...unrefused } = login.renewal ?? {}
  return refusedBy === undefined || refusedBy === origin ? login : { ...login, renewal: unrefused }
}

// Keys of accounts: texts that act for an account within limits, and can be revoked. Only their hashes are stored.

/** Limits of a new key. */
export interface KeyLimits {
  /** It cannot start or check logins. */
  readonly readOnly?: boolean | undefined
  /** It can neither do that nor call endpoints that need a login: it searches and plays. */
  readonly noLoginEndpoints?: boolean | undefined
  /** Requests per minute of this key alone. */
  readonly perMinute?: number | undefined
}

/**
 * Returns the hash of a secret, as files hold it for keys. The texts are random, so that a slow hash would add nothing.
 */
export function hashOfSecret (text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function accountKeyOf ({ id, readOnly = false, noLoginEndpoints = false, perMinute }: StoredKey): AccountKey {
  return { id, readOnly, noLoginEndpoints, ...perMinute === undefined ? {} : { perMinute } }
}

/**
 * Returns the keys with one more, and its text. `createdAt`: Unix seconds. Throws InvalidInput for an unusable id or
 * limit, an id in use, or too many keys.
 */
export function withNewKey (
  keys: readonly StoredKey[],
  id: string,
  { readOnly, noLoginEndpoints, perMinute }: KeyLimits,
  createdAt: number
): { readonly keys: StoredKey[], readonly text: string } {
  if (!new RegExp(accountNamePattern).test(id)) {
    throw new InvalidInput('key: must have a name of 1 to 32 lower-case letters, digits and hyphens, not beginning with a hyphen.')
  }
  if (perMinute !== undefined && !(Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= mostPerMinute)) {
    throw new InvalidInput(`perMinute: must be a whole number from 1 to ${mostPerMinute}.`)
  }
  if (keys.some((key) => key.id === id)) throw new InvalidInput(`key: ${id} exists. Revoke it first, or choose another name.`)
  if (keys.length >= mostKeys) throw new InvalidInput(`key: the account has ${mostKeys} keys, which is the most. Revoke one first.`)
  const text = `mk_${randomBytes(32).toString('base64url')}`
  const key = {
    id,
    hash: hashOfSecret(text),
    createdAt,
    ...readOnly === true ? { readOnly } : {},
    ...noLoginEndpoints === true ? { noLoginEndpoints } : {},
    ...perMinute === undefined ? {} : { perMinute }
  }
  return { keys: [...keys, key], text }
}

// @mutate renewal: renewal accounts account-requests accounts-seen
