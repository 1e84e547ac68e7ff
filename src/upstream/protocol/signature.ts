/** The signature of the gateway's signed entry. Source: public clients of 2026 and their vectors (2026-11). */
import { createHash } from 'node:crypto'

/** The digits of the hash that come first and last, and the bytes that the hash is mixed with. */
const head = [23, 14, 6, 36, 16, 7, 19]
const tail = [16, 1, 32, 12, 19, 27, 8, 5]
const mask = [89, 39, 179, 150, 218, 82, 58, 252, 177, 52, 186, 123, 120, 64, 242, 133, 143, 161, 121, 179]

/** Returns the signature (`zzc…`) of a body, for the exact text that is sent. */
export function signatureOf (body: string): string {
  const hash = createHash('sha1').update(body, 'utf8').digest()
  const digits = hash.toString('hex')
  const pick = (places: readonly number[]): string => places.map((place) => digits[place]).join('')
  const mixed = Buffer.from(hash.map((byte, at) => byte ^ (mask[at] ?? 0))).toString('base64').replaceAll(/[\\/+=]/g, '')
  return `zzc${pick(head)}${mixed}${pick(tail)}`.toLowerCase()
}
