/** Constants for user interfaces that show a QR code. */
import type { ErrorCode } from '../../../schemas/errors.ts'
import { isLoopbackHost } from '../http/origins.ts'

export { altScanAddress, scanApps } from './loginRequests.ts'

/** The two login channels. */
export type Channel = 'main' | 'alt'

/** How a user interface (the login page, the command) polls the state of a QR code. */
export const polling = {
  /** Pause between two checks. Milliseconds. Checks of the alternative channel are long polls anyway. */
  pauseMs: { main: 2000, alt: 1000 },
  /** How many times an expired code is replaced. */
  mostRefreshes: 3,
  /** Number of failed checks in a row that are tolerated. */
  mostTroubles: 3,
  /** Error codes of a check after which the QR code may still be valid. */
  transient: [
    'UPSTREAM_UNREACHABLE',
    'UPSTREAM_UNREADABLE',
    'UPSTREAM_TIMEOUT',
    'UPSTREAM_PAUSED',
    'LOGIN_TIMEOUT',
    'OVERLOADED',
    'STOPPING'
  ] as readonly ErrorCode[]
} as const

/**
 * Returns the address of the demo upstream's scan pages, where a user simulates the phone: no phone can scan a code
 * that names this machine. Undefined unless upstream requests go to this machine. `<root>/<channel>/<id>` is the page
 * of one code.
 */
export function scanPagesOf (upstreamOrigin: string): string | undefined {
  return upstreamOrigin !== '' && isLoopbackHost(new URL(upstreamOrigin).hostname) ? `${upstreamOrigin}/scan`
    : undefined
}

// @mutate login steps: login-rules login-command
