/** Who may read and write a file, and what to do if the relay may not. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'

const outOfFiles: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE'])

/** Whether the process has too many files open: nothing is wrong with the one that could not be opened. */
export const isOutOfFiles = (error: unknown): boolean =>
  outOfFiles.has((error as NodeJS.ErrnoException | undefined)?.code)

/** Returns true if users other than the owner may read the file; false if there is no file, and on Windows. */
export async function isReadableByOthers (file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined)
  return facts !== undefined && process.platform !== 'win32' && (facts.mode & 0o077) !== 0
}

/** Returns a path as a shell reads it as one word. */
export const inShell = (path: string): string =>
  /^[\w./:@%+,=\\-]*$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** What to do about a file or folder that cannot be written. */
export interface WriteAdvice {
  /** Half a sentence. */
  readonly words: string
  /** The command that does it, or that shows what is wrong. */
  readonly command: string
}

/** Returns what to do, by the code of the error. `folder`: that of the file. */
export function writeAdvice (code: string | undefined, folder: string): WriteAdvice {
  if (code === 'ENOSPC' || code === 'EDQUOT') return { words: 'Free some space', command: `df -h ${inShell(folder)}` }
  if (code === 'EROFS') return { words: 'Mount it writable', command: `findmnt -T ${inShell(folder)}` }
  const uid = process.getuid?.()
  if (uid === undefined || (code !== 'EACCES' && code !== 'EPERM')) {
    return { words: 'Make it writable', command: `ls -ld ${inShell(folder)}` }
  }
  return { words: 'Give it to the user of the relay', command: `chown -R ${uid} ${inShell(folder)}` }
}

/** The same as one sentence, which ends with the command. */
export function writeAdviceInWords (code: string | undefined, folder: string): string {
  const { words, command } = writeAdvice(code, folder)
  return `${words}: ${command}`
}

/** Returns the code of the error if no file can be written in a folder; undefined if that is possible. */
export async function unwritable (folder: string): Promise<string | undefined> {
  return await access(folder, constants.W_OK | constants.X_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code ?? 'failed'
  )
}

/** Returns a sentence about a folder in which no renewed login can be stored. */
export function unwritableInWords (code: string, folder: string): string {
  return `${folder} cannot be written (${code}), so a renewed login could not be stored. ${writeAdviceInWords(code, folder)}`
}
