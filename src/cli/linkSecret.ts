/** The secret with which links are signed. It is made at the first link, and stays the same for all instances of a folder. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { readPrivate, writing } from '../common/privateFile.ts'

/** Name of the file. */
export const linkSecretFile = 'link-secret.json'

/**
 * Returns a function that reads the secret of a folder, and makes it if there is none. Where it can be neither read nor
 * written, the secret lasts as long as the process, with a warning.
 */
export function linkSecretIn (folder: string, log: Pick<FastifyBaseLogger, 'warn'>): () => Promise<string> {
  const file = join(folder, linkSecretFile)
  return async () => {
    try {
      return secretOf(await readPrivate(file)) ?? await writing(file, async (write) => {
        const others = secretOf(await readPrivate(file))
        if (others !== undefined) return others
        const secret = randomBytes(32).toString('hex')
        await write({ secret })
        return secret
      })
    } catch (error) {
      log.warn(`${file}: ${(error as NodeJS.ErrnoException).code ?? 'it is not what the relay writes; remove it'}: links are signed with a secret that ends with this process`)
      return randomBytes(32).toString('hex')
    }
  }
}

/** Throws if the text is not that of such a file. */
function secretOf (text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { secret } = JSON.parse(text) as { secret?: unknown }
  if (typeof secret !== 'string' || secret.length < 32) throw new TypeError('no secret')
  return secret
}
