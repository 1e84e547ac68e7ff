/**
 * Runs the suite, as many processes at a time as there are cores, beside two with files that mostly wait, and prints `N passed, N failed,
 * N skipped` last. What takes long has a process of its own, the others share one, a few at a time: a second of CPU goes before a process
 * is warm. They print TAP, and are bundled first: see bundle.js.
 *
 *   node test/run.js [--list | --quick | --pages | --shuffle <seed>] [test/x.test.ts …]
 *
 * `--pages` runs the files of which a part needs a real browser (npm run pages); the whole suite leaves that part out, and says so.
 * Browsers take a fifth of the CPU of everything, and a page that has to wait for it looks like one that hangs.
 * `--shuffle` runs all of it, in another order, the same for the same seed: no file may need that another one ran before, beside it or in its process.
 * `--quick` runs the files that notice first if a runtime does something else: test/runtimes runs them on several Nodes.
 *
 * tap's own runner would do, and was measured in 2026-11 (tap 21.8, Node 20, 2 cores, busy machine): with its TypeScript plugin
 * it takes twice the CPU of tsx (4 files: 54 s against 27 s), because it compiles every file anew; with tsx a tenth more
 * (12 files: 69 s against 63 s of CPU, 85 s against 75 s in all), and 8 s once for its own build on a fresh clone. Bundles
 * save another second of CPU for each file. Its last line is not `N passed, N failed`.
 *
 * Where COMMAND names a built command, only the files that start it run by default: no other could tell the difference.
 * Players with windows (test/players) run by name only, one at a time: they take time and a quiet machine. npm run players does.
 * With ONLY=endpoints, those that go over all endpoints: what a new endpoint could break, besides its own tests.
 * With WHOLE=1, those that try a sample of many cases otherwise (whole.ts), with all of them: the gate does so.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { SourceMap } from 'node:module'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A process that takes longer hangs. Seconds. Five hundred kill points take eight minutes, on a busy machine more than ten. */
const longest = process.env.KILL_POINTS === undefined ? 600 : 3600
/** These begin first, each in its own process, so that none of them is alone at the end: what needs most CPU, measured in 2026-11. */
const long = ['sixty-days', 'moods', 'renewal', 'site', 'build', 'openapi', 'privacy', 'cli', 'opensubsonic-library', 'chains', 'memory']
/**
 * These mostly wait, the longest first: twelve seconds and more with less than half of a core, by themselves. They run beside the others, so that the
 * cores have work. More processes that work would only push each other out of the caches: the same suite took half as much CPU again.
 */
const waiting = ['doctor', 'instances', 'lifecycle', 'open-files', 'accounts-seen', 'proxy', 'privacy-accounts', 'server-limits', 'hostile-store', 'cache-stale', 'cli-login', 'fairness', 'connections']

/** At most so many of the others share a process. */
const together = 9
/** These measure the memory of their process. */
const measuring = ['bounds', 'connections']

/** Sockets, streams and their ends, text decoders, digests and ciphers, compression, files, and every endpoint once. */
const quick = ['http', 'stream', 'connections', 'reading', 'signature', 'accounts', 'cookie-rules', 'wire']

const nameOf = (file) => file.replace(/^test\/|\.test\.ts$/g, '')
const rank = (file) => {
  const place = [...long, 'others', ...waiting].indexOf(nameOf(file))
  return place !== -1 ? place : long.length - Number(waits(file)) / 2
}
const mostlyWaits = (file) => waiting.includes(nameOf(file))
const measures = (file) => measuring.includes(nameOf(file))
/** It waits for something before its first test. The tests of others would have ended by then, and its own would be lost without a word. */
const waits = (file) => /^(?:const|let) [^=]+ = await |^await /m.test(readFileSync(root + file, 'utf8'))
const alone = (file) => long.includes(nameOf(file)) || mostlyWaits(file) || measures(file) || waits(file) || file.includes('/players/') || (!isSuite && needsBrowser(file.replace('test/', '')))
const textOf = (file) => readFileSync(`${root}test/${file}`, 'utf8')
/** Whether `is` holds for a module of `test/`, or for one that it imports. Modules may import each other's types. */
const reaches = (file, is, seen = new Set()) => {
  if (seen.has(file)) return false
  seen.add(file)
  return is(file) || [...textOf(file).matchAll(/from '(\.\.?\/[^']+)'/g)]
    .map(([, imported]) => join(dirname(file), imported)).some((imported) => !imported.startsWith('..') && existsSync(`${root}test/${imported}`) && reaches(imported, is, seen))
}

/** Starts the command. */
const startsCommand = (file) => reaches(file, (each) => each === 'command.ts')
/** A part of it is in a browser. */
const needsBrowser = (file) => reaches(file, (each) => each === 'browser.ts')
/** Tries a sample of its cases, unless WHOLE=1. */
const samples = (file) => reaches(file, (each) => each === 'whole.ts')
/** Goes over all endpoints, or over what is generated from them. */
const overEndpoints = (file) => reaches(file, (each) => each !== 'helper.ts' && /^import (?!type )[^\n]*\b(endpoints|registry)\b[^\n]* from |openapi/m.test(textOf(each)))

