/**
 * `npm run mutate`: puts small faults into the readers, the cookie rules, the login steps and the cache, one at a time,
 * and counts how many the tests notice. Works on a copy. Ends with 1 when fewer than the bar are noticed.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutants.ts'
import type { Mutant } from './mutants.ts'
import { subjects } from './subjects.ts'

const bar = 85
/** A test that takes longer than this hangs, which is noticed too. Milliseconds. */
const patience = 120_000

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    help: { type: 'boolean', default: false }
  }
})
if (values.help) {
  console.log(`npm run mutate -- [--sample N] [--seed N] [--only SUBJECT] [--jobs N]

  --sample N      faults for each subject, chosen evenly; 0 for all (default 60)
  --seed N        which ones (default 1)
  --only SUBJECT  ${subjects.map(({ name }) => `"${name}"`).join(', ')}
  --jobs N        how many are tried at once

Prints the faults that no test noticed. Exit code 1 when fewer than ${bar} % of all are noticed.`)
  process.exit(0)
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The project as it is, with the packages it has. */
function scratch (): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  for (const part of ['src', 'schemas', 'config', 'test', 'docs', 'package.json', 'tsconfig.json', 'openapi.yaml', 'README.md']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !path.includes('node_modules') })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function passes (folder: string, test: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', `test/${test}.test.ts`], {
      cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: String(patience / 1000) }, timeout: patience, killSignal: 'SIGKILL'
    })
    child.stdout.resume()
    child.once('exit', (code) => { resolve(code === 0) })
  })
}

/** Every n-th, beginning where the seed says. */
function chosen<T> (all: readonly T[], count: number, seed: number): T[] {
  if (count === 0 || count >= all.length) return [...all]
  return Array.from({ length: count }, (_, at) => all[(Math.floor(at * all.length / count) + seed) % all.length] as T)
}

const folders = Array.from({ length: Number(values.jobs) }, scratch)
let caught = 0
let tried = 0
const rows: string[] = []
try {
  for (const { name, files, tests } of subjects) {
    if (values.only !== undefined && values.only !== name) continue
    for (const test of tests) if (!await passes(folders[0] as string, test)) throw new Error(`test/${test}.test.ts fails as it is`)
    const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
    const queue = chosen(mutants, Number(values.sample), Number(values.seed))
    const survivors: Mutant[] = []
    let done = 0
    const all = queue.length
    await Promise.all(folders.map(async (folder) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const path = join(folder, mutant.file)
        writeFileSync(path, mutant.text)
        let noticed = false
        for (const test of tests) {
          noticed = !await passes(folder, test)
          if (noticed) break
        }
        writeFileSync(path, readFileSync(join(root, mutant.file)))
        if (!noticed) {
          survivors.push(mutant)
          console.log(`  not noticed: ${mutant.file}:${mutant.line}  ${mutant.was}  →  ${mutant.now}`)
        }
        if (++done % 10 === 0) process.stderr.write(`${name}: ${done} of ${all}, ${survivors.length} not noticed\n`)
      }
    }))
    caught += all - survivors.length
    tried += all
    rows.push(`${name.padEnd(14)}${String(all - survivors.length).padStart(5)} of ${String(all).padStart(4)} (${mutants.length} possible)`)
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
const percent = tried === 0 ? 0 : Math.floor(caught / tried * 100)
console.log(`\n${rows.join('\n')}\n${percent} % noticed, bar ${bar} %`)
process.exitCode = percent >= bar ? 0 : 1
