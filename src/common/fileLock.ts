/**
 * A lock file for processes that share a folder. If its process is gone, the lock is removed at once on the same
 * machine, otherwise after two minutes.
 */
import { open, readFile, rm, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum lifetime of a lock in milliseconds. The longest work is a renewal, with at most half a minute. */
const longestMs = 120_000
/** Maximum time for which a lock is empty, in milliseconds. It is empty between the two system calls that create it. */
const longestEmptyMs = 5000
const lookMs = 50

/**
 * Runs `work` while no other holder of this lock runs, in any process. Throws the errors of `work` and file system
 * errors.
 */
export async function withFileLock<T> (file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  const own = JSON.stringify({ host: hostname(), pid: process.pid, started: performance.timeOrigin })
  while (!await taken(lock, own)) {
    if (await isLeft(lock)) await removeLeft(lock)
    else await sleep(lookMs)
  }
  const begun = Date.now()
  try {
    return await work()
  } finally {
    // Later, the lock may belong to another process. To look whose it is would need a file, and there may be none left.
    if (Date.now() - begun < longestMs) await unlink(lock).catch(() => {})
  }
}

async function taken (lock: string, own: string): Promise<boolean> {
  let handle
  try {
    handle = await open(lock, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    await handle.writeFile(own)
    return true
  } catch (error) {
    await unlink(lock).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

async function isLeft (lock: string): Promise<boolean> {
  const facts = await stat(lock).catch(() => undefined)
  if (facts === undefined) return false
  const age = Date.now() - facts.mtimeMs
  if (age > longestMs) return true
  let holder: { host?: unknown, pid?: unknown, started?: unknown } | null
  try {
    holder = JSON.parse(await readFile(lock, 'utf8')) as typeof holder
  } catch {
    return age > longestEmptyMs
  }
  const { host, pid, started } = holder ?? {}
  if (host !== hostname() || typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return false
  // After a restart, a container gives its process the same number.
  return pid === process.pid ? started !== performance.timeOrigin : !isRunning(pid)
}

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes a lock that was left, as the only one: another process may have done so, and hold a new one. */
async function removeLeft (lock: string): Promise<void> {
  await withFileLock(lock, async () => { if (await isLeft(lock)) await rm(lock, { force: true }) })
}
