/**
 * The player: the file, the lyric line by line, and the reason if there is no file.
 * @typedef {import('../../schemas/music.ts').Lyric} Lyric
 * @typedef {import('../../schemas/music.ts').PlayReason} PlayReason
 * @typedef {import('../../schemas/music.ts').Quality} Quality
 * @typedef {import('../../schemas/song.ts').Song} Song
 */
import { byId, make, messageOf } from '../shared/dom.js'
import { addressOf, ask } from './relay.js'

/**
 * A song as a row of the list knows it.
 * @typedef {object} Playable
 * @property {string} mid '' if unknown
 * @property {number} id
 * @property {string} name
 * @property {string} singers
 * @property {string | Promise<string>} [cover] absent if it takes the song's details to know it
 */

/** @type {Record<PlayReason, string>} */
const titles = {
  NO_COOKIE: 'Log in to play this song.',
  COOKIE_EXPIRED: 'The login has expired.',
  PAID: 'This song wants a subscription or a purchase.',
  NO_SUCH_QUALITY: 'There is no such file of this song.',
  NOT_FOUND: 'There is no file of this song.',
  REGION: 'This song is not offered where the relay runs.',
  RISK_CONTROL: 'The upstream suspects a robot.',
  UNKNOWN: 'This song cannot be played.'
}

/** @param {number} bytes */
const size = (bytes) => bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`

/**
 * Sets up the player of the page.
 * @param {object} page
 * @param {(sentence: string) => void} page.tell
 * @param {(where: HTMLElement, ...addresses: string[]) => void} page.showSource
 * @param {(song: Song) => string | Promise<string>} page.coverOf
 * @param {() => void} page.answered called after each answer about a file
 */
export function createPlayer ({ tell, showSource, coverOf, answered }) {
  const panel = byId('player', HTMLElement)
  const picture = byId('cover', HTMLImageElement)
  const song = byId('song', HTMLElement)
  const singers = byId('singers', HTMLElement)
  const file = byId('file', HTMLElement)
  const audio = byId('audio', HTMLAudioElement)
  const refusal = byId('refusal', HTMLElement)
  const reason = byId('reason', HTMLElement)
  const hint = byId('hint', HTMLElement)
  const short = byId('part', HTMLButtonElement)
  const lyric = byId('lyric', HTMLElement)
  const source = byId('player-source', HTMLElement)
  const calm = matchMedia('(prefers-reduced-motion: reduce)')
  let round = new AbortController()
  /** @type {Playable | undefined} */
  let current
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
    if (lit === undefined) return
    lit.setAttribute('aria-current', 'true')
    lyric.scrollTo({ top: lit.offsetTop - (lyric.clientHeight - lit.offsetHeight) / 2, behavior: calm.matches ? 'auto' : 'smooth' })
  }

  /** @param {Lyric} record */
  function showLyric ({ parsed }) {
    lines = (parsed?.lines ?? []).map(({ time, text, trans }) => ({ start: time / 1000, element: make('li', '', text, ...(trans === undefined ? [] : [make('span', '', trans)])) }))
    lit = undefined
    lyric.replaceChildren(...lines.map(({ element }) => element))
    lyric.hidden = lines.length === 0
    lyric.scrollTop = 0
    light()
  }

  function silence () {
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
    lines = []
    lyric.hidden = refusal.hidden = picture.hidden = true
    file.textContent = ''
  }

  /**
   * Makes the links to the login page lead back to this song.
   * @param {string} mid
   */
  function leadBack (mid) {
    const here = `${location.pathname}#song=${mid}`
    for (const link of document.querySelectorAll('a.login')) link.setAttribute('href', `login?${new URLSearchParams({ return: here })}`)
  }

  /**
   * Plays the file, or shows why there is none.
   * @param {Playable} wanted
   * @param {Quality | undefined} quality
   * @param {AbortSignal} signal
   */
  async function load (wanted, quality, signal) {
    const query = { songmid: wanted.mid, ...(quality === undefined ? {} : { quality }) }
    const asked = ask('getMusicPlay', query, signal)
    showSource(source, addressOf('getMusicPlay', query), addressOf('getLyric', { songmid: wanted.mid, isFormat: 1 }))
    const answer = await asked
    if (signal.aborted) return
    answered()
    audio.hidden = answer.url === ''
    refusal.hidden = !audio.hidden
    if (audio.hidden) {
      reason.textContent = titles[answer.reason ?? 'UNKNOWN']
      hint.textContent = answer.hint ?? ''
      short.hidden = quality === 'trial' || answer.availableQualities?.includes('trial') !== true
      tell(`${wanted.name} cannot be played: ${reason.textContent}`)
      return
    }
    file.textContent = [answer.quality === 'trial' ? 'a short part' : answer.quality, answer.size === 0 ? '' : size(answer.size)].filter((word) => word !== '').join(' · ')
    audio.src = answer.url
    light()
    await audio.play().then(
      () => { if (!signal.aborted) tell(`Playing ${wanted.name} by ${wanted.singers}.`) },
      (error) => { if (!signal.aborted && error.name === 'NotAllowedError') tell(`${wanted.name} is ready: press play.`) })
  }

  /**
   * Shows the cover.
   * @param {string} src '' if there is none
   */
  function paint (src) {
    if (src === '') return
    picture.src = src
    picture.hidden = false
  }

  /**
   * Shows a song and plays it.
   * @param {Playable} wanted
   * @param {Quality} [quality]
   */
  async function play (wanted, quality) {
    round.abort()
    const { signal } = round = new AbortController()
    /**
     * Wraps an action so that it does nothing after another song was chosen.
     * @template V
     * @param {(value: V) => void} action
     * @returns {(value: V) => void}
     */
    const still = (action) => (value) => { if (!signal.aborted) action(value) }
    silence()
    song.textContent = wanted.name
    singers.textContent = wanted.singers
    panel.hidden = false
    tell(`Asking for ${wanted.name} …`)
    // Chart rows have no album and sometimes no MID. One request provides both.
    /** @type {Promise<Song> | undefined} */
    let asked
    const details = () => asked ??= ask('getSongInfo', wanted.mid === '' ? { songid: wanted.id } : { songmid: wanted.mid }, signal).then(({ songinfo }) => songinfo.data.track_info)
    try {
      const known = wanted.mid === '' ? { ...wanted, mid: (await details()).mid } : wanted
      current = known
      leadBack(known.mid)
      Promise.resolve(wanted.cover ?? details().then(coverOf)).then(still(paint), () => {})
      ask('getLyric', { songmid: known.mid, isFormat: 1 }, signal).then(still(showLyric), () => {})
      await load(known, quality, signal)
    } catch (error) {
      if (!signal.aborted) tell(messageOf(error))
    }
  }

  picture.addEventListener('error', () => { picture.hidden = true })
  audio.addEventListener('timeupdate', light)
  audio.addEventListener('seeked', light)
  audio.addEventListener('error', () => { if (audio.hasAttribute('src')) tell(`The file of ${song.textContent} could not be loaded from its host by this browser.`) })
  short.addEventListener('click', () => { if (current !== undefined) play(current, 'trial') })

  return { play }
}
