/** Keys of accounts: texts that act for an account within limits, and can be revoked. Only their hashes are stored. */
import { createHash, randomBytes } from 'node:crypto'
import { accountNamePattern, mostKeys, mostPerMinute, type StoredKey } from '../../schemas/accounts.ts'
import { InvalidInput } from '../common/errors.ts'
import type { AccountKey } from '../core/accountBook.ts'

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

/** Returns the key without its hash. */
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

// @mutate accounts: accounts account-requests
