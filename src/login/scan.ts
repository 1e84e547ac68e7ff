/** What somebody who shows a code to a person needs to know. */
import { isLoopbackHost } from '../provider/origins.ts'

export { altScanAddress, scanApps } from '../provider/loginWire.ts'

export type Channel = 'main' | 'alt'

/**
 * Where the demo upstream has its scan pages, which stand for the phone: nobody can scan a code that names this machine.
 * Undefined unless upstream requests go to this machine. `<root>/<channel>/<id>` is the page of one code.
 */
export function scanPagesOf (upstreamOrigin: string): string | undefined {
  return upstreamOrigin !== '' && isLoopbackHost(new URL(upstreamOrigin).hostname) ? `${upstreamOrigin}/scan` : undefined
}
