/**
 * The lyric, whose line follows the song. A press on a line goes to it.
 * @typedef {import('../../schemas/music.ts').Lyric} Lyric
 */
import { byId, make } from '../shared/dom.js'

/** @param {HTMLAudioElement} audio */
export function createLyric (audio) {
  const list = byId('lyric', HTMLElement)
  const calm = matchMedia('(prefers-reduced-motion: reduce)')
  /** Lines in order, with their starts in seconds. @type {Array<{ start: number, element: HTMLElement }>} */
  let lines = []
  /** The line that is sung now. @type {HTMLElement | undefined} */
  let lit

  function light () {
    // Slightly early, because the event fires only four times a second.
    const now = audio.hasAttribute('src') ? audio.currentTime + 0.15 : -1
    const sung = lines.findLast(({ start }) => start <= now)?.element
    if (sung === lit) return
    lit?.removeAttribute('aria-current')
    lit = sung
    lit?.setAttribute('aria-current', 'true')
    follow()
  }

  /** Scrolls to the line, within the list only. */
  function follow () {
    if (lit !== undefined) list.scrollTo({ top: lit.offsetTop - (list.clientHeight - lit.offsetHeight) / 2, behavior: calm.matches ? 'auto' : 'smooth' })
  }

  /** A line without a time is shown, and never lit. @param {Array<{ time?: number, text: string, trans?: string }>} parsed */
  function fill (parsed) {
    lines = parsed.map(({ time = NaN, text, trans }) => ({ start: time / 1000, element: make('li', '', text, ...(trans === undefined ? [] : [make('span', '', trans)])) }))
    lit = undefined
    list.replaceChildren(...lines.map(({ element }) => element))
    list.hidden = lines.length === 0
    list.scrollTop = 0
    light()
  }

  audio.addEventListener('timeupdate', light)
  audio.addEventListener('seeked', light)
  list.addEventListener('click', ({ target }) => {
    const line = lines.find(({ element }) => target instanceof Node && element.contains(target))
    if (line !== undefined && !Number.isNaN(line.start) && audio.hasAttribute('src')) audio.currentTime = line.start
  })

  return {
    /** @param {Lyric} record */
    show: ({ lyric, parsed }) => { fill(parsed?.lines ?? lyric.split('\n').map((text) => ({ text }))) },
    forget: () => { fill([]) },
    light,
    follow
  }
}
