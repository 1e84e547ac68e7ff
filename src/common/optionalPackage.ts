/** Optional packages (peer dependencies). They are loaded only if the feature that needs them is used. */
import { ConfigError } from './errors.ts'

/**
 * Loads an optional package with `load` and returns what that returns. `who`: the feature that needs it.
 * @throws {ConfigError} The package is not installed. The message says how to install it.
 */
export async function loadPeer<T> (who: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).endsWith('MODULE_NOT_FOUND')) throw error
    throw new ConfigError(`${who}: needs a package that is not installed: npm install ${name}`)
  }
}
