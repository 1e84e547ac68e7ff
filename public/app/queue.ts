/** The songs that play one after the other: pure changes of a list and of the place in it. */
import type { Track } from './track.ts'

/** A song in the queue. `key`: another number for each, in the order in which they came. */
export interface Entry {
  readonly key: number
  readonly track: Track
}

export interface Queue {
  readonly entries: readonly Entry[]
  /** Index of the current song; -1 if there is none. */
  readonly at: number
  readonly shuffled: boolean
  readonly repeat: 'off' | 'all' | 'one'
}

export const emptyQueue: Queue = { entries: [], at: -1, shuffled: false, repeat: 'off' }

export const mostSongs = 500
/** Where another page of a list, of up to 100 songs, may have no room. */
export const fullAt = mostSongs - 100

let keys = 0
const entryOf = (track: Track): Entry => ({ key: ++keys, track })

/** Returns the entries in another order. `random`: numbers from 0 to 1. */
function mixed (entries: readonly Entry[], random: () => number): Entry[] {
  return entries.map((entry) => ({ entry, draw: random() })).sort((a, b) => a.draw - b.draw).map(({ entry }) => entry)
}

/** Replaces all songs; `index` is the current one, which stays however long the list is. */
export function replaced (queue: Queue, tracks: readonly Track[], index: number, random = Math.random): Queue {
  const first = Math.max(0, Math.min(index, tracks.length - mostSongs))
  const entries = tracks.slice(first, first + mostSongs).map(entryOf)
  const next = { ...queue, entries, at: entries.length === 0 ? -1 : index - first, shuffled: false }
  return queue.shuffled ? shuffled(next, true, random) : next
}

/** Mixes the songs after the current one; or puts all back in the order in which they came. */
export function shuffled (queue: Queue, wanted: boolean, random = Math.random): Queue {
  const current = queue.entries[queue.at]
  if (!wanted) {
    const entries = queue.entries.toSorted((a, b) => a.key - b.key)
    return { ...queue, shuffled: false, entries, at: entries.findIndex((entry) => entry === current) }
  }
  // Those before the current one are still to come if it was chosen out of a list.
  const others = mixed(queue.entries.filter((entry) => entry !== current), random)
  return {
    ...queue,
    shuffled: true,
    entries: current === undefined ? others : [current, ...others],
    at: current === undefined ? -1 : 0
  }
}

/** Returns the queue with the order before it was mixed at the last visit: a number for each song. */
export function reordered (queue: Queue, order: readonly number[]): Queue {
  if (order.length !== queue.entries.length) return queue
  const places = order.toSorted((a, b) => a - b)
  const own = queue.entries.map(({ key }) => key)
  const entries = queue.entries.map(({ track }, index) =>
    ({ key: own[places.indexOf(order[index] ?? 0)] ?? 0, track }))
  return new Set(entries.map(({ key }) => key)).size === entries.length ? { ...queue, entries } : queue
}

export function added (queue: Queue, tracks: readonly Track[]): Queue {
  const entries = [...queue.entries, ...tracks.slice(0, mostSongs - queue.entries.length).map(entryOf)]
  return { ...queue, entries, at: queue.at === -1 && entries.length > 0 ? 0 : queue.at }
}

/** Adds the next songs of what plays. If the queue is full, the first ones, which were played, make room. */
export function continued (queue: Queue, tracks: readonly Track[], random = Math.random): Queue {
  const gone = Math.max(0, Math.min(queue.at, queue.entries.length + tracks.length - mostSongs))
  const next = added({ ...queue, entries: queue.entries.slice(gone), at: queue.at - gone }, tracks)
  if (!next.shuffled) return next
  const heard = next.at + 1
  return { ...next, entries: [...next.entries.slice(0, heard), ...mixed(next.entries.slice(heard), random)] }
}

export function removed (queue: Queue, index: number): Queue {
  const entries = queue.entries.toSpliced(index, 1)
  return { ...queue, entries, at: index < queue.at || queue.at >= entries.length ? queue.at - 1 : queue.at }
}

/** Moves a song to another place. The current one stays current. */
export function moved (queue: Queue, from: number, to: number): Queue {
  const entry = queue.entries[from]
  if (entry === undefined || to < 0 || to >= queue.entries.length || from === to) return queue
  const current = queue.entries[queue.at]
  const entries = queue.entries.toSpliced(from, 1).toSpliced(to, 0, entry)
  return { ...queue, entries, at: current === undefined ? -1 : entries.indexOf(current) }
}

/** Returns the index of the song after this one; -1 at the end. `ended`: the song ended by itself. */
export function following ({ entries, at, repeat }: Queue, ended = false): number {
  if (ended && repeat === 'one') return at
  if (at + 1 < entries.length) return at + 1
  return repeat === 'all' && entries.length > 0 ? 0 : -1
}

export function identified (queue: Queue, key: number, track: Track): Queue {
  return { ...queue, entries: queue.entries.map((entry) => entry.key === key ? { key, track } : entry) }
}
