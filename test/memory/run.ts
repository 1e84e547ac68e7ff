/** `npm run memory`: prints every attack on the memory of the relay and the worst ones, and exits with 1 if the bar is missed. */
import { parseArgs } from 'node:util'
import { bar, search } from './search.ts'

const { values } = parseArgs({ options: {
  minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false }
} })
if (values.help) {
  console.log(`npm run memory -- [--minutes N] [--seed N]

  --minutes N  how long (5)
  --seed N     which attacks come first (1)

COMMAND=dist/cli.js: the built command instead of the sources.`)
  process.exit()
}
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes is a number above 0, --seed a whole number.')

const { attacks, peakMb, worst, alive, confined } =
  await search({ seconds: minutes * 60, seed, progress: (line) => { console.log(line) } })
console.log(`\n${attacks} attacks, seed ${seed}${confined ? '' : ' (without a limit: this machine allows none)'}: at most ${peakMb.toFixed(0)} MB (bar ${bar}), ${alive ? 'alive' : 'DEAD'}\n`)
for (const { attack, before, peak, in: came } of worst) console.log(`+${(peak - before).toFixed(0)} MB for ${came.toFixed(1)} MB in: ${JSON.stringify(attack)}`)
process.exitCode = alive && peakMb < bar ? 0 : 1