const { COMMAND: built, ONLY: only, WHOLE: products } = process.env
if (only !== undefined && only !== 'endpoints') throw new Error('ONLY: endpoints is the only choice')
if (products !== undefined && products !== '1') throw new Error('WHOLE: 1 is the only choice')
const [list, shuffled, pages] = ['--list', '--shuffle', '--pages'].map((flag) => process.argv[2] === flag)
const named = process.argv[2] === '--quick' ? quick.map((name) => `test/${name}.test.ts`) : process.argv.slice(shuffled ? 4 : list || pages ? 3 : 2)
const draw = (file) => createHash('sha256').update(`${process.argv[3]} ${file}`).digest('hex')
const given = named.map((file) => relative(root, resolve(file)))
const files = given.length > 0 ? given : readdirSync(`${root}test`)
  .filter((name) => name.endsWith('.test.ts') && (built === undefined || startsCommand(name)) && (only === undefined || overEndpoints(name)) && (products === undefined || samples(name)) && (!pages || needsBrowser(name)))
  .map((name) => `test/${name}`).sort((a, b) => shuffled ? draw(a).localeCompare(draw(b)) : rank(a) - rank(b))

if (list) {
  console.log(files.join('\n'))
  process.exit()
}

const bundles = await bundle(files).catch(({ message }) => {
  console.log(`${message}\n0 passed, 1 failed, 0 skipped`)
  process.exit(1)
})
/** In the order that takes least time, without a browser in most of them. */
const isPlanned = given.length === 0 && !pages && !shuffled
/** The suite, or a part of it: what it leaves to --pages need not be tried twice. */
const isSuite = isPlanned && built === undefined
const env = { ...process.env, TAP_TIMEOUT: String(longest), TEST_BUNDLES: bundles, ...isSuite ? { TEST_BROWSER: 'no' } : {} }
const totals = { pass: 0, fail: 0, skip: 0, todo: 0 }

/**
 * Places in bundles become places in the sources, in what failed. Node's `--enable-source-maps` does so for each error, also for
 * those that tests expect: that was a tenth of the CPU of some files.
 */
function inSources (text) {
  const maps = new Map()
  const placed = (all, file, line, column) => {
    const path = join(bundles, `${file}.map`)
    if (!existsSync(path)) return all
    if (!maps.has(path)) maps.set(path, new SourceMap(JSON.parse(readFileSync(path, 'utf8'))))
    const { originalSource, originalLine, originalColumn } = maps.get(path).findEntry(Number(line) - 1, Number(column) - 1)
    return originalSource === undefined ? all : `${relative(root, resolve(dirname(path), originalSource))}:${originalLine + 1}:${originalColumn + 1}`
  }
  return text.replaceAll(new RegExp(`(?:file://)?(?:${root})?${relative(root, bundles)}/([\\w./-]+\\.js):(\\d+):(\\d+)`, 'g'), placed)
}

/** What failed, in full: a runner without a terminal keeps nothing else of it. */
function failuresOf (text) {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!/^\s*not ok /.test(line) || / # (SKIP|TODO)/.test(line)) return []
    if (!/^\s*---$/.test(lines[at + 1] ?? '')) return [line]
    const end = lines.findIndex((later, index) => index > at && /^\s*\.\.\.$/.test(later))
    return lines.slice(at, end + 1)
  }).join('\n')
}

/** Runs these files in one process, in this order. */
async function run (files) {
  const begun = performance.now()
  const entry = join(bundles, `${nameOf(files[0]).replaceAll('/', '-')}.js`)
  writeFileSync(entry, files.map((file) => `import './${file.replace(/\.ts$/, '.js')}'\n`).join(''))
  // With more room for what is young, less of it is copied: an app of a test lives for a few milliseconds.
  const flags = files.some(measures) ? [] : ['--max-semi-space-size=32']
  const child = spawn(process.execPath, [...flags, entry], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
  let text = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (part) => { text += part })
  child.stderr.setEncoding('utf8').on('data', (part) => { errors += part })
  const timer = setTimeout(() => { child.kill('SIGKILL') }, (longest + 20) * 1000)
  const [code, signal] = await new Promise((resolve) => { child.once('close', (...end) => { resolve(end) }) })
  clearTimeout(timer)

  const summary = [...text.matchAll(/^# (\{ total: .*\})$/gm)].at(-1)?.[1] ?? ''
  const count = (name) => Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  const own = { pass: count('pass'), fail: count('fail'), skip: count('skip'), todo: count('todo') }
  // It broke off, or ended badly although each of its checks was well.
  if (summary === '' || (code !== 0 && own.fail === 0)) own.fail += 1
  for (const name of Object.keys(totals)) totals[name] += own[name]
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(`${own.fail === 0 ? 'ok    ' : 'not ok'} ${files.join(' ')}  ${own.pass} passed${own.skip > 0 ? `, ${own.skip} skipped` : ''}  ${seconds} s`)
  if (own.fail > 0) console.log(`${inSources(`${failuresOf(text)}\n${errors.slice(-4000)}`)}${signal === null ? '' : `ended by ${signal}`}`)
}

const cores = Math.min(6, availableParallelism())
const queue = [...files]
/** One process after the other, with those of the files that `mayTake` says. */
async function lane (mayTake = () => true) {
  for (let first = queue.findIndex(mayTake); first !== -1; first = queue.findIndex(mayTake)) {
    const others = queue.slice(first).findIndex(alone)
    // Fewer at the end, so that all lanes end at about the same time.
    const most = Math.min(together, Math.ceil(queue.length / (2 * cores)))
    await run(queue.splice(first, others === 0 ? 1 : Math.min(most, others === -1 ? most : others)))
  }
}
// Most others wait now and then: one more process beside them, once what mostly waits is done.
const beside = isPlanned ? [lane(mostlyWaits), lane(mostlyWaits).then(() => lane())] : [lane()]
await Promise.all([...beside, ...Array.from({ length: cores }, () => lane())])
console.log(`${totals.pass} passed, ${totals.fail} failed, ${totals.skip + totals.todo} skipped`)
process.exitCode = totals.fail > 0 || totals.pass === 0 ? 1 : 0
