/** The queue as a list: a press plays a song, and each can be removed. */
import { byId, make } from '../shared/dom.js'
import { put, t } from '../shared/language.js'

/**
 * @param {object} actions
 * @param {(index: number) => void} actions.choose
 * @param {(index: number) => void} actions.remove
 * @param {() => void} actions.clear
 */
export function createQueueView ({ choose, remove, clear }) {
  const list = byId('queue', HTMLElement)
  const count = byId('queue-count', HTMLElement)
  const box = byId('queue-box', HTMLElement)
  byId('clear', HTMLButtonElement).addEventListener('click', clear)

  return {
    /**
     * @param {readonly import('./queue.js').Playable[]} songs
     * @param {number} at index of the current one
     */
    show (songs, at) {
      box.hidden = songs.length === 0
      count.textContent = songs.length === 0 ? '' : `${at + 1} / ${songs.length}`
      const focused = [...list.children].findIndex((item) => item.contains(document.activeElement))
      list.replaceChildren(...songs.map(({ name, singers }, index) => {
        const song = Object.assign(make('button', 'row', make('span', 'names', make('span', 'name', name), make('span', 'singers', singers))), { type: 'button' })
        song.addEventListener('click', () => { choose(index) })
        if (index === at) song.setAttribute('aria-current', 'true')
        const gone = Object.assign(make('button', 'icon', '×'), { type: 'button' })
        put(gone, () => t('Remove {song} from the queue', { song: name }), 'aria-label')
        gone.addEventListener('click', () => { remove(index) })
        return make('li', 'line', song, gone)
      }))
      // The keyboard stays at its place.
      const next = list.children[Math.min(focused, songs.length - 1)]?.lastElementChild
      if (focused >= 0 && next instanceof HTMLElement) next.focus({ preventScroll: true })
    }
  }
}
