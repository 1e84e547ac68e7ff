/** A route of another relay for the same provider, and its equivalent here. */

/** The relays with known routes, each with its public name. */
export const relays = {
  S: '@sansenjian/qq-music-api',
  R: 'Rain120/qq-music-api',
  J: 'jsososo/QQMusicApi'
} as const

/**
 * `same`: answered under this path. `alias`: answered as the route `here`. `instead`: 404, and `here` is the replacement.
 * `none`: 404, without a replacement.
 */
export type Fate = 'same' | 'alias' | 'instead' | 'none'

export interface OldRoute {
  readonly method: 'GET' | 'POST'
  /** `:name` is a path parameter, `:name?` an optional one. */
  readonly path: string
  /** Keys of `relays`. */
  readonly of: string
  readonly fate: Fate
  /** A path of this relay, or for `instead` also a command. '' if there is none. */
  readonly here: string
  /** For an alias: parameters with another name here, or '' if they mean something else and are left out. */
  readonly renamed: Readonly<Record<string, string>>
  /** For an alias: further parameters that the route here needs. */
  readonly added: Readonly<Record<string, string>>
  /** For an alias: the values of a parameter that are passed on. Other values are left out, because the other relay ignored them. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** Visible differences for a user of the route, in Markdown. */
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

/** Another route or command replaces it. */
export const instead = (route: string, of: string, here: string, note = ''): OldRoute => row(route, of, 'instead', here, { note })

/** It has no replacement. */
export const none = (route: string, of: string, note: string): OldRoute => row(route, of, 'none', '', { note })
