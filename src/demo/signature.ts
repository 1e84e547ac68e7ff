import { createHash } from 'node:crypto'

/** Positions in the hash, and the key of its bytes, as in ten clients of 2026. */
const before = [23, 14, 6, 36, 16, 7, 19]
const after = [16, 1, 32, 12, 19, 27, 8, 5]
const key = [89, 39, 179, 150, 218, 82, 58, 252, 177, 52, 186, 123, 120, 64, 242, 133, 143, 161, 121, 179]

/**
 * Returns the signature of a body of the signed gateway (2026): letters and digits, all lower case. Node hashes the
 * text as UTF-8.
 */
export function signatureOf (body: string): string {
  const hash = createHash('sha1').update(body).digest()
  const hex = hash.toString('hex')
  const picked = (places: readonly number[]): string => places.map((place) => hex[place]).join('')
  const mixed = Buffer.from(hash.map((byte, at) => byte ^ (key[at] ?? 0))).toString('base64').replaceAll(/[\\/+=]/g, '')
  return `zzc${picked(before)}${mixed}${picked(after)}`.toLowerCase()
}
