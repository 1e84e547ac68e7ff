/** What the relay needs of its stored accounts. src/accounts keeps and renews them. */
import type { Credential } from '../upstream/protocol/credentials.ts'

/** The account of `user-info.json`, the global login. It has no secret of its own. */
export const defaultAccount = 'default'

/** A key of an account that may be revoked, and what it may do. The account's own secret has no limits. */
export interface AccountKey {
  readonly id: string
  /** It may call everything that changes nothing: no endpoint that starts or checks a login. */
  readonly readOnly: boolean
  /** Moreover, it may not call endpoints that need a login. */
  readonly noLoginEndpoints: boolean
  /** Requests per minute. Absent: those of its account. */
  readonly perMinute?: number | undefined
}

/** The stored accounts, for those who ask with their secrets. */
export interface AccountBook {
  /** Returns whose secret or key this is. The time it takes says nothing about secrets. */
  bySecret (secret: string): { readonly name: string, readonly key?: AccountKey | undefined } | undefined
  /** Returns the cookie text of an account. */
  cookieOf (name: string): string | undefined
  /** A call was refused because the login of this credential ended. */
  ended (name: string, credential: Credential): void
  /** A call that needs a login was answered with this credential. */
  answered (name: string, credential: Credential): void
}
