/**
 * Runs the quick part of the suite on every Node that is promised, or with --newest on the newest. The last line
 * counts. Quick is what notices first if a runtime does something else: rules without sockets, and sockets.
 *
 *   npm run runtimes [-- --newest]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isHere, nodes } from './binaries.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))
const npm = (...words) => { spawnSync('npm', [...words, '--ignore-scripts', '--no-audit', '--no-fund'], { stdio: 'inherit' }) }
const counts = [0, 0, 0]

/** The newest Node, alone in a folder of its own: the packages of all runtimes are 930 MB. */
function newest () {
  const [[major]] = nodes.slice(-1)
  const { optionalDependencies } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'))
  const folder = `${root}.tap/newest`
  npm('install', '--prefix', folder, `node-${major}@${optionalDependencies[`node-${major}`]}`)
  return [[major, `${folder}/node_modules/node-${major}/bin/node`]]
}

const all = !process.argv.includes('--newest')
if (all && !isHere()) npm('ci', '--prefix', here)
const chosen = all ? nodes : newest()
if (!chosen.every(([, node]) => existsSync(node))) {
  console.log('there are no packages of the runtimes for this platform\n0 passed, 0 failed, 1 skipped')
  process.exit()
}
for (const [major, node] of chosen) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  console.log(`Node ${version}`)
  const { stdout, stderr } = spawnSync(node, ['test/run.js', 'unit', 'wire'], { cwd: root, encoding: 'utf8' })
  const sums = /^(\d+) passed, (\d+) failed, (\d+) skipped\n$/m.exec(stdout)?.slice(1).map(Number) ?? [0, 1, 0]
  if (!version.startsWith(`v${major}.`)) sums[1]++
  if (sums[1] > 0 || sums[0] === 0) console.log(`${stdout}${stderr}`)
  for (const [at, sum] of sums.entries()) counts[at] += sum
}
console.log(`${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped`)
process.exitCode = counts[1] > 0 || counts[0] === 0 ? 1 : 0
