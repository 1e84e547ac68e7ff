/**
 * The player: queue, file, lyric, and the reason if there is no file.
 * @typedef {import('../../schemas/music.ts').Quality} Quality
 * @typedef {import('../../schemas/song.ts').Song} Song
 * @typedef {import('./queue.js').Playable} Playable
 */
import { byId } from '../shared/dom.js'
import { sentenceOf } from '../shared/failure.js'
import { put, t } from '../shared/language.js'
import { createControls } from './controls.js'
import { createLyric } from './lyric.js'
import { recall, remember } from './memory.js'
import { createPanel } from './panel.js'
import { createQueue } from './queue.js'
import { createQueueView } from './queueView.js'
import { createRefusal } from './refusal.js'
import { addressOf, ask } from './relay.js'

/** Seconds of play between two writes of the place in the song. */
const writeEvery = 5

/** @param {number} bytes */
const size = (bytes) => bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`

/** `128` is 128 kbit/s, `ogg192` Ogg 192 kbit/s. @param {Quality | ''} quality */
function nameOf (quality) {
  if (quality === 'trial') return t('preview')
  const [, kind = '', rate] = /^([a-z]*?)(\d+)$/.exec(quality) ?? []
  return rate === undefined ? quality.toUpperCase() : `${kind.toUpperCase()} ${rate} kbit/s`.trim()
}

/**
 * Sets up the player of the page.
 * @param {object} page
 * @param {(sentence: () => string) => void} page.tell
 * @param {(where: HTMLElement, ...addresses: string[]) => void} page.showSource
 * @param {(song: Song) => string | Promise<string>} page.coverOf
 * @param {() => void} page.answered called after each answer about a file
 * @param {(song: Playable | undefined) => void} page.shown called with the song that the player shows
 * @param {(mid: string | undefined) => void} page.chosen called with the MID of the song to play
 */
export function createPlayer ({ tell, showSource, coverOf, answered, shown, chosen }) {
  const picture = byId('cover', HTMLImageElement)
  const file = byId('file', HTMLElement)
  const audio = byId('audio', HTMLAudioElement)
  const refusal = createRefusal()
  const short = byId('part', HTMLButtonElement)
  const source = byId('player-source', HTMLElement)
  const memory = recall()
  audio.volume = memory.volume
  audio.muted = memory.muted
  let round = new AbortController()
  /** Where the file begins that is not loaded yet. Seconds. */
  let start = 0
  let written = 0

  const queue = createQueue(() => {
    view.show(queue.songs(), queue.at())
    controls.allowNext(queue.hasNext())
    save()
  })
  const view = createQueueView({
    choose: (index) => { choose(index) },
    remove (index) {
      const current = queue.at() === index
      if (current) start = 0
      queue.remove(index)
      if (queue.current() === undefined) close()
      else if (current) show()
    },
    clear () {
      queue.clear()
      close()
    }
  })
  const lyric = createLyric(audio)
  const panel = createPanel({ tell, current: queue.current, opened: lyric.follow })
  const controls = createControls(audio, {
    play () {
      if (audio.hasAttribute('src')) audio.play().catch(() => {})
      else load(undefined, start)
    },
    previous () {
      if (audio.currentTime > 3 || queue.at() < 1) seek(0)
      else choose(queue.at() - 1)
    },
    next: () => { if (queue.hasNext()) choose(queue.at() + 1) },
    seek: (seconds) => { seek(seconds) },
    volumeChanged: () => { save() }
  })

  const position = () => audio.hasAttribute('src') && audio.readyState > 0 ? audio.currentTime : start
  function save () {
    written = position()
    remember({ songs: queue.songs(), at: queue.at(), position: written, volume: audio.volume, muted: audio.muted })
  }

  /** @param {number} seconds */
  function seek (seconds) {
    if (audio.hasAttribute('src')) audio.currentTime = seconds
    else controls.showTime(start = seconds)
  }

  /** @param {number} index */
  function choose (index) {
    start = 0
    queue.go(index)
    return load()
  }

  /** Ends what plays, and shows the names of the current song. */
  function show () {
    round.abort()
    round = new AbortController()
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
    lyric.forget()
    refusal.hide()
    picture.hidden = true
    put(file, '')
    controls.showTime(start)
    const { name = '', singers = '' } = queue.current() ?? {}
    byId('song', HTMLElement).textContent = name
    byId('singers', HTMLElement).textContent = singers
    panel.hidden = false
    shown(queue.current())
    return round.signal
  }

  function close () {
    start = 0
    show()
    panel.hidden = true
    chosen(undefined)
    save()
  }

  /** Says it in both places: the status line may be out of sight. @param {() => string} sentence */
  function fail (sentence) {
    tell(sentence)
    refusal.show(sentence)
  }

  /**
   * Loads the file and plays it, or shows why there is none. Returns false in the latter case.
   * @param {Playable} song
   * @param {Quality | undefined} quality
   * @param {AbortSignal} signal
   */
  async function loadFile (song, quality, signal) {
    const query = { songmid: song.mid, ...(quality === undefined ? {} : { quality }) }
    const asked = ask('getMusicPlay', query, signal)
    showSource(source, addressOf('getMusicPlay', query), addressOf('getLyric', { songmid: song.mid, isFormat: 1 }))
    const answer = await asked
    if (signal.aborted) return true
    answered()
    if (answer.url === '') {
      const reason = refusal.explain(answer, quality === 'trial')
      tell(() => t('{song} cannot be played: {reason}', { song: song.name, reason: reason() }))
      return false
    }
    put(file, () => [nameOf(answer.quality), answer.size === 0 ? '' : size(answer.size)].filter((word) => word !== '').join(' · '))
    audio.addEventListener('loadedmetadata', () => { if (start > 0 && start < audio.duration) audio.currentTime = start }, { once: true, signal })
    audio.src = answer.url
    lyric.light()
    await audio.play().then(
      () => { if (!signal.aborted) tell(() => t('Playing {song} by {singers}.', { song: song.name, singers: song.singers })) },
      (error) => { if (!signal.aborted && error.name === 'NotAllowedError') tell(() => t('{song} is ready: press play.', { song: song.name })) })
    return true
  }

  /**
   * Shows the current song and plays it. Returns false if it has no file.
   * @param {Quality} [quality]
   * @param {number} [from] seconds
   */
  async function load (quality, from = 0) {
    const wanted = queue.current()
    if (wanted === undefined) return true
    start = from
    const signal = show()
    save()
    tell(() => t('Loading {song} …', { song: wanted.name }))
    // Chart rows have no album and sometimes no MID. One request provides both.
    /** @type {Promise<Song> | undefined} */
    let asked
    const details = () => asked ??= ask('getSongInfo', wanted.mid === '' ? { songid: wanted.id } : { songmid: wanted.mid }, signal).then(({ songinfo }) => songinfo.data.track_info)
    try {
      const mid = wanted.mid === '' ? (await details()).mid : wanted.mid
      if (signal.aborted) return true
      const song = wanted.mid === '' ? queue.identify(wanted, mid) : wanted
      chosen(mid)
      controls.announce(song, '')
      Promise.resolve(song.cover ?? details().then(coverOf)).then((src) => {
        if (signal.aborted || src === '') return
        picture.src = src
        picture.hidden = false
        controls.announce(song, src)
      }, () => {})
      ask('getLyric', { songmid: mid, isFormat: 1 }, signal).then((record) => { if (!signal.aborted) lyric.show(record) }, () => {})
      return await loadFile(song, quality, signal)
    } catch (error) {
      if (!signal.aborted) fail(() => sentenceOf(error))
      return true
    }
  }

  audio.addEventListener('ended', async () => {
    // Nobody is there to read why: songs without a file are left out.
    for (let played = false; !played && queue.hasNext();) played = await choose(queue.at() + 1)
    if (audio.ended) seek(0)
  })
  audio.addEventListener('timeupdate', () => { if (Math.abs(position() - written) >= writeEvery) save() })
  for (const event of ['pause', 'seeked']) audio.addEventListener(event, save)
  addEventListener('pagehide', save)
  audio.addEventListener('error', () => { if (audio.hasAttribute('src')) fail(() => t('The file of {song} could not be loaded from its host by this browser.', { song: queue.current()?.name ?? '' })) })
  picture.addEventListener('error', () => { picture.hidden = true })
  short.addEventListener('click', () => { load('trial') })

  // The queue of the last visit, without a sound.
  if (memory.at !== -1) {
    start = memory.position
    queue.replace(memory.songs, memory.at)
    show()
  }

  return {
    /** @returns {Playable | undefined} */
    current: queue.current,
    /**
     * Makes a list the queue, and plays one of its songs.
     * @param {readonly Playable[]} songs
     * @param {number} index
     */
    play (songs, index) {
      start = 0
      queue.replace(songs, index)
      return load()
    },
    /** Loads the current song and goes on where it was. */
    resume: () => load(undefined, start),
    /**
     * Adds a song to the end of the queue.
     * @param {Playable} song
     */
    add (song) {
      const added = queue.add(song)
      if (added && panel.hidden) show()
      tell(() => added ? t('{song} is in the queue.', { song: song.name }) : t('The queue is full.'))
    }
  }
}
