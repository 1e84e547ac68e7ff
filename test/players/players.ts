/**
 * Runs the tests that drive real players, and writes docs/players-tried.json and the tables made of it: npm run
 * players. A player that is not installed here keeps its line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generated } from '../../build/docs/generate.ts'
import { triedFile, type Tried } from '../../build/docs/tried.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const results = mkdtempSync(join(tmpdir(), 'music-relay-players-'))
try {
  const testsIn = (folder: string, names: RegExp): string[] =>
    readdirSync(join(root, folder)).filter((name) => names.test(name)).map((name) => `${folder}/${name}`)
  // Players with windows one at a time: some do not start beside another one.
  for (const tests of [
    [...testsIn('test/nightly', /^players-.*\.test\.ts$/), 'test/relay/opensubsonic-traces.test.ts'],
    ...testsIn('test/players', /\.test\.ts$/).map((test) => [test])
  ]) {
    const child = spawn(process.execPath, ['test/run.js', ...tests], {
      cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PLAYERS_RESULTS: results }
    })
    let said = ''
    child.stdout.on('data', (part: Buffer) => { process.stdout.write(part); said += part.toString() })
    await once(child, 'close')
    // Not by the exit code: a run whose only player is not installed has passed nothing.
    if (!/ passed, 0 failed, \d+ skipped\s*$/.test(said)) throw new Error('A test failed: nothing is written.')
  }
  const found = readdirSync(results).filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(results, name), 'utf8')) as Tried | Tried[])
  const before = JSON.parse(readFileSync(triedFile, 'utf8')) as Tried[]
  const tried = new Map([...before, ...found].map((row) => [row.client, row]))
  const rows = [...tried.values()].sort((a, b) => a.client.localeCompare(b.client, 'en'))
  writeFileSync(triedFile, rows.length === 0 ? '[]\n' : `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`)
  for (const [file, text] of Object.entries(await generated())) {
    if (/^docs\/players\b/.test(file)) writeFileSync(join(root, file), text)
  }
  console.log(`${found.length} players tried, ${rows.length} in docs/players.md`)
} finally {
  rmSync(results, { recursive: true, force: true })
}
