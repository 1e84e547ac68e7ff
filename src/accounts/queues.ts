/**
 * The play queue of each account, in the folder `queues`. Like accounts, they are encrypted with `accountsSecret`, if
 * there is one. A queue belongs to the secret of its account: another account of the same name does not get it.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BaseLogger } from 'pino'
import type { SealedAccount } from '../../schemas/accounts.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import { readPrivate, writing } from '../common/privateFile.ts'
import type { AccountBook } from '../relay/accountBook.ts'
import type { PlayQueue, PlayQueues } from '../relay/playQueues.ts'
import { removed, sealedIfSecret, unseal } from './loginFiles.ts'

/** A queue of five hundred songs has some kilobytes. */
const mostBytes = 256 * 1024

interface Content { readonly bound: string, readonly queue: PlayQueue }

const queueFile = (folder: string, account: string): string => join(folder, 'queues', `${account}.json`)

export const removeQueue = async (folder: string, account: string): Promise<boolean> =>
  await removed(queueFile(folder, account))

/** Options. `secret`: the setting `accountsSecret`. */
export interface QueuesOptions {
  readonly folder: string
  readonly secret: string
  readonly accounts: Pick<AccountBook, 'secretOf'>
  readonly log: Pick<BaseLogger, 'warn'>
}

/** Returns the queues of a folder. What cannot be read counts as no queue, unless no file can be opened. */
export function storedQueues ({ folder, secret, accounts, log }: QueuesOptions): PlayQueues {
  const boundOf = (account: string): string =>
    createHash('sha256').update(`queue ${accounts.secretOf(account) ?? ''}`).digest('base64url')
  const nameOf = (account: string): string => `queue of ${account}`

  return {
    async read (account) {
      const file = queueFile(folder, account)
      try {
        const facts = await stat(file).catch(() => undefined)
        const text = facts?.isFile() === true && facts.size <= mostBytes ? await readPrivate(file) : undefined
        if (text === undefined) return undefined
        const value = JSON.parse(text) as SealedAccount | Content
        const content = 'sealed' in value
          ? JSON.parse(unseal(value, nameOf(account), secret) ?? 'null') as Content | null : value
        return content?.bound === boundOf(account) ? content.queue : undefined
      } catch (err) {
        if (isOutOfFiles(err)) throw err
        log.warn({ err }, 'a play queue cannot be read')
        return undefined
      }
    },
    async write (account, queue) {
      const content: Content = { bound: boundOf(account), queue }
      await writing(queueFile(folder, account), async (write) => {
        await write(sealedIfSecret(content, nameOf(account), secret))
      })
    }
  }
}

// @mutate accounts: opensubsonic-queue
