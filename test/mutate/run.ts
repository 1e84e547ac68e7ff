/**
 * `npm run mutate`: makes small mistakes in the readers, the cookie rules, the login steps and the cache, one at a time,
 * and counts how many the tests notice. Works on a copy. Exits with 1 if the share of noticed mistakes is below the bar.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { mutantsOf } from './mutants.ts'
import { subjects } from './subjects.ts'

const bar = 85
/** A test that takes this many times its usual duration hangs. That counts as noticed. */
const patience = 5
/** Minimum time limit of a test, in milliseconds: the machine may be busy. */
const leastPatience = 60_000

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
  --only SUBJECT  ${subjects.map(({ name }) => `"${name}"`).join(', ')}, or one of their files
  --jobs N        how many are tried at once

Prints the faults that no test noticed. Exit code 1 when fewer than ${bar} % of all are noticed.`)
  process.exit(0)
}

const chosenSubjects = subjects.flatMap(({ name, files }) => {
  const own = Object.entries(files).filter(([file]) => [undefined, name, file].includes(values.only))
  return own.length === 0 ? [] : [{ name, files: own }]
})
if (chosenSubjects.length === 0) {
  console.error(`--only: no subject and no file of one is called "${values.only}"`)
  process.exit(2)
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Writes a module and its transpiled form. To transpile it at each start would take as long as its test. */
function write (folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text)
  const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true } })
  writeFileSync(join(folder, file.replace(/\.ts$/, '.js')), outputText)
}

/** A transpiled copy of the project, with its installed packages. */
function scratch (): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  for (const part of ['src', 'schemas', 'config', 'test', 'docs', 'package.json', 'tsconfig.json', 'openapi.yaml', 'README.md']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !path.includes('node_modules') })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const part of ['src', 'schemas', 'config', 'test', 'docs']) {
    for (const file of readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })) {
      if (/(?<!\.d)\.ts$/.test(file)) write(folder, join(part, file), readFileSync(join(folder, part, file), 'utf8'))
    }
  }
  return folder
}

type End = 'passed' | 'failed' | 'hung'

async function run (folder: string, test: string, milliseconds: number): Promise<End> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, [`test/${test}.test.js`], {
      cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: String(milliseconds / 1000) }, timeout: milliseconds, killSignal: 'SIGKILL'
    })
    child.stdout.resume()
    child.once('exit', (code) => { resolve(code === 0 ? 'passed' : code === null ? 'hung' : 'failed') })
  })
}

/** Whether the test hangs or fails twice. A single failure may be caused by the machine. */
async function notices (folder: string, test: string, milliseconds: number): Promise<boolean> {
  const end = await run(folder, test, milliseconds)
  return end === 'hung' || (end === 'failed' && await run(folder, test, milliseconds) !== 'passed')
}

/** Time limit of each test, from its duration without a mistake. Throws if a test fails without one. */
async function patienceWith (tests: Iterable<string>, folder: string): Promise<Map<string, number>> {
  const limits = new Map<string, number>()
  for (const test of new Set(tests)) {
    const begun = performance.now()
    if (await run(folder, test, 600_000) !== 'passed') throw new Error(`test/${test}.test.ts fails as it is`)
    limits.set(test, Math.ceil(Math.max(leastPatience, patience * (performance.now() - begun))))
  }
  return limits
}

/** Selects every n-th, starting at the seed. */
function chosen<T> (all: readonly T[], count: number, seed: number): T[] {
  if (count === 0 || count >= all.length) return [...all]
  return Array.from({ length: count }, (_, at) => all[(Math.floor(at * all.length / count) + seed) % all.length] as T)
}

/** One copy per job. Edits to the project during the run do not affect the copies. */
const folders = Array.from({ length: Number(values.jobs) }, scratch)
let caught = 0
let tried = 0
const rows: string[] = []
try {
  for (const { name, files } of chosenSubjects) {
    const testsOf = new Map(files)
    const limits = await patienceWith(files.flatMap(([, tests]) => tests), folders[0] as string)
    const mutants = files.flatMap(([file]) => mutantsOf(file, readFileSync(join(folders[0] as string, file), 'utf8')))
    const queue = chosen(mutants, Number(values.sample), Number(values.seed))
    const count = queue.length
    let done = 0
    let survived = 0
    await Promise.all(folders.map(async (folder) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const whole = readFileSync(join(folder, mutant.file), 'utf8')
        write(folder, mutant.file, mutant.text)
        let by: string | undefined
        for (const test of testsOf.get(mutant.file) ?? []) {
          if (!await notices(folder, test, limits.get(test) as number)) continue
          by = test
          break
        }
        write(folder, mutant.file, whole)
        const what = `${mutant.file}:${mutant.line}  ${mutant.was}  →  ${mutant.now}`
        process.stderr.write(`${name} ${++done} of ${count}: ${by ?? 'nobody'} noticed ${what}\n`)
        if (by !== undefined) continue
        survived++
        console.log(`  not noticed: ${what}`)
      }
    }))
    caught += count - survived
    tried += count
    rows.push(`${name.padEnd(14)}${String(count - survived).padStart(5)} of ${String(count).padStart(4)} (${mutants.length} possible)`)
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
const percent = Math.floor(caught / tried * 100)
console.log(`\n${rows.join('\n')}\n${percent} % noticed, bar ${bar} %`)
process.exitCode = percent >= bar ? 0 : 1
