/**
 * Runs the quick part of the suite on every Node that is promised. The last line counts.
 *
 *   npm ci --prefix test/runtimes --ignore-scripts && node test/runtimes/run.js
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isHere, nodes } from './binaries.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const counts = [0, 0, 0]

if (!isHere()) {
  console.log('there are no packages of the runtimes for this platform\n0 passed, 0 failed, 1 skipped')
  process.exit()
}
for (const [major, node] of nodes) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  console.log(`Node ${version}`)
  const { stdout, stderr } = spawnSync(node, ['test/run.js', '--quick'], { cwd: root, encoding: 'utf8' })
  const sums = /^(\d+) passed, (\d+) failed, (\d+) skipped\n$/m.exec(stdout)?.slice(1).map(Number) ?? [0, 1, 0]
  if (!version.startsWith(`v${major}.`) || sums[1] > 0 || sums[0] === 0) console.log(`${stdout}${stderr}`)
  if (!version.startsWith(`v${major}.`)) sums[1]++
  for (const [at, sum] of sums.entries()) counts[at] += sum
}
console.log(`${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped`)
process.exitCode = counts[1] > 0 || counts[0] === 0 ? 1 : 0
