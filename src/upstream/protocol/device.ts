/** The random device that a relay sends to the gateway's signed entry. */
import { randomBytes, randomInt } from 'node:crypto'

/** `guid`: 32 upper-case hex digits. `wid`: 19 digits. Public clients create both once and store them (2026). */
export interface Device { readonly guid: string, readonly wid: string }

/** Returns a new device. */
export function createDevice (): Device {
  const digits = Array.from({ length: 18 }, () => randomInt(10)).join('')
  return { guid: randomBytes(16).toString('hex').toUpperCase(), wid: `${randomInt(1, 10)}${digits}` }
}
