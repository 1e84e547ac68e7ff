/** What the doctor says about the store that instances share. */
import type { Settings } from '../core/config.ts'
import { sharedStoreOf } from './openAccounts.ts'

/** State of the store, for programs and for people. */
export interface StoreReport { readonly state: 'up' | 'down', readonly line: string }

/** Asks the store, as an instance would. Returns undefined without one. */
export async function checkStore (settings: Settings): Promise<StoreReport | undefined> {
  const store = await sharedStoreOf(settings)
  if (store === undefined) return undefined
  const lock = await store.lock('a check of the doctor', 1000)
  await store.close()
  return lock === undefined
    ? { state: 'down', line: 'The shared store does not answer. Check that it runs, and the address and the password in REDIS_URL.' }
    : { state: 'up', line: 'The shared store answers.' }
}
