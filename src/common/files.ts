/** Facts about files. */
import { stat } from 'node:fs/promises'

/** Returns true if users other than the owner may read the file; false if there is no file, and on Windows. */
export async function isReadableByOthers (file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined)
  return facts !== undefined && process.platform !== 'win32' && (facts.mode & 0o077) !== 0
}
