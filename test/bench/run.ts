/**
 * `npm run bench`: compares the relay with minimal programs that do the same, in one interleaved run on this machine,
 * over loopback only. Absolute results depend on the machine; ratios within one run say more. docs/performance.md
 * explains each result.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { pinning, startHelper } from './children.ts'
import type { Load, Outcome } from './load.ts'
import { phases } from './phases.ts'
import type { Table } from './ground.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

const say = (text: string): void => { process.stdout.write(`${text}\n`) }
const progress = (text: string): void => { process.stderr.write(`  ${text}\n`) }

if (values.help) {
  say(`npm run bench -- [--rounds N] [--only PHASE]… [--node PATH]… [--quick] [--json]

  --rounds N    rounds of each phase (5; with --quick 3)
  --only PHASE  this phase only; may be given more than once
  --node PATH   for the phase start: the Node that runs its servers (this one); may be given more than once
  --quick       shorter turns, for a first look
  --json        one JSON object instead of tables: the machine, and columns and rows of each phase

Phases:
${phases.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}`)
  process.exit()
}

const rounds = Number(values.rounds ?? (values.quick ? 3 : 5))
if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds: must be a whole number from 1')
for (const name of values.only) if (!phases.some((phase) => phase.name === name)) throw new TypeError(`--only: there is no phase "${name}"; --help lists them`)

function print ({ columns, rows }: Table): void {
  const lines = [['', ...columns], ...rows.map(({ name, cells }) => [name, ...cells])]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? []
  for (const line of lines) say(`  ${line.map((cell, at) => at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)).join('  ')}`.trimEnd())
}

interface Result extends Table { readonly name: string, readonly about: string }

const loadNow = (): string => (loadavg()[0] ?? 0).toFixed(1)
const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model, pinning, rounds, date: new Date().toISOString(), loadBefore: loadNow() }
if (!values.json) say(`Node ${machine.node}, ${machine.cores} cores, ${pinning}; ${rounds} rounds; load before: ${machine.loadBefore}`)
const results: Result[] = []
const load = await startHelper<Load, Outcome>('load.ts', 'others')
try {
  for (const { name, about, run } of phases) {
    if (values.only.length > 0 && !values.only.includes(name)) continue
    if (!values.json) say(`\n${name}: ${about}`)
    const table = await run({ load, rounds, seconds: values.quick ? 1 : 2, quick: values.quick, nodes: values.node.length > 0 ? values.node : [process.execPath], progress })
    results.push({ name, about, ...table })
    if (!values.json) print(table)
  }
} finally {
  await load.end()
}
if (values.json) say(JSON.stringify({ ...machine, loadAfter: loadNow(), phases: results }, undefined, 2))
else say(`\nMedians over the rounds, each with its smallest and largest; ratios are taken within a round. Load after: ${loadNow()}.`)
