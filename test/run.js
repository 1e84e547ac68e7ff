/**
 * Runs test files, and prints `N passed, N failed, N skipped` last.
 *
 *   node test/run.js [folder or file …] [--shuffle seed]
 *
 * Without a name it runs `unit`, `relay` and `wire`, which is what `npm test` runs. `--shuffle` draws another order, the same for the
 * same seed. Files of a folder share processes: a second of CPU goes before one is warm.
 * They print TAP and are bundled first (bundle.js). tap's own runner starts a process for each file and prints another last line.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, failuresOf, placesIn } from './bundle.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** `share`: number of files in a process. `seconds`: time limit of one test, unless it has its own. */
const folders = {
  unit: { share: 40, seconds: 30 },
  relay: { share: 40, seconds: 30 },
  wire: { share: 40, seconds: 30 },
  command: { share: 1, seconds: 60, env: { COMMAND: 'dist/cli.js' } },
  browser: { share: 1, seconds: 120 },
  players: { share: 1, seconds: 300, lanes: 1 },
  nightly: { share: 1, seconds: 3600, env: { WHOLE: '1' } }
}

const words = process.argv.slice(2)
const at = words.indexOf('--shuffle')
const [, seed] = at === -1 ? [] : words.splice(at, 2)
const given = (words.length > 0 ? words : ['unit', 'relay', 'wire']).map((word) => relative(root, resolve(word in folders ? join(root, 'test', word) : word)))
const files = given.flatMap((path) => statSync(join(root, path)).isDirectory() ? readdirSync(join(root, path)).filter((name) => name.endsWith('.test.ts')).map((name) => `${path}/${name}`) : [path])
const draw = (file) => createHash('sha256').update(`${seed} ${file}`).digest('hex')
if (seed !== undefined) files.sort((a, b) => draw(a).localeCompare(draw(b)))
const folderOf = (file) => file.split('/')[1]

const bundles = await bundle(files)
const totals = { pass: 0, fail: 0, skip: 0, todo: 0 }

/** Runs these files in one process, in this order. */
async function run (files) {
  const begun = performance.now()
  const { seconds, env } = folders[folderOf(files[0])]
  // A process whose loop is blocked cannot end its tests by itself.
  const limit = Math.max(600, seconds)
  const entry = join(bundles, `${files[0].replaceAll('/', '-')}.entry.js`)
  writeFileSync(entry, ['test/support/limits.ts', ...files].map((file) => `import './${file.replace(/\.ts$/, '.js')}'\n`).join(''))
  // With more room for what is young, less of it is copied: an app of a test lives for a few milliseconds.
  const child = spawn(process.execPath, ['--max-semi-space-size=32', entry], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TEST_BUNDLES: bundles, TEST_FILES: String(files.length), TEST_SECONDS: String(seconds), ...env } })
  let [text, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part) => { text += part })
  child.stderr.setEncoding('utf8').on('data', (part) => { errors += part })
  const timer = setTimeout(() => { child.kill('SIGKILL') }, 1000 * limit)
  const [code, signal] = await new Promise((resolve) => { child.once('close', (...end) => { resolve(end) }) })
  clearTimeout(timer)
  const summary = [...text.matchAll(/^# (\{ total: .*\})$/gm)].at(-1)?.[1] ?? ''
  const own = Object.fromEntries(Object.keys(totals).map((name) => [name, Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0)]))
  // It broke off, or ended badly although each of its checks was well.
  if (summary === '' || (code !== 0 && own.fail === 0)) own.fail += 1
  for (const name of Object.keys(totals)) totals[name] += own[name]
  console.log(`${own.fail === 0 ? 'ok    ' : 'not ok'} ${files.join(' ')}  ${own.pass} passed${own.skip > 0 ? `, ${own.skip} skipped` : ''}  ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  if (own.fail > 0) console.log(placesIn(bundles, `${failuresOf(text)}\n${errors.slice(-4000)}${signal === null ? '' : `ended by ${signal}`}`))
}

const queue = [...files]
/** One more than there are cores, because most files wait now and then. */
const lanes = files.some((file) => folders[folderOf(file)].lanes === 1) ? 1 : availableParallelism() + 1
async function lane () {
  while (queue.length > 0) {
    const { share } = folders[folderOf(queue[0])]
    const most = Math.min(share, Math.ceil(queue.length / lanes))
    const other = queue.findIndex((file) => folders[folderOf(file)].share !== share)
    await run(queue.splice(0, other === -1 ? most : Math.min(most, other)))
  }
}
await Promise.all(Array.from({ length: lanes }, lane))
console.log(`${totals.pass} passed, ${totals.fail} failed, ${totals.skip + totals.todo} skipped`)
process.exitCode = totals.fail > 0 || totals.pass === 0 ? 1 : 0
