/**
 * `npm run stress`: tests load and abuse against the bars, on this machine, over loopback only. Exits with 1 if a bar
 * is missed. Results depend on the machine: nothing else should run on it.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { cases, soak, type Figure, type Ground } from './cases.ts'
import { startHelper } from '../bench/children.ts'
import type { Load, Outcome } from '../bench/load.ts'
import type { Counts, Orders } from '../bench/upstream.ts'

const { values } = parseArgs({ options: {
  quick: { type: 'boolean', default: false }, soak: { type: 'string', default: '0' },
  only: { type: 'string', default: '' }, help: { type: 'boolean', default: false }
} })
if (values.help) {
  console.log(`npm run stress -- [--quick] [--soak MINUTES] [--only TEXT]

  --quick         shorter turns: a minute or two instead of nine
  --soak MINUTES  adds the long run: does memory grow?
  --only TEXT     the cases with this text in their names:

${[...cases, soak].map(({ name }) => `  ${name}`).join('\n')}`)
  process.exit()
}
const soakMinutes = Number(values.soak)
if (!(soakMinutes >= 0)) throw new TypeError('--soak: must be a number of minutes')

const say = (text: string): void => { process.stdout.write(`${text}\n`) }
const held = ({ is, atMost = Infinity, atLeast = -Infinity }: Figure): boolean => is <= atMost && is >= atLeast

function row (figure: Figure): string {
  const { what, is, unit, atMost, atLeast } = figure
  const bar = atMost !== undefined ? `at most ${atMost}` : atLeast !== undefined ? `at least ${atLeast}` : ''
  return `  ${what.padEnd(46)} ${`${Number.isInteger(is) ? is : is.toFixed(2)} ${unit}`.trimEnd().padStart(12)}   ${bar.padEnd(16)} ${bar === '' ? '' : held(figure) ? 'ok' : 'MISSED'}`.trimEnd()
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(1)
say(`Node ${process.version}, ${cpus().length} cores, load before: ${load()}`)

const [upstream, generator] =
  await Promise.all([startHelper<Orders, Counts>('upstream.ts'), startHelper<Load, Outcome>('load.ts')])
const ground: Ground = { upstream, generator, quick: values.quick, soakMinutes, say }
const chosen = [...cases, ...soakMinutes > 0 ? [soak] : []].filter(({ name }) => name.includes(values.only))
let missed = 0
try {
  for (const [index, { name, run }] of chosen.entries()) {
    say(`\n[${index + 1}/${chosen.length}] ${name}`)
    const figures = await run(ground)
    for (const figure of figures) say(row(figure))
    missed += figures.filter((figure) => !held(figure)).length
  }
} finally {
  await Promise.all([upstream.end(), generator.end()])
}
say(`\n${missed === 0 ? 'Every bar is held' : `${missed} bars are missed`}; load after: ${load()}.`)
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1
