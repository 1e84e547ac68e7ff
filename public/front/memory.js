/**
 * What the browser remembers of the player: queue, place in it, and volume. No login, and no address of a file, which may
 * belong to an account.
 * @typedef {import('./queue.js').Playable} Playable
 * @typedef {{ songs: Playable[], at: number, position: number, volume: number, muted: boolean }} Memory `position`: seconds; `volume`: 0 to 1
 */
import { mostSongs } from './queue.js'

const place = 'music-relay player'

/** Returns what was remembered, or an empty player. @returns {Memory} */
export function recall () {
  /** @type {any} */
  let stored
  try {
    stored = JSON.parse(localStorage.getItem(place) ?? '')
  } catch {} // nothing stored, or the browser forbids storage
  const songs = (Array.isArray(stored?.songs) ? stored.songs : []).filter(isSong).slice(0, mostSongs)
  const at = Number.isInteger(stored?.at) ? stored.at : -1
  return {
    songs,
    at: at >= 0 && at < songs.length ? at : songs.length > 0 ? 0 : -1,
    position: stored?.position >= 0 ? Number(stored.position) : 0,
    volume: stored?.volume >= 0 && stored.volume <= 1 ? Number(stored.volume) : 1,
    muted: stored?.muted === true
  }
}

/** @param {any} song */
const isSong = (song) => typeof song?.mid === 'string' && typeof song.id === 'number' && typeof song.name === 'string' && typeof song.singers === 'string'

/** @param {Memory} memory */
export function remember ({ songs, ...rest }) {
  try {
    localStorage.setItem(place, JSON.stringify({ songs: songs.map(({ mid, id, name, singers }) => ({ mid, id, name, singers })), ...rest }))
  } catch {} // The browser forbids storage, or it is full: the next visit begins empty.
}
