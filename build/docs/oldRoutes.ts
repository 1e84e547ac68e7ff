/** The tables of docs/guides/migrating.md: routes of other relays, and what becomes of them. */
import { oldRoutes, relays, type OldRoute } from '../../src/players/relays/oldRoutes.ts'
import { moved } from './moved.ts'
import { notes } from './oldRouteNotes.ts'
import { cell } from './tables.ts'

export interface OldRoutesWords {
  readonly heads: readonly [earlier: string, here: string, differences: string, relays: string]
  /** What a row says besides the path here. */
  readonly same: string
  readonly none: string
  readonly alias: string
  readonly use: string
  readonly note: (english: string) => string
}

const english: OldRoutesWords = {
  heads: ['Earlier', 'Here', 'Differences', 'In'],
  same: 'the same',
  none: 'nothing',
  alias: 'alias of',
  use: 'use',
  note: (text) => text
}

function hereOf ({ fate, method, here }: OldRoute, words: OldRoutesWords): string {
  if (fate === 'same') return words.same
  if (fate === 'none') return words.none
  return fate === 'alias' ? `${words.alias} \`${method} ${here}\`` : `${words.use} \`${here}\``
}

/** Returns the table of the routes of these relays, keys of `relays`. The last column tells several apart. */
export function oldRoutesTable (of: readonly (keyof typeof relays)[], words = english): string {
  const [earlier, now, differences, families] = words.heads
  const heads = [earlier, now, differences, ...(of.length > 1 ? [families] : [])]
  const rows = oldRoutes.filter((route) => of.some((relay) => route.of.includes(relay))).map((
    route
  ) => [
    `\`${route.method} ${route.path}\``,
    hereOf(route, words),
    cell(words.note(notes[`${route.method} ${route.path}`] ?? '')),
    ...(of.length > 1 ? [[...route.of].join(', ')] : [])
  ])
  return [heads, ...rows].map((cells) => `| ${cells.join(' | ')} |`).toSpliced(1, 0, '|---'.repeat(heads.length) + '|')
    .join('\n')
}

/** Returns the table of where an app of the two relays with our names finds the values of an answer. */
export function movedTable (
  heads: readonly [route: string, earlier: string, here: string] = ['Route', 'Earlier', 'Here']
): string {
  const rows = Object.entries(moved).map(([path, { earlier, here }]) => `| \`${path}\` | \`${earlier}\` | \`${here}\` |`)
  return [`| ${heads.join(' | ')} |`, '|---|---|---|', ...rows].join('\n')
}
