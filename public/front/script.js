/**
 * Charts, search, and a song to play. Text from the upstream is only ever inserted as text, never as HTML.
 * @typedef {import('../../schemas/song.ts').Song} Song
 * @typedef {import('./player.js').Playable} Playable
 * @typedef {import('./relay.js').Query} Query
 * @typedef {import('./relay.js').Records} Records
 */
import { byId, make, messageOf } from '../shared/dom.js'
import { createPlayer } from './player.js'
import { takeOver } from '../shared/wayBack.js'
import { addressOf, ask, useLogin } from './relay.js'
import { showAccount, showHealth } from './state.js'

const form = byId('search', HTMLFormElement)
const words = byId('words', HTMLInputElement)
const hot = byId('hot', HTMLElement)
const status = byId('status', HTMLElement)
const title = byId('stage-title', HTMLElement)
const back = byId('back', HTMLButtonElement)
const about = byId('about', HTMLElement)
const list = byId('list', HTMLElement)
const source = byId('stage-source', HTMLElement)
const narrow = matchMedia('(max-width: 51.99rem)')

/** @param {string} sentence */
const tell = (sentence) => { status.textContent = sentence }

/** @param {string} address */
const shortened = (address) => address.length > 80 ? `${address.slice(0, 79)}…` : address

/**
 * Shows the requests behind a part of the page, as links.
 * @param {HTMLElement} where
 * @param {...string} addresses
 */
function showSource (where, ...addresses) {
  where.replaceChildren(...addresses.map((address) => {
    const link = make('a', '', `GET /${shortened(decodeURIComponent(address))}`)
    link.href = address
    return link
  }))
}

/**
 * A picture in its frame. The frame stays empty if there is none.
 * @param {string | Promise<string>} address '' if there is none
 */
