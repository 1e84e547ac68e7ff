/**
 * Charts, search, and a song to play.
 * @typedef {import('../../schemas/song.ts').Song} Song
 * @typedef {import('./queue.js').Playable} Playable
 * @typedef {import('./relay.js').Query} Query
 * @typedef {import('./relay.js').Records} Records
 */
import { byId, make } from '../shared/dom.js'
import { sentenceOf } from '../shared/failure.js'
import { put, startLanguage, t } from '../shared/language.js'
import { minutes } from './controls.js'
import { linkedView } from './links.js'
import { startOwnLogin } from './ownLogin.js'
import { goTo, leadBack, placeNow } from './place.js'
import { createPlayer } from './player.js'
import { addressOf, ask } from './relay.js'
import { cover, createCovers, issue, issueOf, row, songRow } from './rows.js'
import { showHealth } from './state.js'
import { showTrending } from './trending.js'

const form = byId('search', HTMLFormElement)
const words = byId('words', HTMLInputElement)
const hot = byId('hot', HTMLElement)
const status = byId('status', HTMLElement)
const title = byId('stage-title', HTMLElement)
const back = byId('back', HTMLButtonElement)
const about = byId('about', HTMLElement)
const list = byId('list', HTMLElement)
const stage = byId('stage', HTMLElement)
const source = byId('stage-source', HTMLElement)
const narrow = matchMedia('(max-width: 51.99rem)')

/** @param {string | (() => string)} sentence */
const tell = (sentence) => { put(status, sentence) }

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

startLanguage(byId('language', HTMLButtonElement))
const coverOf = createCovers()

/** Marks the row of the song that the player shows. @param {Playable | undefined} song */
function mark (song) {
  for (const item of list.children) {
    const line = item.firstElementChild
    if (song !== undefined && item instanceof HTMLElement && item.dataset['song'] === String(song.id)) line?.setAttribute('aria-current', 'true')
    else line?.removeAttribute('aria-current')
  }
}

const player = createPlayer({
  tell,
  showSource,
  coverOf,
  answered: showHealth,
  shown (song) {
    mark(song)
    document.title = song === undefined ? 'music-relay' : `${song.name} · ${song.singers}`
  },
  chosen (mid) {
    const { song: _left, ...view } = placeNow()
    goTo({ ...view, ...mid !== undefined && { song: mid } }, false)
  }
})

/** @param {number} count */
const songsOf = (count) => count === 1 ? t('1 song') : t('{count} songs', { count })
/** @param {Song['singer']} singers */
const namesOf = (singers) => singers.map(({ name }) => name).join(', ')
/** @param {Song} song @returns {Playable} */
const playableOf = (song) => ({ mid: song.mid, id: song.id, name: song.title, singers: namesOf(song.singer), cover: coverOf(song) })

/**
 * The rows of a list of songs. A press plays the list from that song on.
 * @template S
 * @param {readonly S[]} found
 * @param {(each: S) => Playable} playable
 * @param {(each: S, song: Playable) => { lead: HTMLElement, length?: string, paid?: boolean }} more
 */
function songRows (found, playable, more) {
  // A deleted song has no name, and cannot be played.
  const rows = found.map((each) => ({ each, song: playable(each) })).filter(({ song }) => song.name !== '')
  const songs = rows.map(({ song }) => song)
  return rows.map(({ each, song }, index) => {
    const { lead, ...tail } = more(each, song)
    const item = songRow(song, {
      play () {
        player.play(songs, index)
        // The bar of the player came up, and takes room from the next frame on.
        requestAnimationFrame(() => requestAnimationFrame(() => { item.scrollIntoView({ block: 'nearest' }) }))
      },
      add: () => { player.add(song) }
    }, lead, tail)
    return item
  })
}

let looking = new AbortController()

/**
 * Fills the list with the rows of one response. The old rows stay until the response arrives.
 * @template {keyof Records} P
 * @param {object} view
 * @param {(record?: Records[P]) => string} view.heading
 * @param {P} view.path
 * @param {Query} view.query
 * @param {'charts' | 'songs'} view.kind
 * @param {import('./place.js').Place} view.place its part of the address
 * @param {(record: Records[P]) => string} [view.intro]
 * @param {(record: Records[P]) => HTMLElement[]} view.rows
 * @param {(count: number) => string} view.found the sentence for so many rows
 * @param {HTMLElement | undefined} view.lead where a narrow screen scrolls to; undefined if nobody asked for this view
 */
