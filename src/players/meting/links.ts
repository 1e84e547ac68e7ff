/** Signed links. A link works only if the relay issued it, and it contains the account on which it plays. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Kinds of links in a list. */
export type LinkType = 'url' | 'pic' | 'lrc'

/** The account on which a link plays: none, or the operator's. */
export type Scope = 'anonymous' | 'operator'

/** Signs links and checks them. */
export interface Links {
  /** Returns the value of `auth`. */
  sign (type: LinkType, id: string, scope: Scope): string
  /** Returns the scope of a link. Undefined if this relay did not sign it. */
  check (type: LinkType, id: string, auth: string): Scope | undefined
}

/** How long a link plays on the operator's account, in milliseconds. It is longer than a page with music stays open. */
const operatorMs = 12 * 60 * 60 * 1000
/** Expiry times are rounded up to this, so that lists created within some minutes are equal. Milliseconds. */
const roundMs = 10 * 60 * 1000

/**
 * Returns the links of a secret. `now`: Unix time in milliseconds. A link without an expiry is anonymous and is valid as long
 * as the secret, because pages are created from lists days before they are read. A link with an expiry plays on the
 * operator's account until then, and anonymously afterwards.
 */
export function createLinks (secret: string, now: () => number): Links {
  const hashed = (type: LinkType, id: string, end: string): Buffer =>
    createHmac('sha256', secret).update(JSON.stringify([type, id, end])).digest().subarray(0, 16)
  return {
    sign (type, id, scope) {
      const end = scope === 'operator' ? (Math.ceil(now() / roundMs) * roundMs + operatorMs).toString(36) : ''
      return `${end}${end === '' ? '' : '.'}${hashed(type, id, end).toString('base64url')}`
    },
    check (type, id, auth) {
      const [, end = '', hash] = /^(?:([0-9a-z]{1,10})\.)?([\w-]{22})$/.exec(auth) ?? []
      if (hash === undefined || !timingSafeEqual(Buffer.from(hash, 'base64url'), hashed(type, id, end))) return undefined
      return end !== '' && parseInt(end, 36) > now() ? 'operator' : 'anonymous'
    }
  }
}
