/** Fits the number of client connections to the number of files that the system lets this process open. */
import { readFile } from 'node:fs/promises'
import type { Settings } from '../core/config.ts'
import { pollLimitOf } from '../core/clientLimits.ts'
import { tuning } from '../core/tuning.ts'

/** Files of the process itself: event loop, log, stored login, shared store, pages that are being read. 25 were counted. */
const ownFiles = 64

/** Why fewer connections are served than the settings say. */
export interface Lowered {
  readonly maxConnections: number
  /** One line for the log. */
  readonly warning: string
}

/**
 * Returns the number of client connections that fits, with a warning, or undefined if the setting fits. `limit`: number
 * of files that the process may open. At least half of it is for clients. `demo`: the demo upstream runs in this process,
 * and holds the other end of each upstream connection.
 */
export function lowered (
  { maxConnections, upstreamLimit }: Pick<Settings, 'maxConnections' | 'upstreamLimit'>,
  limit: number,
  demo: boolean
): Lowered | undefined {
  // Upstream connections stay open for a while without a request, so there are twice as many.
  const others = ownFiles + (2 * upstreamLimit + pollLimitOf({ settings: { maxConnections }, tuning })) * (demo ? 2 : 1)
  const fits = Math.max(limit - others, Math.floor(limit / 2))
  if (fits >= maxConnections) return undefined
  return {
    maxConnections: fits,
    warning: `MAX_CONNECTIONS is ${fits} instead of ${maxConnections}, because this process may open ${limit} files only: raise that limit to ${maxConnections + others} (LimitNOFILE of systemd, ulimit -n), or lower MAX_CONNECTIONS`
  }
}

/** Returns the number of files that this process may open; Infinity if the system does not tell (only Linux does). */
export async function openFileLimit (): Promise<number> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return Number(/^Max open files +(\d+)/m.exec(text)?.[1] ?? Infinity)
}
