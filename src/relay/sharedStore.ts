/**
 * Opens the store that instances share. The relay and the commands use the same function, so that they share locks and
 * entries.
 */
import type { BaseLogger } from 'pino'
import type { SharedStore } from '../cache/redis.ts'
import type { Settings } from './settings.ts'

/** Timeout of the shared store. A store that needs a tenth of a second is no faster than the upstream. */
export const redisTimeoutMs = 100

/**
 * Returns the store of the settings, or undefined without one. Its client is loaded only if needed. `timeoutMs`:
 * timeout of one command.
 */
export async function openSharedStore (
  { redisUrl, redisSecret }: Pick<Settings, 'redisUrl' | 'redisSecret'>,
  timeoutMs: number,
  log: Pick<BaseLogger, 'warn' | 'info'>
): Promise<SharedStore | undefined> {
  if (redisUrl === '') return undefined
  const { openStore } = await import('../cache/redis.ts')
  return await openStore({ url: redisUrl, secret: redisSecret || redisUrl, timeoutMs }, log)
}
