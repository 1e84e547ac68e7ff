/** What the relay wrote into the page: facts that do not change while it runs. */
import type { polling } from '../../src/upstream/login/scan.ts'

export interface Facts {
  readonly version: string
  /** What the relay is in front of. */
  readonly upstream: 'demo' | 'live' | 'another origin'
  readonly docs: boolean
  readonly guide: boolean
  /** Whether requests without a cookie use the login of the relay. */
  readonly globalCookie: boolean
  /** Whether requests may bring a cookie of their own. */
  readonly ownLogin: boolean
  /** Whether the relay keeps sessions of browsers. */
  readonly sessions: boolean
  readonly polling: typeof polling
  /** The apps that scan a code, by channel. */
  readonly apps: { readonly alt: string, readonly main: string }
  /** Where a scan is simulated, in front of a demo upstream; '' elsewhere. */
  readonly scanPages: string
}

export const facts = JSON.parse(document.body.dataset['facts'] ?? '{}') as Facts
