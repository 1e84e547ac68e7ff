/**
 * Runs test files, and prints `N passed, N failed, N skipped` last.
 *
 *   node test/run.js [folder or file …] [--shuffle seed]
 *
 * Without a name it checks the types and runs `unit`, `relay` and `wire`, which is what `npm test` does. `--shuffle`
 * draws another order, the same for the same seed. Files share processes, which take one after the other: a second of
 * CPU goes before a process is warm. They print TAP and are bundled first (bundle.js). tap's own runner starts a
 * process for each file and prints another last line.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePage } from '../build/page.js'
import { bundle, failuresOf, placesIn } from './bundle.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Whole products take minutes where one case of each kind takes seconds. */
const whole = process.env.WHOLE === '1'
/** `shared`: its files share a process for each lane. `seconds`: time limit of one test, unless it has its own. */
const together = { shared: true, seconds: whole ? 900 : 120 }
const folders = {
  unit: together,
  relay: together,
  wire: together,
  products: together, // a sample of each in the gate, all of them nightly
  command: { seconds: 60, env: { COMMAND: 'dist/cli.js' } },
  browser: { seconds: 120 },
  players: { seconds: 300, lanes: 1 },
  nightly: { seconds: 3600, env: { WHOLE: '1' } }
}

const words = process.argv.slice(2)
const at = words.indexOf('--shuffle')
const [, seed] = at === -1 ? [] : words.splice(at, 2)
const given = (words.length > 0 ? words : ['unit', 'relay', 'wire'])
  .map((word) => relative(root, resolve(word in folders ? join(root, 'test', word) : word)))
const files = given.flatMap((path) => statSync(join(root, path)).isDirectory() ? readdirSync(join(root, path))
  .filter((name) => name.endsWith('.test.ts')).map((name) => `${path}/${name}`) : [path])
const draw = (file) => createHash('sha256').update(`${seed} ${file}`).digest('hex')
if (seed !== undefined) files.sort((a, b) => draw(a).localeCompare(draw(b)))
const folderOf = (file) => file.split('/')[1]

const totals = { pass: 0, fail: 0, skip: 0, todo: 0 }

/** Checks the types beside the tests, which it does not hold up: no test needs them. */
async function checkTypes () {
  const child = spawn('npm run --silent typecheck', { cwd: root, shell: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'close')
  totals[code === 0 ? 'pass' : 'fail'] += 1
  console.log(`${code === 0 ? 'ok    ' : 'not ok'} types`)
}

const types = words.length === 0 ? checkTypes() : undefined
const [bundles] = await Promise.all([bundle(files), bundlePage()])

/** Runs a file in a process, and after it, if its folder shares processes, others of such folders. */
async function run (first) {
  const { shared = false, seconds, env } = folders[folderOf(first)]
  // With more room for what is young, less of it is copied: an app of a test lives for a few milliseconds.
  const child = spawn(process.execPath, ['--max-semi-space-size=32', join(bundles, 'test/support/worker.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, TEST_BUNDLES: bundles, TEST_SHARED: String(shared), TEST_SECONDS: String(seconds), ...env }
  })
  let [text, errors, begun, file] = ['', '', performance.now(), first]
  child.stdout.setEncoding('utf8').on('data', (part) => { text += part })
  child.stderr.setEncoding('utf8').on('data', (part) => { errors += part })
  const names = []
  let timer
  /** Hands a file out. A process whose loop is blocked cannot end its tests by itself. */
  const give = (given) => {
    clearTimeout(timer)
    file = given
    begun = performance.now()
    names.push(given)
    timer = setTimeout(() => { child.kill('SIGKILL') }, 1000 * Math.max(whole ? 3600 : 600, seconds))
    child.send(given.replace(/\.ts$/, '.js'))
  }
  child.on('message', (message) => {
    if (message.cpuSeconds === undefined) return // tap has messages of its own
    console.log(`       ${file}  ${((performance.now() - begun) / 1000).toFixed(1)} s, ${message.cpuSeconds.toFixed(1)} of CPU`)
    const following = shared ? nextShared() : undefined
    if (following === undefined) child.send('end')
    else give(following)
  })
  give(first)
  const [code, signal] = await new Promise((resolve) => { child.once('close', (...end) => { resolve(end) }) })
  clearTimeout(timer)
  const summary = [...text.matchAll(/^# (\{ total: .*\})$/gm)].at(-1)?.[1] ?? ''
  const own = Object.fromEntries(Object.keys(totals)
    .map((name) => [name, Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0)]))
  // Each file ends with a test of worker.ts, which is none of its own.
  own.pass -= Math.min(own.pass, names.length)
  // It broke off, or ended badly although each of its checks was well.
  if (summary === '' || (code !== 0 && own.fail === 0)) own.fail += 1
  for (const name of Object.keys(totals)) totals[name] += own[name]
  console.log(`${own.fail === 0 ? 'ok    ' : 'not ok'} ${names.length === 1 ? first : `${names.length} files`}  ${own.pass} passed${own.skip > 0 ? `, ${own.skip} skipped` : ''}`)
  if (own.fail > 0) console.log(placesIn(bundles, `${failuresOf(text)}\n${errors.slice(-4000)}${signal === null ? '' : `${file}: ended by ${signal}`}`))
}

// The largest first, so that no lane is left with one at the end.
const queue = seed === undefined ? files.toSorted((a, b) => statSync(join(root, b)).size - statSync(join(root, a)).size)
  : [...files]
/** The next file that can share a process. */
const nextShared = () => {
  const at = queue.findIndex((file) => folders[folderOf(file)].shared === true)
  return at === -1 ? undefined : queue.splice(at, 1)[0]
}
/** More than there are cores, because most files wait now and then. Programs that tests start are processes, too. */
const lanes = files.some((file) => folders[folderOf(file)].lanes === 1) ? 1
  : availableParallelism() + (files.every((file) => folders[folderOf(file)].shared) ? 2 : 1)
async function lane () {
  for (let first = queue.shift(); first !== undefined; first = queue.shift()) await run(first)
}
await Promise.all([types, ...Array.from({ length: lanes }, lane)])
console.log(`${totals.pass} passed, ${totals.fail} failed, ${totals.skip + totals.todo} skipped`)
process.exitCode = totals.fail > 0 || totals.pass === 0 ? 1 : 0
