/** `music-relay migrate-check`: which routes an app asks of another relay, and what becomes of each. */
import { createReadStream } from 'node:fs'
import { opendir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { formsOf } from '../core/endpoint.ts'
import { registry } from '../endpoints/index.ts'
import { movedOf, type Moved } from '../players/relays/moved.ts'
import { same, type Fate, type OldRoute } from '../players/relays/oldRoute.ts'
import { createLookup, oldRoutes } from '../players/relays/routes.ts'
import { linesOf, pathOfLogLine, pathsInSource } from './askedPaths.ts'

const sourceTypes = new Set(
  '.js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .html .wxml .ets .py .php .go .java .kt .swift .dart .rb .cs .rs .lua .sh .yaml .yml .toml .env'
    .split(' ')
)
const logTypes = new Set(['.log', '.jsonl', '.ndjson'])
/** A larger file of source code is a bundle or data. */
const largestSource = 2 * 1024 * 1024
const mostFiles = 50_000
/** Number of different unknown paths, and of places for one route, that are listed. */
const mostUnknown = 1000
const mostPlaces = 3

/** What becomes of a path: that of a route of the table, or `unknown`. */
export interface AskedRoute {
  /** The route with the names of its path parameters; the path itself if it is unknown. */
  readonly path: string
  readonly becomes: Fate | 'unknown'
  /** What to ask or do here; '' if nothing. */
  readonly here: string
  readonly note: string
  /** Where an app of the two relays with our names finds the values of the answer. Not there if they did not move. */
  readonly moved?: Moved
  count: number
  /** The first lines, `file:line` in source code. Empty for logs. */
  readonly places: string[]
}

/** The result of a check. */
export interface MigrationReport {
  readonly files: number
  readonly counts: Readonly<Record<AskedRoute['becomes'], number>>
  readonly routes: readonly AskedRoute[]
  /** Number of requests for known routes whose path ends with a slash. They are 404 here. */
  readonly slashed: number
  /** What was not read or not listed, and why. */
  readonly notes: readonly string[]
}

const order: readonly AskedRoute['becomes'][] = ['same', 'alias', 'instead', 'none', 'unknown']

/** Collects paths. */
function createCollector () {
  const own = Object.values(registry).flatMap((endpoint) => formsOf(endpoint).map(({ path }) => same(`${endpoint.method} ${path}`, '')))
  const known = new Set(oldRoutes.map(({ path }) => path))
  const all = [...oldRoutes, ...own.filter(({ path }) => !known.has(path))]
  const routeAt = createLookup(all)
  const lookup = (path: string): OldRoute | undefined => routeAt(path)?.route
  const routes = new Map<string, AskedRoute>()
  let unlisted = 0
  let slashed = 0
  const ending = (path: string): string => path.slice(path.indexOf('/', 1))

  /** Finds the route of a path, also behind the prefix of a proxy if its name can be no other's. */
  function routeOf (path: string): OldRoute | undefined {
    const found = lookup(path)
    if (found !== undefined) return found
    for (let rest = path; rest.indexOf('/', 1) > 0;) {
      rest = ending(rest)
      const behind = lookup(rest)
      if (behind !== undefined && /[a-z][A-Z]/.test(behind.path)) return behind
    }
    return undefined
  }

  return {
    /** Counts a path. In source code, an unknown one counts only if its name is one of a relay: most others are pages of the app. */
    add (asked: string, place?: string): void {
      const path = asked.length > 1 ? asked.replace(/\/+$/, '') : asked
      const route = routeOf(path)
      if (route === undefined && place !== undefined && !/^\/(user\/)?(get|batchGet|check|set)[A-Z]/.test(path)) return
      const name = route?.path ?? path
      let entry = routes.get(name)
      if (entry === undefined) {
        if (route === undefined && [...routes.values()].filter(({ becomes }) => becomes === 'unknown').length >= mostUnknown) {
          unlisted++
          return
        }
        const { fate = 'unknown' as const, here = '', note = '' } = route ?? {}
        const moved = route === undefined ? undefined : movedOf(route)
        routes.set(name, entry = { path: name, becomes: fate, here, note, ...(moved === undefined ? {} : { moved }), count: 0, places: [] })
      }
      entry.count++
      if (route !== undefined && path !== asked) slashed++
      if (place !== undefined && entry.places.length < mostPlaces) entry.places.push(place)
    },
    routes: (): AskedRoute[] =>
      [...routes.values()].sort((a, b) => order.indexOf(a.becomes) - order.indexOf(b.becomes) || b.count - a.count || (a.path < b.path ? -1 : 1)),
    unlisted: (): number => unlisted,
    slashed: (): number => slashed
  }
}

/** Returns the files below a folder that may be source code or logs, without node_modules and hidden folders. Follows no links. */
async function * filesIn (folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) yield * filesIn(path)
    else if (entry.isFile() && (sourceTypes.has(typeOf(path)) || logTypes.has(typeOf(path)))) yield path
  }
}

/** The ending of a name; `.env` is one of its own. */
const typeOf = (path: string): string => extname(path) === '' && path.endsWith('.env') ? '.env' : extname(path).toLowerCase()

