/** What somebody who shows a code to a person needs to know. */
import type { ErrorCode } from '../../schemas/errors.ts'
import { isLoopbackHost } from '../provider/origins.ts'

export { altScanAddress, scanApps } from '../provider/loginWire.ts'

export type Channel = 'main' | 'alt'

/** How the code that a person was shown is asked after: by the page, and by the command. */
export const polling = {
  /** Between two checks. Those of the alternative channel wait for news by themselves. */
  pauseMs: { main: 2000, alt: 1000 },
  /** A code that nobody scans is replaced this often. */
  mostRefreshes: 3,
  /** Failed checks in a row after which asking again is given up. */
  mostTroubles: 3,
  /** Failures of a check after which the code may still be good. */
  transient: ['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREADABLE', 'UPSTREAM_TIMEOUT', 'LOGIN_TIMEOUT', 'OVERLOADED', 'STOPPING'] as readonly ErrorCode[]
} as const

/**
 * Where the demo upstream has its scan pages, which stand for the phone: nobody can scan a code that names this machine.
 * Undefined unless upstream requests go to this machine. `<root>/<channel>/<id>` is the page of one code.
 */
export function scanPagesOf (upstreamOrigin: string): string | undefined {
  return upstreamOrigin !== '' && isLoopbackHost(new URL(upstreamOrigin).hostname) ? `${upstreamOrigin}/scan` : undefined
}
