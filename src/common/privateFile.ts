/** Files that hold a login: only their owner reads them, they are replaced whole, and by one writer at a time. */
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
 * Runs `work` as the only writer of the file in all processes. `write` replaces the file atomically by the JSON text of a
 * value (mode 0600; the folder has 0700 if it is created here). A reader never sees a part. Throws file system errors.
 */
export async function writing<T> (file: string, work: (write: (value: object) => Promise<void>) => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  return await withFileLock(file, async () =>
    await work(async (value) => {
      await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    }))
}

/**
 * What a file is called until it is complete: a random number of 32 bits at the end. Small numbers and dates are names
 * that people and programs give to copies of their own.
 */
const leftoverName = /^(.+\.json)\.(?!(?:19|20)\d{8}$)\d{9,10}$/
/** Returns the paths of what interrupted writes of this file left behind, and of what is being written now. */
export async function leftoversOf (file: string): Promise<readonly string[]> {
  const names = await readdir(dirname(file)).catch(() => [])
  return names.filter((name) => leftoverName.exec(name)?.[1] === basename(file)).map((name) => join(dirname(file), name))
}

/** A younger one may belong to a process that writes at the moment. Milliseconds. */
const longestWrite = 60_000

/** Names of files that interrupted writes left behind. */
export interface Leftovers { readonly removed: readonly string[], readonly left: readonly string[] }

/**
 * Removes what interrupted writes left in a folder: copies of a login that nobody would look for. `isOurs`: by the name of
 * the file. `isUseless`: whether what a leftover holds is of no use; it is kept if this throws. A part of a file is of none.
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
    const useless = await readFile(path, 'utf8').then(async (text) => !isJson(text) || await isUseless(name, text)).catch(() => false)
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
