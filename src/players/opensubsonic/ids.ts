/** Ids of items. Clients store them for months, so each id contains its kind, and any process can resolve it. */
import { RelayError } from '../../common/errors.ts'

/**
 * Kinds of ids.
 * - `so` song, `al` album, `ar` singer: by MID
 * - `la`: the part of an album that is in the library; 0 for songs without an album
 * - `pl` playlist, `ch` chart, `ra` radio station: by number
 * - `li`: a list of the account, by name
 */
type IdKind = 'so' | 'al' | 'la' | 'ar' | 'pl' | 'ch' | 'ra' | 'li'

export type ListName = 'liked' | 'daily' | 'radar'

const mid = /^[0-9A-Za-z_]{1,32}$/
const number = /^[0-9]{1,19}$/
const patterns: Readonly<Record<IdKind, RegExp>> = {
  so: mid,
  al: mid,
  la: mid,
  ar: mid,
  pl: number,
  ch: /^[0-9]{1,6}$/,
  ra: /^[0-9]{1,9}$/,
  li: /^(?:liked|daily|radar)$/
}

/** Returns the id of an item. Undefined without a MID, which few songs and singers lack. */
export function idOf (kind: IdKind, own: string): string | undefined {
  return own === '' ? undefined : `${kind}-${own}`
}

/** An item: its kind, and its own id among those of the kind. */
interface Item<K extends IdKind> { readonly kind: K, readonly own: string }

/** Returns the item that an id names. Throws NOT_FOUND if this relay issues no such id of these kinds. */
export const readId = <K extends IdKind>(id: string, ...kinds: readonly K[]): Item<K> =>
  readIdOf('id', id, ...kinds)

/** The same for another parameter than `id`. */
export function readIdOf<K extends IdKind> (parameter: string, id: string, ...kinds: readonly K[]): Item<K> {
  const kind = id.slice(0, 2) as K
  const own = id.slice(3)
  if (id[2] === '-' && kinds.includes(kind) && patterns[kind].test(own)) return { kind, own }
  throw new RelayError('NOT_FOUND', `${parameter}: must be an id of this relay that begins with ${kinds.map((each) => `${each}-`).join(' or ')}. 这个 id 不属于本服务，请在播放器里重新同步曲库。`)
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
