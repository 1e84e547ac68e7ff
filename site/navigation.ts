/** The menus of the site. */
import type { EndpointPage } from './endpoints.ts'
import { linkTo, type Language, type Source } from './sources.ts'
import { words, type Group } from './words.ts'

export interface Item { readonly text: string, readonly link?: string, readonly items?: readonly Item[], readonly collapsed?: boolean }

/** Pages by their names. A page that no group names comes last. */
const groups: Readonly<Record<Group, readonly string[]>> = {
  start: ['index', 'getting-started', 'guides/listening', 'login', 'guides/when-something-fails'],
  guides: ['guides/player', 'guides/household', 'guides/blog', 'guides/generated-client', 'guides/testing-a-client', 'guides/demo-upstream', 'guides/upgrading', 'guides/migrating'],
  players: ['players', 'opensubsonic', 'meting', 'agents'],
  running: ['configuration', 'running-in-public', 'metrics', 'several-instances', 'performance', 'reliability', 'security'],
  interface: ['reference', 'changelog'],
  inside: ['architecture', 'upstream', 'repairing-a-drift', 'contributing', 'roadmap', 'tried-reports', 'decisions']
}

/** Returns the menu of the documents. A page that does not exist in this language is the English one. */
export function documentMenu (sources: readonly Source[], language: Language): Item[] {
  const known = new Set(Object.values(groups).flat())
  const english = sources.filter((source) => source.language === 'en')
  const itemOf = (name: string): Item[] => {
    const found = sources.find(({ page }) => language === 'zh' && page === `zh/${name}`) ?? english.find(({ page }) => page === name)
    return found === undefined ? [] : [{ text: name === 'index' ? words[language].start : found.title.replaceAll('`', ''), link: linkTo(found.page) }]
  }
  const rest = english.map(({ page }) => page).filter((page) => !known.has(page))
  return Object.entries(groups).map(([group, names]) => ({
    text: words[language].groups[group as Group],
    items: [...names, ...group === 'inside' ? rest : []].flatMap(itemOf)
  }))
}

/** Returns the menu of the endpoints, a group for each tag. */
export function endpointMenu (pages: readonly EndpointPage[], language: Language): Item[] {
  const folder = language === 'zh' ? '/zh/endpoints/' : '/endpoints/'
  return [
    { text: words[language].endpoints, link: folder },
    ...[...new Set(pages.map(({ tag }) => tag))].map((tag) => ({
      text: words[language].tags[tag] ?? tag,
      items: pages.filter((page) => page.tag === tag).map(({ name }) => ({ text: name, link: `${folder}${name}` }))
    }))
  ]
}
