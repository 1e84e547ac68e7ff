/** Optional packages (peer dependencies). They are loaded only if the feature that needs them is used. */
import { ConfigError } from './errors.ts'

/**
 * Returns an error handler for the import of an optional package: `import('x').catch(explainMissingPackage('metrics', 'x'))`.
 * In this form, bundlers leave out a package that is not installed. `who`: the feature that needs it.
 * @throws {ConfigError} The package is not installed. The message says how to install it.
 */
export function explainMissingPackage (who: string, name: string): (error: unknown) => never {
  return (error) => {
    if (!String((error as NodeJS.ErrnoException).code).endsWith('MODULE_NOT_FOUND')) throw error
    throw new ConfigError(`${who}: needs a package that is not installed: npm install ${name}`)
  }
}
