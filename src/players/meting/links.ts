/** Signed links: only whom the relay gave a link follows it, and on which account it plays is part of the link. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Kinds of links in a list. */
export type LinkType = 'url' | 'pic' | 'lrc'

/** On which account a link plays: none, or the operator's. */
export type Scope = 'anonymous' | 'operator'

/** Signs links and checks them. */
export interface Links {
  /** Returns the value of `auth`. */
  sign (type: LinkType, id: string, scope: Scope): string
  /** Returns what a link allows; undefined if this relay did not sign it. */
  check (type: LinkType, id: string, auth: string): Scope | undefined
}

/** How long a link plays on the operator's account: longer than a page with music stays open. Milliseconds. */
const operatorMs = 12 * 60 * 60 * 1000
/** Ends are rounded up to this, so that lists of the same minutes are equal. Milliseconds. */
const roundMs = 10 * 60 * 1000

/**
 * Returns the links of a secret. `now`: Unix time in milliseconds. A link without an end is anonymous and lasts as long as
 * the secret, because pages are made of lists days before they are read. One with an end is the operator's until then, and
 * anonymous afterwards.
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
