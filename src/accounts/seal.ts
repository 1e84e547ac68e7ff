/** Encrypts stored accounts with the secret of the operator. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SealedAccount } from '../../schemas/accounts.ts'

const tagBytes = 16

/** The salt makes the key of each text another one, so that a nonce never counts twice for one key. */
function sealKeyOf (secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'music-relay stored account', 32))
}

/** Encrypts a text for this account. */
export function seal (text: string, name: string, secret: string): SealedAccount {
  const salt = randomBytes(32)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKeyOf(secret, salt), nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(name))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { sealed: 1, salt: salt.toString('base64url'), nonce: nonce.toString('base64url'), data: data.toString('base64url') }
}

/** Returns the text, or undefined if another secret, or for another account, encrypted it, or if it was changed. */
export function unseal ({ salt, nonce, data }: SealedAccount, name: string, secret: string): string | undefined {
  const bytes = Buffer.from(data, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealKeyOf(secret, Buffer.from(salt, 'base64url')), Buffer.from(nonce, 'base64url'), {
      authTagLength: tagBytes
    })
      .setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

// @mutate accounts: accounts
