/**
 * Runs the suite and prints `N passed, N failed, N skipped` last. tap's own summary counts assertions in a form that
 * few tools read, and an old result file must never be taken for a new one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const output = `${root}.tap/run-${process.pid}.tap`

const given = process.argv.slice(2)
const run = spawnSync(process.execPath, [
  `${root}node_modules/tap/dist/esm/run.mjs`, '-j4', '--timeout=180', '--reporter=min', '--disable-coverage', `--output-file=${output}`,
  ...(given.length > 0 ? given : ['test/*.test.ts'])
], { cwd: root, stdio: 'inherit' })

const text = existsSync(output) ? readFileSync(output, 'utf8') : ''
rmSync(output, { force: true })
// What failed, in full: a runner without a terminal keeps nothing else of it.
const lines = text.split('\n')
lines.forEach((line, at) => {
  const failure = /^(\s*)not ok /.exec(line)
  if (failure === null) return
  if (/^\s*---$/.test(lines[at + 1] ?? '')) {
    const end = lines.findIndex((later, index) => index > at && /^\s*\.\.\.$/.test(later))
    console.log(lines.slice(at, end + 1).join('\n'))
  } else console.log(line)
})

const summary = [...text.matchAll(/^# (\{ total: .*\})$/gm)].at(-1)?.[1] ?? ''
const count = (name) => Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
const passed = count('pass')
const failed = count('fail')
console.log(`${passed} passed, ${failed} failed, ${count('skip') + count('todo')} skipped`)
process.exitCode = run.status !== 0 || failed > 0 || passed === 0 ? 1 : 0
