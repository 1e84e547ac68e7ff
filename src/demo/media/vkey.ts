import { createHmac, timingSafeEqual } from 'node:crypto'

/** The file, guid and account that a play address is valid for. */
export interface FileGrant { filename: string, guid: string, uin: string }

function signature (secret: string, { filename, guid, uin }: FileGrant, expires: string): string {
  return createHmac('sha256', secret).update([filename, guid, uin, expires].join('\n')).digest('hex').toUpperCase()
}

/** Returns a key: the last valid second in eight hex digits, then a signature. Upper-case hex, like the real keys. */
export function issueVkey (secret: string, grant: FileGrant, expiresAt: number): string {
  const expires = Math.floor(expiresAt / 1000).toString(16).padStart(8, '0').toUpperCase()
  return expires + signature(secret, grant, expires)
}

export function vkeyHolds (secret: string, grant: FileGrant, vkey: string, now: number): boolean {
  const expires = vkey.slice(0, 8)
  const wanted = Buffer.from(expires + signature(secret, grant, expires))
  const given = Buffer.from(vkey)
  return given.length === wanted.length && timingSafeEqual(given, wanted) && Number.parseInt(expires, 16) * 1000 >= now
}
