/**
 * `npm run mutate`: makes small mistakes in the files that name a subject, one at a time, and counts how many the tests
 * notice. Works on a copy. Exits with 1 if the share of noticed mistakes of a subject is below the bar.
 */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf, withMutants, type Mutant } from './mutants.ts'

/** Share of the mistakes in each subject that must be noticed, in percent. */
const bar = 90
/** A test that takes this many times its usual duration hangs. That counts as noticed. */
const patience = 5
/** Minimum time limit of a test, in milliseconds: the machine may be busy. */
const leastPatience = 60_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const subjects = readSubjects()

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

Prints the faults that no test noticed. Exit code 1 when fewer than ${bar} % of a subject's are noticed.`)
  process.exit(0)
}

const chosenSubjects = subjects.map(({ name, files }) => ({
  name, files: files.filter(([file]) => [undefined, name, file].includes(values.only))
})).filter(({ files }) => files.length > 0)
if (chosenSubjects.length === 0) {
  console.error(`--only: no subject and no file of one is called "${values.only}"`)
  process.exit(2)
}

/** The files of each subject, each with the tests that must notice a mistake in it, in the order in which they are tried. A last line such as `// @mutate streams: stream song-facts` names them. */
function readSubjects (): {
  readonly name: string, readonly files: readonly (readonly [file: string, tests: readonly string[]])[]
}[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`).sort()
  const tests = new Map(below('test')
    .filter((path) => path.endsWith('.test.ts')).map((path) => [path.replace(/^.*\/|\.test\.ts$/g, ''), path]))
  const named = below('src').filter((path) => path.endsWith('.ts')).flatMap((file) => {
    const [, name, words] = /\n\/\/ @mutate ([^:]+): (.+)\n$/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    const paths = words?.split(' ').map((test) => tests.get(test) ?? fail(`${file}: there is no test called ${test}`))
    return name === undefined || paths === undefined ? [] : [{ name, file, paths }]
  })
  return [...new Set(named.map(({ name }) => name))].map((name) =>
    ({ name, files: named.filter((one) => one.name === name).map(({ file, paths }) => [file, paths] as const) }))
}

function fail (message: string): never { throw new Error(message) }

/** Selects every n-th, starting at the seed. */
function chosen<T> (all: readonly T[], count: number, seed: number): T[] {
  if (count === 0 || count >= all.length) return [...all]
  return Array.from({ length: count }, (_, at) => all[(Math.floor(at * all.length / count) + seed) % all.length] as T)
}

/** What is tried: the mutants of all subjects, numbered from 1. */
const numbered: Mutant[] = []
const plans = chosenSubjects.map(({ name, files }) => {
  const possible = files.flatMap(([file]) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
  const queue = chosen(possible, Number(values.sample), Number(values.seed))
    .map((mutant) => ({ mutant, number: numbered.push(mutant) }))
  return { name, testsOf: new Map(files), possible: possible.length, queue, count: queue.length }
})
const allTests =
  [...new Set(plans.flatMap(({ queue, testsOf }) => queue.flatMap(({ mutant }) => testsOf.get(mutant.file) ?? [])))]

/** A bundled copy of the project with the mutants in it, none of them in effect. */
interface Copy {
  readonly folder: string
  readonly bundles: string
  /** Holds the number of the mutant that is in effect. */
  readonly active: string
}

async function copy (): Promise<Copy> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  chmodSync(folder, 0o755) // some tests start the command as another user
  process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  cpSync(root, folder, {
    recursive: true, filter: (path) => !/^(dist|\.git|\.tap|(.*\/)?node_modules)$/.test(relative(root, path))
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const active = join(folder, 'active-mutant')
  writeFileSync(active, '0')
  for (const file of new Set(numbered.map((mutant) => mutant.file))) {
    const own = numbered.flatMap((mutant, at) => mutant.file === file ? [[at + 1, mutant] as const] : [])
    writeFileSync(join(folder, file), withMutants(readFileSync(join(root, file), 'utf8'), new Map(own), active))
  }
  const { bundle } = await import(pathToFileURL(join(folder, 'test/bundle.js')).href) as {
    bundle (files: readonly string[]): Promise<string>
  }
  const { bundlePage } =
    await import(pathToFileURL(join(folder, 'build/page.js')).href) as { bundlePage (): Promise<unknown> }
  await bundlePage()
  return { folder, active, bundles: await bundle(allTests) }
}

type End = 'passed' | 'failed' | 'hung'

async function run ({ folder, bundles }: Copy, test: string, milliseconds: number): Promise<End> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, [join(bundles, test.replace(/\.ts$/, '.js'))], {
      cwd: folder, stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: String(milliseconds / 1000), TEST_BUNDLES: bundles },
      timeout: milliseconds, killSignal: 'SIGKILL'
    })
    child.stdout.resume()
    child.once('exit', (code) => { resolve(code === 0 ? 'passed' : code === null ? 'hung' : 'failed') })
  })
}

/** Whether the test hangs or fails twice. A single failure may be caused by the machine. */
async function notices (copy: Copy, test: string, milliseconds: number): Promise<boolean> {
  const end = await run(copy, test, milliseconds)
  return end === 'hung' || (end === 'failed' && await run(copy, test, milliseconds) !== 'passed')
}

/** Time limit of each test, from its duration without a mistake. Throws if a test fails without one. */
async function limitsOf (tests: Iterable<string>, copy: Copy): Promise<Map<string, number>> {
  const limits = new Map<string, number>()
  for (const test of tests) {
    const begun = performance.now()
    if (await run(copy, test, 600_000) !== 'passed') throw new Error(`${test} fails as it is`)
    limits.set(test, Math.ceil(Math.max(leastPatience, patience * (performance.now() - begun))))
  }
  return limits
}

/** One copy per job. Edits to the project during the run do not affect the copies. */
const copies = await Promise.all(Array.from({ length: Number(values.jobs) }, copy))
const limits = await limitsOf(allTests, copies[0] as Copy)
const shares: number[] = []
const rows: string[] = []
for (const { name, testsOf, possible, queue, count } of plans) {
  let done = 0
  let caught = 0
  await Promise.all(copies.map(async (copy) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { file, line, was, now } = next.mutant
      writeFileSync(copy.active, String(next.number))
      let by: string | undefined
      for (const test of testsOf.get(file) ?? []) {
        if (!await notices(copy, test, limits.get(test) as number)) continue
        by = test
        break
      }
      const what = `${file}:${line}  ${was}  →  ${now}`
      process.stderr.write(`${name} ${++done} of ${count}: ${by ?? 'nobody'} noticed ${what}\n`)
      if (by === undefined) console.log(`  not noticed: ${what}`)
      else caught++
    }
  }))
  const share = Math.floor(caught / count * 100)
  shares.push(share)
  rows.push(`${name.padEnd(14)}${String(caught).padStart(5)} of ${String(count).padStart(4)} noticed, ${String(share).padStart(3)} % (${possible} possible)`)
}
console.log(`\n${rows.join('\n')}\nbar ${bar} % for each`)
process.exitCode = shares.every((share) => share >= bar) ? 0 : 1
