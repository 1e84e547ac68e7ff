/** What the relay needs of its stored accounts. src/accounts keeps and renews them. */
import type { LoginRenewal, LoginSession } from '../common/types.ts'
import type { Credential } from '../upstream/protocol/credentials.ts'

/** The account of `user-info.json`, the global login. It has no secret of its own. */
export const defaultAccount = 'default'

/** Returns the command that logs in again. */
export function loginCommand (name: string): string {
  return `music-relay login${name === defaultAccount ? '' : ` --as ${name}`}`
}

/** A key of an account that may be revoked, and what it may do. The account's own secret has no limits. */
export interface AccountKey {
  /** Name of the key, as the operator chose it. */
  readonly id: string
  /** It may call everything that changes nothing: no endpoint that starts or checks a login. */
  readonly readOnly: boolean
  /** Moreover, it may not call endpoints that need a login. */
  readonly noLoginEndpoints: boolean
  /** Requests per minute. Absent: those of its account. */
  readonly perMinute?: number | undefined
}

/** What its owner and the operator may see of a stored account. */
export interface AccountFacts {
  /** Name of the account in this relay. */
  readonly name: string
  /** Nickname of the account's owner. Absent if it is not known. */
  readonly nickname?: string | undefined
  /** `log in again`: the upstream refuses to renew the login. Its key may work until it expires. */
  readonly state: 'ok' | 'log in again'
  /** When the login expires unless it is renewed, Unix seconds. Absent if the key's age is not known. */
  readonly expiresAt?: number | undefined
}

/** A finished login that was stored as an account. */
export interface StoredAs {
  /** The secret, if it is new: it is shown once. */
  readonly secret: string | undefined
  /** Other accounts of the relay with the same account number. */
  readonly others: readonly string[]
}

/** Stores finished logins as accounts, for the operator. */
export interface LoginStorage {
  /** Returns why nothing can be stored; undefined if it can. */
  refusal (): Promise<string | undefined>
  /** Stores a login under this name. Throws RelayError if that is not possible. */
  store (name: string, session: LoginSession, renewal: LoginRenewal | undefined): Promise<StoredAs>
}

/**
 * How a stored login does.
 * - `ok`: the relay renews it
 * - `failing`: the last renewal failed, and the relay tries again
 * - `not renewed`: the relay does not renew it, by its settings or because the login lacks the data for a renewal
 * - `log in again`: the upstream refuses to renew it, or the cookie is no login
 * - `unreadable`: its file cannot be used
 */
const storedLoginStates = ['ok', 'failing', 'not renewed', 'log in again', 'unreadable'] as const

export type StoredLoginState = typeof storedLoginStates[number]

/** What is wrong with an account, for people. No text holds anything secret. */
export interface AccountTrouble {
  /** What is wrong: half a sentence. */
  readonly why: string
  /** What to do, a sentence that ends with the command. */
  readonly next: string
  /** The command that helps. */
  readonly command: string
}

/** The state of one account. */
export interface AccountStatus {
  /** Name of the account in this relay. */
  readonly name: string
  /** How its login does. */
  readonly state: StoredLoginState
  /** When its key expires, Unix seconds. Absent if that is not known. */
  readonly expiresAt?: number
  /** Seconds until then; negative: it has expired. */
  readonly expiresIn?: number
  /** What is wrong, unless the state is `ok`. */
  readonly trouble?: AccountTrouble
}

/** Returns how many accounts are in each state. */
export function countsByState (accounts: readonly AccountStatus[]): Record<StoredLoginState, number> {
  return Object.fromEntries(storedLoginStates.map((state) => [state, accounts.filter((each) => each.state === state).length])) as Record<
    StoredLoginState,
    number
  >
}

/**
 * What became of an attempt to renew a login.
 * - `renewed`, `refused` (log in again), `failed` (tried again later)
 * - `changed`: another process renewed or replaced the login
 * - `busy`: another process renews it
 * - `impossible`: the login lacks the data for a renewal, or was refused before; or the relay stops
 */
export const attemptOutcomes = ['renewed', 'refused', 'failed', 'changed', 'busy', 'impossible'] as const

export type Attempt = typeof attemptOutcomes[number]

/** Whose secret or key it is. */
export interface SecretOwner {
  /** Name of the account in this relay. */
  readonly name: string
  /** The key. Absent: the account's own secret. */
  readonly key?: AccountKey | undefined
}

/** The stored accounts, for those who ask with their secrets and those who watch over them. */
export interface AccountBook {
  /** Returns whose secret or key this is. The time it takes says nothing about secrets. */
  bySecret (secret: string): SecretOwner | undefined
  /** Returns what is known of an account. Undefined if it is not stored. */
  get (name: string): AccountFacts | undefined
  /** Returns the secret of an account. Undefined for `default` and for an account that is not stored. */
  secretOf (name: string): string | undefined
  /** Returns the cookie text of an account. */
  cookieOf (name: string): string | undefined
  /**
   * A call was refused because the login of this credential ended. Returns the cookie text to call with once more if
   * another key has taken its place meanwhile, as a renewal under way or another instance may do. Never throws.
   */
  replaced (name: string, credential: Credential): Promise<string | undefined>
  /** A call that needs a login was answered with this credential. */
  answered (name: string, credential: Credential): void
  /** Returns the state of every account, sorted by name. */
  states (): readonly AccountStatus[]
  /** Returns the number of attempts to renew since the start, by outcome. */
  renewals (): Readonly<Record<Attempt, number>>
}