async function show ({ heading, path, query, rows, kind, place, intro = () => '', found, lead }) {
  looking.abort()
  const { signal } = looking = new AbortController()
  list.setAttribute('aria-busy', 'true')
  tell(() => t('Loading …'))
  try {
    const record = await ask(path, query, signal)
    const made = rows(record)
    const { song } = placeNow()
    goTo({ ...place, ...song !== undefined && { song } }, lead !== undefined)
    put(title, () => heading(record))
    back.hidden = kind === 'charts'
    put(about, () => intro(record))
    about.hidden = about.textContent === ''
    list.className = kind
    list.replaceChildren(...made)
    showSource(source, addressOf(path, query))
    mark(player.current())
    tell(() => found(made.length))
    if (lead === stage) title.focus({ preventScroll: true })
    if (narrow.matches) lead?.scrollIntoView()
  } catch (error) {
    if (signal.aborted) return
    tell(() => sentenceOf(error))
    if (list.childElementCount === 0) back.hidden = kind === 'charts'
  } finally {
    if (!signal.aborted) {
      list.removeAttribute('aria-busy')
      showHealth()
    }
  }
}

/** @param {HTMLElement} [lead] */
const charts = (lead) => show({
  heading: () => t('Charts'),
  path: 'getRanks',
  query: { limit: 1 },
  kind: 'charts',
  place: {},
  rows: ({ topLists = [] }) => topLists.map(({ id, name, period, picUrl, songs }) => row('chart', () => chart(String(id), stage), cover(picUrl),
    make('span', 'names', make('span', 'head', make('span', 'name', name), issue(period)), ...songs.slice(0, 3).map(({ rank, songName, singerName }) => make('span', 'singers', `${rank}  ${songName} · ${singerName}`))))),
  found: (count) => count === 0 ? t('There are no charts.') : '',
  lead
})

/**
 * @param {string} topId
 * @param {HTMLElement} [lead]
 */
const chart = (topId, lead) => show({
  heading: (record) => record?.topList.name ?? '',
  path: 'getRanks',
  query: { topId, limit: 50 },
  kind: 'songs',
  place: { chart: topId },
  intro: ({ topList: { period, totalNum } }) => [issueOf(period), totalNum === 0 ? '' : songsOf(totalNum)].filter((word) => word !== '').join(' · '),
  rows: ({ songInfoList }) => songRows(songInfoList,
    ({ songId, song_mid: mid = '', songName, singerName }) => ({ mid, id: songId, name: songName, singers: singerName }),
    ({ rank }) => ({ lead: make('span', 'rank', String(rank)) })),
  found: (count) => count === 0 ? t('This chart has no songs.') : songsOf(count),
  lead
})

/**
 * @param {string} key
 * @param {HTMLElement} [lead]
 */
async function search (key, lead) {
  looking.abort()
  const { signal } = looking = new AbortController()
  try {
    const view = await linkedView(key, signal, { songs: foundRows, playables: (songs) => songRows(songs, (song) => song, () => ({ lead: cover('') })) })
    // Each view has rows for its own record.
    await (view === undefined ? searchWords(key, lead) : show({ .../** @type {any} */ (view), kind: 'songs', place: { search: key }, found: songsOf, lead }))
  } catch (error) {
    if (!signal.aborted) tell(() => sentenceOf(error))
  }
}

/** @param {readonly Song[]} songs */
const foundRows = (songs) => songRows(songs, playableOf, ({ interval, pay }, { cover: address = '' }) => ({ lead: cover(address), length: interval === 0 ? '' : minutes(interval), paid: pay.pay_play === 1 }))

/**
 * @param {string} key
 * @param {HTMLElement} [lead]
 */
const searchWords = (key, lead) => show({
  heading: () => t('Results for “{words}”', { words: key }),
  path: 'getSearchByKey',
  query: { key, limit: 20 },
  kind: 'songs',
  place: { search: key },
  rows: ({ song }) => foundRows(song.list),
  found: (count) => count === 0 ? t('Nothing was found for “{words}”.', { words: key }) : t('{songs} for “{words}”.', { songs: songsOf(count), words: key }),
  lead
})

/** Shows what the address says. */
function showPlace () {
  const { search: key, chart: id } = placeNow()
  words.value = key ?? ''
  return key !== undefined ? search(key) : id !== undefined ? chart(id) : charts()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const wanted = words.value.trim()
  if (narrow.matches) words.blur() // a phone's keyboard would cover what is found
  if (wanted !== '') search(wanted, form)
})
back.addEventListener('click', () => charts(stage))
addEventListener('popstate', showPlace)

startOwnLogin()
leadBack()
const { song: mid } = placeNow()
showPlace().then(() => {
  if (mid === undefined) return
  if (player.current()?.mid === mid) return player.resume()
  return ask('getSongInfo', { songmid: mid }).then(({ songinfo }) => player.play([playableOf(songinfo.data.track_info)], 0))
}).catch((error) => { tell(() => sentenceOf(error)) })
showTrending(hot, (trending) => {
  words.value = trending
  search(trending, form)
})
