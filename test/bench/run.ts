/**
 * `npm run bench`: compares the relay with minimal programs that do the same, in one interleaved run on this machine,
 * over loopback only. Absolute results depend on the machine; ratios within one run say more. docs/performance.md
 * explains each result.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { hasPeer, peerName, pinning, startHelper } from './children.ts'
import { digits, type Row, type Table } from './ground.ts'
import type { Load, Outcome } from './load.ts'
import { costOfPages } from './pages.ts'
import { phases } from './phases.ts'
import { builtFrom, lastRelease } from './releases.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [] },
    against: { type: 'string', multiple: true, default: [] },
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

/** A ratio above this is a regression. */
const mostDearer = 1.1

const say = (text: string): void => { process.stdout.write(`${text}\n`) }
const progress = (text: string): void => { process.stderr.write(`  ${text}\n`) }

if (values.help) {
  say(`npm run bench -- [--rounds N] [--only PHASE]… [--node PATH]… [--against REF]… [--check] [--quick] [--json]

  --rounds N    rounds of each phase (5; with --quick 3)
  --only PHASE  this phase only; may be given more than once
  --node PATH   for the phase start: the Node that runs its servers (this one); may be given more than once
  --against REF another commit of this repository, built and measured in turn with this one; may be given more than once
  --check       exits with 1 if an answer costs over a tenth more CPU than at the first --against (${lastRelease})
  --quick       shorter turns, for a first look
  --json        one JSON object instead of tables: the machine, and columns and rows of each phase

Phases:
${phases.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}`)
  process.exit()
}

const rounds = Number(values.rounds ?? (values.quick ? 3 : 5))
if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds: must be a whole number from 1')
for (const name of values.only) if (!phases.some((phase) => phase.name === name)) {
  throw new TypeError(`--only: there is no phase "${name}"; --help lists them`)
}

function print ({ columns, rows }: Table): void {
  const lines = [['', ...columns], ...rows.map(({ name, cells }) => [name, ...cells])]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? []
  for (const line of lines) say(`  ${line.map((cell, at) => at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)).join('  ')}`.trimEnd())
}

const against = values.against.length === 0 && values.check ? [lastRelease] : values.against
const releases = against.map((name) => ({ name, cli: builtFrom(name, progress) }))

interface Result extends Table { readonly name: string, readonly about: string }

const loadNow = (): string => (loadavg()[0] ?? 0).toFixed(1)
const { fresh, again } = costOfPages()
const machine = {
  node: process.version, freshPageUs: fresh, usedPageUs: again, cores: cpus().length, cpu: cpus()[0]?.model, pinning,
  rounds, date: new Date().toISOString(), loadBefore: loadNow()
}
if (!values.json) {
  say(`Node ${machine.node}, ${machine.cores} cores, ${pinning}; ${rounds} rounds; load before: ${machine.loadBefore}`)
  say(`A fresh page of memory costs ${digits(fresh)} us of CPU, a used one ${digits(again)}. A text above 65,536 characters needs fresh ones.`)
  if (!hasPeer()) say(`${peerName} is not measured: npm run foreign installs it.`)
}
const results: Result[] = []
const isDearer = ({ ofRelease = 0 }: Pick<Row, 'ofRelease'>): boolean => ofRelease > mostDearer
const load = await startHelper<Load, Outcome>('load.ts', 'others')
try {
  const usual =
    { load, releases, quick: values.quick, nodes: values.node.length > 0 ? values.node : [process.execPath], progress }
  for (const { name, about, run } of phases) {
    if (values.only.length > 0 && !values.only.includes(name)) continue
    if (!values.json) say(`\n${name}: ${about}`)
    let table = await run({ ...usual, rounds, seconds: values.quick ? 1 : 2 })
    if (!values.json) print(table)
    if (values.check && table.rows.some(isDearer)) {
      // A few short rounds may say so by chance.
      table = await run({ ...usual, rounds: 2 * rounds + 1, seconds: 2 })
      if (!values.json) print(table)
    }
    results.push({ name, about, ...table })
  }
} finally {
  await load.end()
}
if (values.json) say(JSON.stringify({ ...machine, loadAfter: loadNow(), phases: results }, undefined, 2))
else say(`\nMedians over the rounds, each with its smallest and largest; ratios are taken within a round. Load after: ${loadNow()}.`)
if (values.check) {
  const rows = results.flatMap(({ name, rows }) =>
    rows.flatMap(({ ofRelease }) => ofRelease === undefined ? [] : [{ name, ofRelease }]))
  const dearer = rows.filter(isDearer)
  for (const { name, ofRelease } of dearer) say(`${name}: ${digits(ofRelease)} times the CPU of ${releases[0]?.name}`)
  const unsteady = results.filter(({ rows }) => rows.some(({ unsteady }) => unsteady === true)).map(({ name }) => name)
  if (unsteady.length > 0) say(`not checked, because the machine's spread was above a third: ${unsteady.join(', ')}`)
  say(`${rows.length - dearer.length} passed, ${dearer.length} failed, ${unsteady.length} skipped`)
  process.exitCode = dearer.length > 0 ? 1 : 0
}
