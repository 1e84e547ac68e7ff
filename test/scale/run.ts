/**
 * `npm run scale`: what listeners cost, from a thousand to ten million a day. Writes the tables of docs/performance.md
 * and its plot. `--confirm` only lets two instances with a store and HAProxy do what the model says, and exits with 1
 * if they are off by more than a fifth. docs/performance.md explains it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import root, { type Test } from 'tap'
import { randomFrom } from '../../src/demo/catalogue/random.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf } from '../support/helper.ts'
import { without } from '../support/instances.ts'
import { confirm, cpuOf, pathsOf, requestsOf } from './measure.ts'
import { manners } from './sessions.ts'
import { slotsOf, usualEntries, weekOf, type Hour } from './model.ts'
import { plotOf, type Line } from './plot.ts'

const { values } =
  parseArgs({ options: { confirm: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } })
if (values.help) {
  console.log(`npm run scale -- [--confirm]

  --confirm  only compares two instances, a store and HAProxy with the model; without it the tables of docs/performance.md are written`)
  process.exit()
}
const file = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url)

/** What an instance caches, by default and with more memory. */
const memories = [{ name: '', entries: usualEntries }, { name: ', CACHE_BYTES of 1 GB', entries: 80_000 }]
/** Share of a core that an instance uses at its busiest hour, so that one can fail. */
const usedShare = 0.6
const listeners = [1e3, 1e4, 1e5, 1e6, 1e7]

// Helpers of tests load it; it would end this after half a minute.
root.setTimeout(0)
const ends: Array<() => unknown> = []
const t = { teardown: (end: () => unknown) => { ends.unshift(end) } } as unknown as Test
const round = (value: number): string =>
  value === 0 ? '0' : value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2)
const percent = (part: number, all: number): string => `${(100 * part / all).toFixed(1)} %`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const sum = (week: readonly Hour[], of: (hour: Hour) => number): number => week.reduce((all, hour) => all + of(hour), 0)
/** More instances share the requests, and each finds less of what it is asked for in its memory: until the number no longer changes. */
function sized (weekWith: (plan: { readonly instances: number }) => readonly Hour[]): {
  readonly week: readonly Hour[], readonly instances: number
} {
  let instances = 1
  for (let step = 0; ; step++) {
    const week = weekWith({ instances })
    const needed = Math.max(1, Math.ceil(Math.max(...week.map(({ cores }) => cores)) / usedShare))
    if (needed === instances || step === 20) return { week, instances }
    instances = needed
  }
}
const missing = without('redis-server', 'haproxy')

let failed = false
const tables: string[] = []
const lines: Line[] = []
try {
  for (const manner of manners) {
    const demo = await startDemoUpstream()
    t.teardown(async () => { await demo.close() })
    const requests = await requestsOf(t, demo, manner)
    if (missing === false) {
      const { asks, said, is } = await confirm(t, demo, manner, requests)
      const off = Math.abs(said - is) / is
      failed ||= off > 0.2
      console.log(`${manner.name}: ${asks} requests; to the upstream ${Math.round(said)} said, ${is} made (${percent(said - is, is)})`)
    } else console.log(missing)
    if (values.confirm) continue
    const cpu = await cpuOf(pathsOf(manner), cookieOf(demo, 'member'))
    console.log(cpu)
    const slots = slotsOf(randomFrom(4).next)
      .filter(({ method, kind }) => kind !== 'library' && requests[method] !== undefined)
    const costs = { ...cpu, requestsOf: requests }
    for (const { name, entries } of memories) {
      const line = { name: `${manner.name}${name}`, points: [] as Array<[number, number]> }
      // The page shows the usual memory; the plot shows both.
      const isShown = entries === usualEntries
      if (isShown) tables.push(`### ${line.name}\n`, row([
        'Listeners a day', 'Requests a second', 'From memory', 'From the store', 'Upstream a second',
        'Of them play addresses', 'Store commands a second', 'Cores', 'Instances'
      ]), row(Array.from({ length: 9 }, () => '---')))
      for (const count of listeners) {
        const { week, instances } =
          sized((plan) => weekOf(count, slots, { ...plan, entries, store: manner.store }, costs))
        const peak = (of: (hour: Hour) => number): number => Math.max(...week.map(of))
        const share = (of: (hour: Hour) => number): string => percent(sum(week, of), sum(week, ({ asks }) => asks))
        if (isShown) tables.push(row([count.toLocaleString('en'), round(peak(({ asks }) => asks)), share(
          ({ fromMemory }) => fromMemory
        ), share(({ fromStore }) => fromStore),
          ...[
            peak(({ upstream }) => upstream), peak(({ plays }) => plays), peak(({ storeCommands }) => storeCommands),
            peak(({ cores }) => cores)
          ].map(round), String(instances)]))
        line.points.push([count, peak(({ upstream }) => upstream)])
      }
      lines.push(line)
      if (isShown) tables.push('')
    }
  }
} finally {
  for (const end of ends) await end()
}

if (!values.confirm) {
  console.log(tables.join('\n'))
  writeFileSync(file('pictures/scale.svg'), plotOf(lines, { x: 'listeners a day', y: 'upstream requests a second, busiest hour' }))
  const page = readFileSync(file('performance.md'), 'utf8')
  writeFileSync(file('performance.md'), page.replace(
    /(?<=<!-- scale -->\n).*(?=<!-- \/scale -->)/s, () => `\n${tables.join('\n')}\n`
  ))
  console.log(`${cpus().length} cores, ${cpus()[0]?.model ?? ''}, Node ${process.version}`)
}
process.exitCode = failed ? 1 : 0
