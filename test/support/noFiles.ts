/** A process that can open no file for a while. */
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs'

const lowersLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0

/** Why tests that take all files are skipped; false if they run. */
export const keepsFiles = !lowersLimit && 'needs prlimit'

/** Does some work while no file can be opened. */
export async function withoutFiles (work: () => Promise<void>): Promise<void> {
  const [, soft] = /open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
  const limit = (files: number): void => {
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${files}:`])
  }
  const taken: number[] = []
  limit(readdirSync('/proc/self/fd').length + 64)
  try {
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
    }
    await work()
  } finally {
    for (const file of taken) closeSync(file)
    limit(Number(soft))
  }
}