function cover (address) {
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

/** @type {Map<string, Promise<string>>} */
const pictures = new Map()

/**
 * The address of the cover of a song's album; '' if there is none.
 * @param {Pick<Song, 'album'>} song
 */
function coverOf ({ album: { mid, pmid } }) {
  const id = pmid || mid
  if (id === '') return ''
  const known = pictures.get(id)
  if (known !== undefined) return known
  const address = ask('getImageUrl', { id, size: '300x300' }).then(({ imageUrl }) => imageUrl)
  pictures.set(id, address)
  address.catch(() => { pictures.delete(id) }) // the next row tries again
  return address
}

const player = createPlayer({ tell, showSource, coverOf, answered: showHealth })

/** @param {number} seconds */
const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
/** @param {number} count */
const songsOf = (count) => count + (count === 1 ? ' song' : ' songs')
/** @param {Song['singer']} singers */
const namesOf = (singers) => singers.map(({ name }) => name).join(', ')

/**
 * Makes a row of the list that runs `action` when it is pressed.
 * @param {string} className
 * @param {(button: HTMLElement) => void} action
 * @param {...HTMLElement} contents
 */
function row (className, action, ...contents) {
  const button = Object.assign(make('button', `row ${className}`, ...contents), { type: 'button' })
  button.addEventListener('click', () => action(button))
  return make('li', '', button)
}

/**
 * @param {Playable} song
 * @param {HTMLElement} lead what stands before the name
 * @param {{ length?: string, paid?: boolean }} [more]
 */
function songRow (song, lead, { length = '', paid = false } = {}) {
  const line = make('span', 'names', make('span', 'name', song.name), make('span', 'singers', song.singers))
  const tail = make('span', 'tail', ...(paid ? [make('span', 'tag', 'paid')] : []), length)
  return row('song', (button) => {
    for (const other of list.querySelectorAll('[aria-current]')) other.removeAttribute('aria-current')
    button.setAttribute('aria-current', 'true')
    player.play(song)
  }, lead, line, tail)
}

let looking = new AbortController()

/**
 * Fills the list with the rows of one response. The old rows stay until the response arrives.
 * @template {keyof Records} P
 * @param {object} view
 * @param {string} view.heading
 * @param {P} view.path
 * @param {Query} view.query
 * @param {'charts' | 'songs'} view.kind
 * @param {(record: Records[P]) => string} [view.intro]
 * @param {(record: Records[P]) => HTMLElement[]} view.rows
 * @param {(count: number) => string} view.found the sentence for so many rows
 * @param {boolean} view.focus whether the heading takes the focus
 */
async function show ({ heading, path, query, rows, kind, intro = () => '', found, focus }) {
  looking.abort()
  const { signal } = looking = new AbortController()
  list.setAttribute('aria-busy', 'true')
  tell('Asking …')
  try {
    const record = await ask(path, query, signal)
    const made = rows(record)
    title.textContent = heading
    back.hidden = kind === 'charts'
    about.textContent = intro(record)
    about.hidden = about.textContent === ''
    list.className = kind
    list.replaceChildren(...made)
    showSource(source, addressOf(path, query))
    tell(found(made.length))
    if (focus) title.focus()
  } catch (error) {
    if (!signal.aborted) tell(messageOf(error))
  } finally {
    if (!signal.aborted) {
      list.removeAttribute('aria-busy')
      showHealth()
    }
  }
}

/** @param {boolean} focus */
const charts = (focus) => show({
  heading: 'Charts',
  path: 'getRanks',
  query: { limit: 1 },
  kind: 'charts',
  rows: ({ topLists = [] }) => topLists.map(({ id, name, period, picUrl, songs }) => row('chart', () => chart(id, name), cover(picUrl),
    make('span', 'names', make('span', 'head', make('span', 'name', name), make('span', 'tail', period)), ...songs.slice(0, 3).map(({ rank, songName, singerName }) => make('span', 'singers', `${rank}  ${songName} · ${singerName}`))))),
  found: (count) => count === 0 ? 'There are no charts.' : '',
  focus
})

/**
 * @param {number} topId
 * @param {string} name
 */
const chart = (topId, name) => show({
  heading: name,
  path: 'getRanks',
  query: { topId, limit: 50 },
  kind: 'songs',
  intro: ({ topList: { period, totalNum } }) => [period, totalNum === 0 ? '' : `${totalNum} songs`].filter((word) => word !== '').join(' · '),
  rows: ({ songInfoList }) => songInfoList.map(({ songId, song_mid = '', songName, singerName, rank }) => songRow({ mid: song_mid, id: songId, name: songName, singers: singerName }, make('span', 'rank', String(rank)))),
  found: (count) => count === 0 ? 'This chart has no songs.' : `${songsOf(count)} of the chart ${name}.`,
  focus: true
})

/** @param {string} key */
const search = (key) => show({
  heading: `Results for “${key}”`,
  path: 'getSearchByKey',
  query: { key, limit: 20 },
  kind: 'songs',
  rows: ({ song }) => song.list.map((found) => songRow({ mid: found.mid, id: found.id, name: found.title, singers: namesOf(found.singer), cover: coverOf(found) }, cover(coverOf(found)),
    { length: found.interval === 0 ? '' : minutes(found.interval), paid: found.pay.pay_play === 1 })),
  found: (count) => count === 0 ? `Nothing was found for “${key}”.` : `${songsOf(count)} for “${key}”.`,
  focus: false
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const wanted = words.value.trim()
  if (wanted === '') return
  search(wanted).then(() => { if (narrow.matches) form.scrollIntoView() })
})
back.addEventListener('click', () => charts(true))

const key = /** @type {HTMLInputElement | null} */ (document.getElementById('key'))
document.getElementById('own')?.addEventListener('submit', (event) => {
  event.preventDefault()
  useLogin(key?.value.trim() ?? '')
  showAccount()
})
// Going back to this page must not show the login.
addEventListener('pagehide', () => {
  if (key !== null) key.value = ''
  useLogin('')
})
addEventListener('pageshow', ({ persisted }) => { if (persisted) showAccount() })

// What the login page left for this one, and the song from which the person went there.
useLogin(takeOver())
showAccount()
const [, mid] = /^#song=(\w{1,32})$/.exec(location.hash) ?? []
charts(false).then(() => {
  if (mid === undefined) return
  ask('getSongInfo', { songmid: mid }).then(({ songinfo: { data: { track_info: found } } }) => {
    player.play({ mid, id: found.id, name: found.title, singers: namesOf(found.singer), cover: coverOf(found) })
  }).catch((error) => { tell(messageOf(error)) })
})
ask('getHotkey').then(({ hotkey }) => {
  hot.replaceChildren(...hotkey.slice(0, 7).map(({ k }) => {
    const chip = Object.assign(make('button', '', k), { type: 'button' })
    chip.addEventListener('click', () => {
      words.value = k
      search(k)
    })
    return make('li', '', chip)
  }))
}, () => {})
