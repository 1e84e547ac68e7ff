/** Addresses of views: fragments such as `#/album/<mid>`, which need nothing from server and proxies, and `login`. */
import { signal } from '@preact/signals'

export interface Place {
  /** The parts of the path: `#/album/x` is ['album', 'x']. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

/** Addresses of version 2 and what they are now. */
const old: ReadonlyArray<readonly [string, (value: string) => string]> = [
  ['search', (key) => `#/search?${new URLSearchParams({ key })}`],
  ['chart', (id) => `#/chart/${id}`],
  ['song', (mid) => `#/song/${mid}`]
]

const root = new URL('./', location.href)
const loginPath = new URL('login', root).pathname
/** Decodes a part of a path. What is no code stays as it is. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function read (): Place {
  if (location.pathname === loginPath) return { parts: ['login'], query: new URLSearchParams(location.search) }
  if (/^#(?!\/)./.test(location.hash)) {
    const before = new URLSearchParams(location.hash.slice(1))
    const [, now] = old.map(([name, address]) =>
      [before.get(name), address] as const
    ).find(([value]) => value !== null && value !== '') ?? []
    const value = old.map(([name]) =>
      before.get(name)
    ).find((each) => each !== null && each !== '')
    if (now !== undefined && typeof value === 'string') history.replaceState(null, '', now(value))
  }
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { parts: path.split('/').filter((part) => part !== '').map(decoded), query: new URLSearchParams(query) }
}

export const place = signal<Place>({ parts: [], query: new URLSearchParams() })

export function hrefOf (path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = String(new URLSearchParams(query))
  return path === 'login' ? `login${text === '' ? '' : `?${text}`}` : `./#/${path}${text === '' ? '' : `?${text}`}`
}

export const itemHref = (kind: string, id: string | number): string => hrefOf(`${kind}/${encodeURIComponent(id)}`)

interface State {
  readonly scroll?: number
  /** Whether the entry before is a view of this page. */
  readonly inside?: boolean
}
const stateNow = (): State => history.state as State | null ?? {}

/** Whether "Back" stays in this page. The length of the history counts other sites, too. */
export const canGoBack = (): boolean => stateNow().inside === true

/** Shows the view of an address. `replaces`: "Back" of the browser does not lead to the one before. */
export function goTo (href: string, replaces = false): void {
  const { inside = false } = stateNow()
  if (replaces) { history.replaceState({ inside }, '', href) }
  else {
    history.replaceState({ inside, scroll: scrollY }, '')
    history.pushState({ inside: true }, '', href)
  }
  place.value = read()
  if (!replaces) scrollTo(0, 0)
}

/** The path of the page with its fragment, for the way back from the login. */
export const pathNow = (): string => location.pathname + location.search + location.hash

export const isView = (url: URL): boolean =>
  url.origin === root.origin && (url.pathname === loginPath || (url.pathname === root.pathname && url.search === ''))

/** Shows the view of the page's address. Follows links and "Back" without loading the page anew. */
export function startRouter (): void {
  place.value = read()
  history.scrollRestoration = 'manual'
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      link === null || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
      || event.defaultPrevented
    ) { return }
    if (link.target !== '' || link.hasAttribute('download') || !isView(new URL(link.href))) return
    event.preventDefault()
    goTo(link.href)
  })
  addEventListener('popstate', ({ state }) => {
    place.value = read()
    const scroll = Number((state as State | null)?.scroll ?? 0)
    // The view is drawn in the next frame.
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        scrollTo(0, scroll)
      })
    })
  })
}
