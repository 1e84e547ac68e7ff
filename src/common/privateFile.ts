/** Files with a login: readable only by their owner, replaced atomically, and written by one writer at a time. */
import { mkdir, readFile, readdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { withFileLock } from './fileLock.ts'

/** Returns the file's text, or undefined if there is none. Throws file system errors. */
export async function readPrivate (file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

/**
 * Runs `work` as the only writer of the file in all processes. `write` atomically replaces the file with the JSON text
 * of a value (mode 0600; the folder gets 0700 if it is created here). A reader never sees a partial file. Throws file
 * system errors.
 */
export async function writing<T> (
  file: string,
  work: (write: (value: object) => Promise<void>) => Promise<T>
): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  return await withFileLock(file, async () =>
    await work(async (value) => {
      await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    }))
}

/**
 * Name of a file until it is complete: it ends with a random number of 32 bits. Small numbers and dates are excluded,
 * because people and programs use them for their own copies.
 */
const leftoverName = /^(.+\.json)\.(?!(?:19|20)\d{8}$)\d{9,10}$/
/** Returns the paths of files from interrupted writes of this file, including a write in progress. */
export async function leftoversOf (file: string): Promise<readonly string[]> {
  const names = await readdir(dirname(file)).catch(() => [])
  return names
    .filter((name) => leftoverName.exec(name)?.[1] === basename(file))
    .map((name) => join(dirname(file), name))
}

/** Files younger than this may belong to a write in progress. Milliseconds. */
const longestWrite = 60_000

/** Names of files from interrupted writes. */
export interface Leftovers { readonly removed: readonly string[], readonly left: readonly string[] }

/**
 * Removes files of interrupted writes from a folder, because they are forgotten copies of a login. `isOurs`: decides by
 * the name of the file. `isUseless`: whether the content is of no use. The file stays if this throws. A file with
 * incomplete JSON is of no use.
 */
export async function removeLeftovers (
  folder: string,
  isOurs: (name: string) => boolean,
  isUseless: (name: string, text: string) => Promise<boolean>
): Promise<Leftovers> {
  const removed: string[] = []
  const left: string[] = []
  for (const leftover of await readdir(folder).catch(() => [])) {
    const name = leftoverName.exec(leftover)?.[1] ?? ''
    if (!isOurs(name)) continue
    const path = join(folder, leftover)
    const facts = await stat(path).catch(() => undefined)
    if (facts === undefined || !facts.isFile() || Date.now() - facts.mtimeMs <= longestWrite) continue
    const useless = await readFile(path, 'utf8')
      .then(async (text) => !isJson(text) || await isUseless(name, text))
      .catch(() => false)
    const done = useless && await unlink(path).then(() => true, () => false)
    ;(done ? removed : left).push(leftover)
  }
  return { removed, left }
}

function isJson (text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
