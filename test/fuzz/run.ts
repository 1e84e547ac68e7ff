/** `npm run fuzz`: requests made from the schemas, hostile ones among them. Prints progress and a table, and exits with 1 if a bar is missed. */
import { parseArgs } from 'node:util'
import { bars, fuzz } from './drive.ts'

const { values } = parseArgs({ options: {
  requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: '16' }, slow: { type: 'string', default: String(bars.slowestMs) },
  help: { type: 'boolean', default: false }
} })
if (values.help) {
  console.log(`npm run fuzz -- [--requests N] [--seed N] [--concurrency N] [--slow MS]

  --requests N     how many (100000: five minutes)
  --seed N         which ones (1); the same seed and number repeat the same run
  --concurrency N  how many at once (16)
  --slow MS        longest time of a request (${bars.slowestMs}); a busy machine needs more`)
  process.exit()
}
const [requests, seed, concurrency, slowMs] =
  [values.requests, values.seed, values.concurrency, values.slow].map(Number) as [number, number, number, number]
if (![requests, seed, concurrency, slowMs].every(Number.isSafeInteger) || requests < 1 || concurrency < 1) {
  throw new Error('--requests, --seed, --concurrency and --slow are whole numbers.')
}

const { table, perSecond, slowestMs, driftMb, failures } =
  await fuzz({ requests, seed, concurrency, slowMs, progress: (line) => { console.log(line) } })

const statuses = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))].sort()
const frequent = statuses.filter((status) => status.length <= 4)
const row = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => at === 0 ? String(cell).padEnd(10) : String(cell).padStart(8)).join('')
console.log(`\n${row(['', ...frequent, 'several'])}`)
for (const [kind, counts] of Object.entries(table)) {
  const several = Object.entries(counts)
    .reduce((sum, [status, times]) => frequent.includes(status) ? sum : sum + times, 0)
  console.log(row([kind, ...frequent.map((status) => counts[status] ?? 0), several]))
}

// In a short run the size of the heap has not settled.
const drifted = requests >= 50_000 && driftMb > bars.driftMb
console.log(`\n${requests} requests, seed ${seed}: ${Math.round(perSecond)}/s, slowest ${Math.round(slowestMs)} ms (bar ${slowMs}), memory ${driftMb >= 0 ? '+' : ''}${driftMb.toFixed(1)} MB (bar ${bars.driftMb}${requests >= 50_000 ? '' : ', from 50,000 requests on'}), ${failures.length} failures (bar 0)`)
for (const failure of failures) console.log(`- ${failure}`)
process.exitCode = failures.length > 0 || drifted ? 1 : 0
