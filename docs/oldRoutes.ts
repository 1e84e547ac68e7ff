/** The tables of docs/guides/migrating.md: routes of other relays, and what becomes of them. */
import { relays } from '../src/players/relays/oldRoute.ts'
import type { OldRoute } from '../src/players/relays/oldRoute.ts'
import { oldRoutes } from '../src/players/relays/routes.ts'
import { cell } from './tables.ts'

function hereOf ({ fate, method, here }: OldRoute): string {
  if (fate === 'same') return 'the same'
  if (fate === 'none') return 'nothing'
  return fate === 'alias' ? `alias of \`${method} ${here}\`` : `use \`${here}\``
}

/** Returns the table of the routes of these relays, keys of `relays`. `In` tells several apart. */
export function oldRoutesTable (of: readonly (keyof typeof relays)[]): string {
  const heads = ['Earlier', 'Here', 'Differences', ...(of.length > 1 ? ['In'] : [])]
  const rows = oldRoutes.filter((route) => of.some((relay) => route.of.includes(relay))).map((route) =>
    [`\`${route.method} ${route.path}\``, hereOf(route), cell(route.note), ...(of.length > 1 ? [[...route.of].join(', ')] : [])])
  return [heads, ...rows].map((cells) => `| ${cells.join(' | ')} |`).toSpliced(1, 0, '|---'.repeat(heads.length) + '|').join('\n')
}
