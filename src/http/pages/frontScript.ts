/**
 * What / does in the browser: charts, search and the state of the relay. Texts of the upstream only ever become text.
 * A pasted cookie is in one variable of the page: never in an address, a storage or the history.
 */
export const frontScript = String.raw`import { createPlayer } from "./player.js"

const part = (id) => document.getElementById(id)
const [form, words, hot, status, title, back, about, list, source, account, health, key] = ['search', 'words', 'hot', 'status', 'stage-title', 'back', 'about', 'list', 'stage-source', 'account', 'health', 'key'].map(part)
const narrow = matchMedia('(max-width: 51.99rem)')
let cookie = ''

const tell = (sentence) => { status.textContent = sentence }

/** An element with its class and its contents: texts or elements. */
function make (name, kind, ...contents) {
  const element = document.createElement(name)
  if (kind !== '') element.className = kind
  element.append(...contents)
  return element
}

const addressOf = (path, query) => {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : path + '?' + text
}

/** The data of an answer, out of whichever envelope it comes in. Throws an Error with the relay's own sentence. */
async function ask (path, query = {}, signal) {
  let answer, said
  try {
    answer = await fetch(addressOf(path, query), { signal, headers: cookie === '' ? {} : { 'x-custom-cookie': cookie } })
    said = await answer.json()
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error(cookie !== '' && error instanceof TypeError && answer === undefined ? 'The relay does not answer, or the cookie holds characters that no cookie has.' : 'The relay does not answer.')
  }
  if (!answer.ok) throw Object.assign(new Error(said.error), { code: said.code })
  const inner = said.response ?? said
  return inner.data ?? inner
}

const shortened = (address) => address.length > 80 ? address.slice(0, 79) + '…' : address

/** Which requests something came from, as links. */
function showSource (where, ...addresses) {
  where.replaceChildren(...addresses.map((address) => {
    const link = make('a', '', 'GET /' + shortened(decodeURIComponent(address)))
    link.href = address
    return link
  }))
}

/** A picture in its frame; the frame stays when there is none. */
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

const pictures = new Map()

/** Address of the cover of a song's album; '' when there is none. */
function coverOf ({ album: { mid, pmid } }) {
  const id = pmid || mid
  if (id === '') return ''
  if (!pictures.has(id)) {
    const address = ask('getImageUrl', { id, size: '300x300' }).then(({ imageUrl }) => imageUrl)
    pictures.set(id, address)
    address.catch(() => { pictures.delete(id) }) // the next row may have more luck
  }
  return pictures.get(id)
}

const player = createPlayer({ part, ask, tell, showSource, addressOf, coverOf, heard: looks })

const minutes = (seconds) => Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
const songsOf = (count) => count + (count === 1 ? ' song' : ' songs')
const namesOf = (singers) => singers.map(({ name }) => name).join(', ')

/** A row of the list that does something. */
function row (kind, action, ...contents) {
  const button = Object.assign(make('button', 'row ' + kind, ...contents), { type: 'button' })
  button.addEventListener('click', () => action(button))
  return make('li', '', button)
}

function songRow (song, lead, { name, singers, length, paid = false }) {
  const line = make('span', 'names', make('span', 'name', name), make('span', 'singers', singers))
  const tail = make('span', 'tail', ...(paid ? [make('span', 'tag', 'paid')] : []), length)
  return row('song', (button) => {
    for (const other of list.querySelectorAll('[aria-current]')) other.removeAttribute('aria-current')
    button.setAttribute('aria-current', 'true')
    player.play({ ...song, name, singers })
  }, lead, line, tail)
}

let looking = new AbortController()

/** Fills the list: what it is called, what to ask, and how rows are made of the answer. The old list stays until then. */
async function show ({ heading, path, query, rows, kind, intro = () => '', found, focus }) {
  looking.abort()
  const { signal } = looking = new AbortController()
  list.setAttribute('aria-busy', 'true')
  tell('Asking …')
  try {
    const data = await ask(path, query, signal)
    const made = rows(data)
    title.textContent = heading
    back.hidden = kind === 'charts'
    about.textContent = intro(data)
    about.hidden = about.textContent === ''
    list.className = kind
    list.replaceChildren(...made)
    showSource(source, addressOf(path, query))
    tell(found(made.length))
    if (focus) title.focus()
  } catch (error) {
    if (!signal.aborted) tell(error.message)
  } finally {
    if (!signal.aborted) {
      list.removeAttribute('aria-busy')
      looks()
    }
  }
}

const charts = (focus) => show({
  heading: 'Charts',
  path: 'getRanks',
  query: { limit: 1 },
  kind: 'charts',
  rows: ({ topLists = [] }) => topLists.map(({ id, name, period, picUrl, songs }) => row('chart', () => chart(id, name), cover(picUrl),
    make('span', 'names', make('span', 'head', make('span', 'name', name), make('span', 'tail', period)), ...songs.slice(0, 3).map(({ rank, songName, singerName }) => make('span', 'singers', rank + '  ' + songName + ' · ' + singerName))))),
  found: (count) => count === 0 ? 'There are no charts.' : '',
  focus
})

const chart = (topId, name) => show({
  heading: name,
  path: 'getRanks',
  query: { topId, limit: 50 },
  kind: 'songs',
  intro: ({ topList: { period, totalNum } }) => [period, totalNum === 0 ? '' : totalNum + ' songs'].filter((word) => word !== '').join(' · '),
  rows: ({ songInfoList }) => songInfoList.map(({ songId, song_mid, songName, singerName, rank }) => songRow({ mid: song_mid, id: songId }, make('span', 'rank', String(rank)), { name: songName, singers: singerName, length: '' })),
  found: (count) => count === 0 ? 'This chart has no songs.' : songsOf(count) + ' of the chart ' + name + '.',
  focus: true
})

const search = (words) => show({
  heading: 'Results for “' + words + '”',
  path: 'getSearchByKey',
  query: { key: words, limit: 20 },
  kind: 'songs',
  rows: ({ song }) => song.list.map((song) => songRow({ mid: song.mid, id: song.id, cover: coverOf(song) }, cover(coverOf(song)),
    { name: song.title, singers: namesOf(song.singer), length: song.interval === 0 ? '' : minutes(song.interval), paid: song.pay.pay_play === 1 })),
  found: (count) => count === 0 ? 'Nothing was found for “' + words + '”.' : songsOf(count) + ' for “' + words + '”.',
  focus: false
})

function say (where, mood, main, note) {
  const [strong, span] = where.children
  strong.textContent = main
  span.textContent = note
  where.dataset.mood = mood
}

const asking = { health: new AbortController(), account: new AbortController() }

/** The signal of the latest question of its kind: of two answers, the later question's counts. */
function latest (kind) {
  asking[kind].abort()
  return (asking[kind] = new AbortController()).signal
}

/** How the upstream does, and who asks it. */
async function looks () {
  const signal = latest('health')
  try {
    const { calls } = await ask('health/upstream', {}, signal)
    const known = calls.filter(({ verdict }) => verdict !== undefined)
    const ill = known.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'empty' && verdict !== 'login needed')
    if (known.length === 0) say(health, 'unknown', 'Not asked yet', 'no call since the start')
    else if (ill.length === 0) say(health, 'good', 'Well', known.length + (known.length === 1 ? ' kind of call, answered' : ' kinds of calls, all answered'))
    else say(health, 'bad', ill.length + ' of ' + known.length + ' kinds of calls in trouble', ill.slice(0, 3).map(({ name, verdict }) => name + ': ' + verdict).join(', '))
  } catch (error) {
    if (!signal.aborted) say(health, 'bad', 'Unknown', error.message)
  }
}

async function whoAsks () {
  const signal = latest('account')
  try {
    const { cookieList } = await ask('user/getCookie', {}, signal)
    if (cookieList.length === 0 && cookie !== '') say(account, 'bad', 'None', 'the pasted text holds no cookie that is known here')
    else if (cookieList.length === 0) say(account, 'none', 'None', document.body.dataset.global === 'on' ? 'a global cookie is wanted, but none is stored' : 'asks without a login')
    else if (cookie !== '') say(account, 'good', 'Yours', 'the cookie pasted below')
    else if (document.body.dataset.global === 'on') say(account, 'good', 'Global cookie', 'used for requests that bring none')
    else say(account, 'good', 'Of this browser', 'it sends a cookie by itself')
  } catch (error) {
    if (!signal.aborted) say(account, 'bad', 'Not usable', error.message)
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const wanted = words.value.trim()
  if (wanted === '') return
  search(wanted).then(() => { if (narrow.matches) form.scrollIntoView() })
})
back.addEventListener('click', () => charts(true))

part('own')?.addEventListener('submit', (event) => {
  event.preventDefault()
  cookie = key.value.trim()
  whoAsks()
})
// Who comes back to the page shall not find the cookie there.
addEventListener('pagehide', () => { if (key !== null) key.value = cookie = '' })
addEventListener('pageshow', ({ persisted }) => { if (persisted) whoAsks() })

whoAsks()
charts(false)
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
`
