/** What a relay puts in order among the files of accounts when it starts. */
import { dirname } from 'node:path'
import type { BaseLogger } from 'pino'
import { unwritable, unwritableInWords } from '../common/files.ts'
import type { LoginFiles } from './files.ts'
import { isRenewable, isRenewalOf } from './record.ts'
import type { LoginStore } from './store.ts'

/**
 * Warns of folders in which no renewed login could be stored, if the relay `renews`; encrypts files that are not encrypted though they should
 * be, then removes what interrupted writes left behind. Never throws: what cannot be done is logged.
 */
export async function maintainFiles (files: LoginFiles, store: LoginStore, log: Pick<BaseLogger, 'info' | 'warn'>, renews: boolean): Promise<void> {
  const renewable = renews ? store.all().filter(({ login }) => isRenewable(login)) : []
  await Promise.all([...new Set(renewable.map(({ file }) => dirname(file.path)))].map(async (folder) => {
    const code = await unwritable(folder)
    if (code !== undefined) log.warn(unwritableInWords(code, folder))
  }))
  const sealed: string[] = []
  await Promise.all(store.all().map(async ({ name, file }) => {
    await file.seal().then((done) => { if (done) sealed.push(name) }, (error: NodeJS.ErrnoException) => {
      log.warn(`account ${name}: its file is not encrypted, and cannot be written (${error.code ?? error.name}). Make it writable, then restart the relay.`)
    })
  }))
  if (sealed.length > 0) log.info(`encrypted with ACCOUNTS_SECRET: ${sealed.sort().join(', ')}. Older backups of these files are not.`)
  const { removed, left } = await files.removeLeftovers(isRenewalOf)
  if (removed.length > 0) log.info(`removed what an interrupted write left behind: ${removed.join(', ')}`)
  for (const name of left) {
    log.warn(
      `accounts/${name} may hold the only login of its account that works, and cannot be used as it is: it is kept. Correct what the log says about the account (ACCOUNTS_SECRET, rights, a full disk), then restart the relay. If the account works without it, delete it.`
    )
  }
}

// @mutate accounts: accounts accounts-seen
