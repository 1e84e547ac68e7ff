/** What the browser remembers: ids of songs, place, volume, choices. No login, name or address of a file. */
import { mostSongs, type Queue } from './queue.ts'

const store = 'music-relay player'

/** The player at the last visit. `position`: seconds; `volume`: 0 to 1; `quality`: '' is the relay's own choice. */
export interface Memory extends Pick<Queue, 'at' | 'shuffled' | 'repeat'> {
  readonly songs: readonly { readonly mid: string, readonly id: number }[]
  /** The order of the songs before they were mixed: numbers that ascend; empty if they are not mixed. */
  readonly order: readonly number[]
  readonly position: number
  readonly volume: number
  readonly muted: boolean
  readonly quality: string
  /** Id of the radio that goes on behind the songs; '' if there is none. */
  readonly station: string
}

const isSong = (song: any): boolean => typeof song?.mid === 'string' && Number.isInteger(song.id)

export function recall (): Memory {
  let stored: any
  try {
    stored = JSON.parse(localStorage.getItem(store) ?? '')
  } catch {} // nothing stored, or the browser forbids storage
  const songs = (Array.isArray(stored?.songs) ? stored.songs as any[] : []).filter(isSong).slice(0, mostSongs).map((
    { mid, id }
  ) => ({ mid, id }))
  const at = Number.isInteger(stored?.at) ? stored.at as number : -1
  return {
    songs,
    order: Array.isArray(stored?.order) ? (stored.order as any[]).filter(Number.isInteger) : [],
    at: at >= 0 && at < songs.length ? at : songs.length > 0 ? 0 : -1,
    position: stored?.position >= 0 ? Number(stored.position) : 0,
    volume: stored?.volume >= 0 && stored.volume <= 1 ? Number(stored.volume) : 1,
    muted: stored?.muted === true,
    shuffled: stored?.shuffled === true,
    repeat: ['all', 'one'].includes(stored?.repeat) ? stored.repeat as Queue['repeat'] : 'off',
    quality: /^\w{1,12}$/.test(String(stored?.quality ?? '')) ? String(stored.quality) : '',
    station: /^\d{1,9}$/.test(String(stored?.station ?? '')) ? String(stored.station) : ''
  }
}

export function remember (memory: Memory): void {
  try {
    localStorage.setItem(store, JSON.stringify(memory))
  } catch {} // The browser forbids storage, or it is full: the next visit begins empty.
}