/**
 * Reads an access log, a file or a folder of source code, or standard input as a log (`-`).
 * @throws {Error} It does not exist or cannot be read.
 */
export async function checkMigration (place: string, input: AsyncIterable<Buffer | string>): Promise<MigrationReport> {
  const collector = createCollector()
  const notes: string[] = []
  let files = 0

  async function readLog (stream: AsyncIterable<Buffer | string>): Promise<void> {
    files++
    for await (const line of linesOf(stream)) {
      const path = pathOfLogLine(line)
      if (path !== undefined) collector.add(path)
    }
  }
  async function readSource (path: string, name: string): Promise<void> {
    const { size } = await stat(path)
    if (size > largestSource) {
      notes.push(`${name}: skipped, larger than ${largestSource / 1024 / 1024} MB.`)
      return
    }
    files++
    for (const { path: asked, line } of pathsInSource(await readFile(path, 'utf8'))) collector.add(asked, `${name}:${line}`)
  }
  const read = async (path: string, name: string, isSource: boolean): Promise<void> => {
    await (isSource ? readSource(path, name) : readLog(createReadStream(path)))
  }

  if (place === '-') await readLog(input)
  else {
    const facts = await stat(place).catch(({ code }: NodeJS.ErrnoException) => { throw new Error(`${place} cannot be read (${code}).`) })
    if (facts.isDirectory()) {
      for await (const path of filesIn(place)) {
        if (files >= mostFiles) {
          notes.push(`${place}: only its first ${mostFiles} files were read.`)
          break
        }
        await read(path, relative(place, path), sourceTypes.has(typeOf(path))).catch(({ code }: NodeJS.ErrnoException) => {
          notes.push(`${relative(place, path)}: skipped (${code}).`)
        })
      }
    } else if (/\.(gz|zst|bz2|xz)$/.test(place)) {
      throw new Error(`${place} is compressed: unpack it into this command, such as zcat ${place} | music-relay migrate-check -`)
    } else await read(place, place, sourceTypes.has(typeOf(place)))
  }
  if (collector.unlisted() > 0) notes.push(`${collector.unlisted()} requests of further unknown paths are not listed.`)
  const slashed = collector.slashed()
  if (slashed > 0) {
    notes.push(
      `${slashed} ${slashed === 1 ? 'request ends' : 'requests end'} with a slash, such as /getRanks/: here that is 404. Leave the slash out.`
    )
  }
  const routes = collector.routes()
  const counts = Object.fromEntries(order.map((fate) => [fate, routes.filter(({ becomes }) => becomes === fate).length])) as MigrationReport['counts']
  return { files, counts, routes, slashed, notes }
}

const words: Readonly<Record<AskedRoute['becomes'], string>> = { same: 'the same', alias: 'alias', instead: 'use', none: 'nothing', unknown: 'unknown' }

/** Returns the report as text: a line for each route, notes below those that need a change, and a summary. */
export function reportText ({ files, counts, routes, notes }: MigrationReport): string {
  const rows = routes.map(({ count, path, becomes, here }) => [String(count), path, words[becomes], becomes === 'same' ? '' : here])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((cells) => (cells[column] as string).length)))
  const lines = routes.flatMap(({ note, moved, places, becomes }, at) => {
    const [count = '', path = '', word = '', here = ''] = rows[at] as string[]
    const indent = ' '.repeat((widths[0] as number) + 4)
    const needsWork = becomes !== 'same' && becomes !== 'alias'
    return [
      `${count.padStart(widths[0] as number)}  ${path.padEnd(widths[1] as number)}  ${word.padEnd(widths[2] as number)}  ${here}`.trimEnd(),
      ...(note === '' ? [] : [`${indent}${note.replaceAll('`', '')}`]),
      ...(moved === undefined ? [] : [`${indent}${moved.earlier} -> ${moved.here}`]),
      ...(needsWork && places.length > 0 ? [`${indent}${places.join(' ')}`] : [])
    ]
  })
  const elsewhere = routes.filter(({ moved }) => moved !== undefined).length
  if (elsewhere > 0) lines.push(`Arrows: ${elsewhere} ${elsewhere === 1 ? 'route has its' : 'routes have their'} values elsewhere in the answer. Change what your app reads (docs/guides/migrating.md).`)
  const summary = order.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${words[fate]}`)
  return [
    ...lines,
    ...notes,
    `${files} ${files === 1 ? 'file' : 'files'}. ${routes.length === 0 ? 'No routes found.' : `Routes: ${summary.join(', ')}.`}`,
    ''
  ].join('\n')
}

/** Prints the report. Returns the exit code: 0 all routes are answered here, 1 some are not, or there are none. */
export async function migrateCheck (
  { place, input, json, out }: {
    readonly place: string
    readonly input: AsyncIterable<Buffer | string>
    readonly json: boolean
    readonly out: (text: string) => void
  }
): Promise<number> {
  const report = await checkMigration(place, input)
  out(json ? `${JSON.stringify(report)}\n` : reportText(report))
  const { instead, none, unknown } = report.counts
  return report.routes.length > 0 && instead + none + unknown + report.slashed === 0 ? 0 : 1
}
