/** The songs that play one after the other. */

/**
 * A song as a row of the list knows it.
 * @typedef {object} Playable
 * @property {string} mid '' if unknown
 * @property {number} id
 * @property {string} name
 * @property {string} singers
 * @property {string | Promise<string>} [cover] absent if it takes the song's details to know it
 */

/** Longest queue. */
export const mostSongs = 500

/**
 * Creates a queue. `changed` is called after each change.
 * @param {() => void} changed
 */
export function createQueue (changed) {
  /** @type {Playable[]} */
  let songs = []
  /** Index of the current song; -1 if there is none. */
  let at = -1

  return {
    songs: () => songs,
    at: () => at,
    /** @returns {Playable | undefined} */
    current: () => songs[at],
    hasNext: () => at + 1 < songs.length,
    /**
     * Replaces all songs.
     * @param {readonly Playable[]} list
     * @param {number} index the current one
     */
    replace (list, index) {
      // The current song stays, however long the list is.
      const first = Math.max(0, Math.min(index, list.length - mostSongs))
      songs = list.slice(first, first + mostSongs)
      at = index - first
      changed()
    },
    /**
     * Adds a song at the end. Returns false if the queue is full.
     * @param {Playable} song
     */
    add (song) {
      if (songs.length >= mostSongs) return false
      songs = [...songs, song]
      if (at === -1) at = 0
      changed()
      return true
    },
    /** @param {number} index */
    remove (index) {
      songs = songs.filter((_song, each) => each !== index)
      if (index < at || at >= songs.length) at--
      changed()
    },
    /** @param {number} index */
    go (index) {
      at = index
      changed()
    },
    clear () {
      songs = []
      at = -1
      changed()
    },
    /**
     * Fills in the MID that was unknown.
     * @param {Playable} song
     * @param {string} mid
     */
    identify (song, mid) {
      const known = { ...song, mid }
      songs = songs.map((each) => each === song ? known : each)
      changed()
      return known
    }
  }
}
