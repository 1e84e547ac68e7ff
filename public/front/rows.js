/**
 * The rows of the list. Text from the upstream is only ever inserted as text, never as HTML.
 * @typedef {import('../../schemas/song.ts').Song} Song
 * @typedef {import('./queue.js').Playable} Playable
 */
import { make } from '../shared/dom.js'
import { put, t } from '../shared/language.js'
import { ask } from './relay.js'

/**
 * A picture in its frame. The frame stays empty if there is none.
 * @param {string | Promise<string>} address '' if there is none
 */
export function cover (address) {
  const frame = make('span', 'cover')
  frame.setAttribute('aria-hidden', 'true')
  Promise.resolve(address).then((src) => {
    if (src === '') return
    const picture = Object.assign(make('img', ''), { alt: '', loading: 'lazy', decoding: 'async', width: 150, height: 150 })
    picture.addEventListener('error', () => { picture.remove() })
    picture.src = src
    frame.append(picture)
  }, () => {})
  return frame
}

/** Returns a function that gives the address of the cover of a song's album; '' if there is none. */
export function createCovers () {
  /** @type {Map<string, Promise<string>>} */
  const pictures = new Map()
  /** @param {Pick<Song, 'album'>} song */
  return ({ album: { mid, pmid } }) => {
    const id = pmid || mid
    if (id === '') return ''
    const known = pictures.get(id)
    if (known !== undefined) return known
    const address = ask('getImageUrl', { id, size: '300x300' }).then(({ imageUrl }) => imageUrl)
    pictures.set(id, address)
    address.catch(() => { pictures.delete(id) }) // the next row tries again
    return address
  }
}

/**
 * Makes a row of the list that runs `action` when it is pressed.
 * @param {string} className
 * @param {() => void} action
 * @param {...HTMLElement} contents
 */
export function row (className, action, ...contents) {
  const button = Object.assign(make('button', `row ${className}`, ...contents), { type: 'button' })
  button.addEventListener('click', action)
  return make('li', 'line', button)
}

/**
 * @param {Playable} song
 * @param {object} actions
 * @param {() => void} actions.play
 * @param {() => void} actions.add to the queue
 * @param {HTMLElement} lead what stands before the name
 * @param {{ length?: string, paid?: boolean }} [more]
 */
export function songRow (song, { play, add }, lead, { length = '', paid = false } = {}) {
  const line = make('span', 'names', make('span', 'name', song.name), make('span', 'singers', song.singers))
  const tail = make('span', 'tail', length)
  if (paid) {
    const tag = make('span', 'tag')
    put(tag, () => t('paid'))
    tail.prepend(tag)
  }
  const item = row('song', play, lead, line, tail)
  const plus = Object.assign(make('button', 'icon', '+'), { type: 'button' })
  put(plus, () => t('Add {song} to the queue', { song: song.name }), 'aria-label')
  plus.addEventListener('click', add)
  item.append(plus)
  item.dataset['song'] = String(song.id)
  return item
}

/**
 * Returns when a chart was made: a day, or a week, which the upstream writes as 2026_46.
 * @param {string} period
 */
export function issueOf (period) {
  const [, year = '', week] = /^(\d{4})_(\d+)$/.exec(period) ?? []
  return week === undefined ? period : t('week {week} of {year}', { week, year })
}

/**
 * The same as an element, which follows the language of the page.
 * @param {string} period
 */
export function issue (period) {
  const tail = make('span', 'tail')
  put(tail, () => issueOf(period))
  return tail
}
