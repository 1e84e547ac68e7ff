/** The interface to the stored accounts. src/accounts stores and renews them. */
import type { LoginRenewal, LoginSession } from '../common/schemaTypes.ts'
import type { Credential } from '../upstream/wire/credentials.ts'

/** The account of `user-info.json`, which is the global login. It has no secret of its own. */
export const defaultAccount = 'default'

/** Returns the command that logs in again. */
export function loginCommand (name: string): string {
  return `music-relay login${name === defaultAccount ? '' : ` --as ${name}`}`
}

/** A revocable key of an account, and its limits. The account's own secret has no limits. */
export interface AccountKey {
  /** Name of the key, as the operator chose it. */
  readonly id: string
  /** It may call only endpoints that change nothing: none that starts or checks a login. */
  readonly readOnly: boolean
  /** It may also not call endpoints that need a login, and gets nothing personal. */
  readonly noLoginEndpoints: boolean
  /** Requests per minute. Absent: the limit of its account. */
  readonly perMinute?: number | undefined
}

/** Facts of a stored account that its owner and the operator may see. */
export interface AccountFacts {
  /** Name of the account in this relay. */
  readonly name: string
  /** Nickname of the account's owner. Absent if unknown. */
  readonly nickname?: string | undefined
  /** `log in again`: the upstream refuses to renew the login. Its key may work until it expires. */
  readonly state: 'ok' | 'log in again'
  /** When the login expires unless it is renewed, Unix seconds. Absent if the key's age is unknown. */
  readonly expiresAt?: number | undefined
}

/** A finished login that was stored as an account. */
export interface StoredAs {
  /** The secret, if it is new. It is shown once. */
  readonly secret: string | undefined
  /** Other accounts of the relay with the same account number. */
  readonly others: readonly string[]
}

/** Stores finished logins as accounts, for the operator. */
export interface LoginStorage {
  /** Returns the reason why nothing can be stored. Undefined if storing is possible. */
  refusal (): Promise<string | undefined>
  /** Stores a login under this name. Throws RelayError if that is not possible. */
  store (name: string, session: LoginSession, renewal: LoginRenewal | undefined): Promise<StoredAs>
}

/**
 * State of a stored login.
 * - `ok`: the relay renews it
 * - `failing`: the last renewal failed, and the relay tries again
 * - `not renewed`: the relay does not renew it, by its settings or because the login lacks the data for a renewal
 * - `log in again`: the upstream refuses to renew it, or the cookie is no login
 * - `unreadable`: its file cannot be used
 */
const storedLoginStates = ['ok', 'failing', 'not renewed', 'log in again', 'unreadable'] as const

export type StoredLoginState = typeof storedLoginStates[number]

/** A problem of an account, for people. No text contains a secret. */
export interface AccountTrouble {
  /** The problem, as half a sentence. */
  readonly why: string
  /** The next step, as a sentence that ends with the command. */
  readonly next: string
  /** The command that solves the problem. */
  readonly command: string
}

/** The state of one account. */
export interface AccountStatus {
  /** Name of the account in this relay. */
  readonly name: string
  /** State of its login. */
  readonly state: StoredLoginState
  /** When its key expires, Unix seconds. Absent if unknown. */
  readonly expiresAt?: number
  /** Seconds until it expires. Negative if it has expired. */
  readonly expiresIn?: number
  /** The problem, unless the state is `ok`. */
  readonly trouble?: AccountTrouble
}

/** Returns the number of accounts in each state. */
export function countsByState (accounts: readonly AccountStatus[]): Record<StoredLoginState, number> {
  return Object.fromEntries(storedLoginStates.map((
    state
  ) => [state, accounts.filter((each) => each.state === state).length])) as Record<
    StoredLoginState,
    number
  >
}

/**
 * Outcome of an attempt to renew a login.
 * - `renewed`, `refused` (log in again), `failed` (tried again later)
 * - `changed`: another process renewed or replaced the login
 * - `busy`: another process is renewing it
 * - `impossible`: the login lacks the data for a renewal, was refused before, or the relay is stopping
 */
export const renewalResults = ['renewed', 'refused', 'failed', 'changed', 'busy', 'impossible'] as const

export type RenewalResult = typeof renewalResults[number]

/** The owner of a secret or key. */
export interface SecretOwner {
  /** Name of the account in this relay. */
  readonly name: string
  /** The key. Absent if the account's own secret was used. */
  readonly key?: AccountKey | undefined
}

/** A key of an account, as addresses name it. */
export interface NamedKey {
  /** The key, with its limits. */
  readonly key: AccountKey
  /** Hash of its text, as the account's file has it. */
  readonly hash: string
}

/** The stored accounts, for requests with their secrets and for monitoring. */
export interface AccountBook {
  /** Returns the owner of a secret or key. The response time reveals nothing about secrets. */
  bySecret (secret: string): SecretOwner | undefined
  /** Returns the facts of an account. Undefined if it is not stored. */
  get (name: string): AccountFacts | undefined
  /** Returns the secret of an account. Undefined for `default` and for an account that is not stored. */
  secretOf (name: string): string | undefined
  /** Returns the key of an account with this id. Undefined if it was revoked. */
  keyOf (name: string, id: string): NamedKey | undefined
  /** Returns the cookie text of an account. */
  cookieOf (name: string): string | undefined
  /**
   * Called when a call was refused because the login of this credential ended. Returns the cookie for one more attempt
   * if another key has replaced it meanwhile, such as by a renewal in progress or by another instance. Never throws.
   */
  replaced (name: string, credential: Credential): Promise<string | undefined>
  /** Called when a call that needs a login succeeded with this credential. */
  answered (name: string, credential: Credential): void
  /** Returns the state of every account, sorted by name. */
  states (): readonly AccountStatus[]
  /** Returns the number of renewal attempts since the start, by outcome. */
  renewals (): Readonly<Record<RenewalResult, number>>
}
