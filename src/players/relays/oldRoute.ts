/** A route of another relay for the same provider, and what becomes of it here. */

/** The relays whose routes are known, each under its public name. */
export const relays = {
  S: '@sansenjian/qq-music-api',
  R: 'Rain120/qq-music-api',
  J: 'jsososo/QQMusicApi'
} as const

/**
 * `same`: answered under this path. `alias`: answered as the route `here`. `instead`: 404, and `here` is what to use. `none`:
 * 404, and nothing here does the same.
 */
export type Fate = 'same' | 'alias' | 'instead' | 'none'

export interface OldRoute {
  readonly method: 'GET' | 'POST'
  /** `:name` is a path parameter, `:name?` one that may be left out. */
  readonly path: string
  /** Keys of `relays`. */
  readonly of: string
  readonly fate: Fate
  /** A path of this relay, or for `instead` a command of it. '' if there is none. */
  readonly here: string
  /** Of an alias: parameters that have another name here, or '' where they mean something else and are left out. */
  readonly renamed: Readonly<Record<string, string>>
  /** Of an alias: parameters that the route here needs besides. */
  readonly added: Readonly<Record<string, string>>
  /** Of an alias: the values of a parameter that reach the route here. Another value is left out, as the other relay ignored it. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** What a user of the route notices, in Markdown. */
  readonly note: string
}

type Details = Partial<Pick<OldRoute, 'renamed' | 'added' | 'known' | 'note'>>

/** Splits `GET /path` into its two parts. */
function parts (route: string): Pick<OldRoute, 'method' | 'path'> {
  const [method, path] = route.split(' ') as [OldRoute['method'], string]
  return { method, path }
}

const row = (route: string, of: string, fate: Fate, here: string, { renamed = {}, added = {}, known = {}, note = '' }: Details): OldRoute => ({
  ...parts(route),
  of,
  fate,
  here,
  renamed,
  added,
  known,
  note
})

/** The route has the same path here. */
export const same = (route: string, of: string, note = ''): OldRoute => row(route, of, 'same', parts(route).path, { note })

/** The path is answered as another route. */
export const alias = (route: string, of: string, here: string, details: Details = {}): OldRoute => row(route, of, 'alias', here, details)

/** Another route or command takes its place. */
export const instead = (route: string, of: string, here: string, note = ''): OldRoute => row(route, of, 'instead', here, { note })

/** Nothing takes its place. */
export const none = (route: string, of: string, note: string): OldRoute => row(route, of, 'none', '', { note })
