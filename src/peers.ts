/** Packages that only some need: installed by who wants what they are for, and loaded when that is asked for. */
import { ConfigError } from './config.ts'

/** The package, or a ConfigError that says who needs it and how to get it. */
export async function loadPeer<T> (who: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).endsWith('MODULE_NOT_FOUND')) throw error
    throw new ConfigError(`${who}: needs a package that is not installed: npm install ${name}`)
  }
}
