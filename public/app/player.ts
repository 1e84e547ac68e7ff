/** The player: queue, file, and why a song does not play. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { FileQuality, PlayUrl, Quality } from '../../schemas/music.ts'
import { isOfSong, sentenceOf } from './failure.ts'
import { t } from './language.ts'
import { recall, remember } from './memory.ts'
import { fileOf, playable } from './quality.ts'
import {
  added, continued, emptyQueue, following, fullAt, identified, moved, removed, reordered, replaced, shuffled,
  type Entry, type Queue
} from './queue.ts'
import { fail, refusal, refuse } from './refusal.ts'
import { ask, post } from './relay.ts'
import { tell } from './said.ts'
import { tuned } from './station.ts'
import { isThere, singersOf, trackOf, type Track } from './track.ts'

/** Seconds of play between two writes of the place in the song. */
const writeEvery = 5

/** What plays. `startPlayer` makes it, and fills in all that follows. */
export let audio: HTMLAudioElement

type More = () => Promise<readonly Track[]>
/** Where further songs come from: a radio (`station`: its id) when the queue ends, or the rest of a list ('') at once. */
let source: { readonly more: More, readonly station: string, asking: Promise<void> | undefined } | undefined
let round = new AbortController()
/** Where the file begins that is not loaded yet. Seconds. */
let start = 0
let written = 0
/** Whether a file was asked for and the page is to play it. */
const wanted = signal(false)

export const queue = signal<Queue>(emptyQueue)
export const current = computed<Entry | undefined>(() => queue.value.entries[queue.value.at])
export const plays = signal(false)
/** Seconds. The length is 0 while it is unknown. */
export const position = signal(0)
export const duration = signal(0)
export const volume = signal(1)
export const muted = signal(false)
/** The quality that the person chose; '' leaves it to the relay. */
export const chosenQuality = signal('')
/** The file that plays: its quality and size in bytes. Undefined while there is none. */
export const file = signal<Pick<PlayUrl, 'quality' | 'size'> | undefined>(undefined)
/** Qualities of the song's files that this browser plays. */
export const qualities = signal<readonly FileQuality[]>([])

const hasFile = (): boolean => audio.hasAttribute('src')
const positionNow = (): number => hasFile() && audio.readyState > 0 ? audio.currentTime : start

function save (): void {
  const { entries, at, shuffled: isShuffled, repeat } = queue.value
  written = positionNow()
  remember({
    songs: entries.map(({ track: { mid, id } }) => ({ mid, id })),
    at,
    order: isShuffled ? entries.map(({ key }) => key) : [],
    shuffled: isShuffled,
    repeat,
    position: written,
    volume: audio.volume,
    muted: audio.muted,
    quality: chosenQuality.value,
    station: source?.station ?? ''
  })
}

function change (next: Queue): void {
  queue.value = next
  save()
}

/** Ends what plays. Returns the signal of the new round. */
function clear (): AbortSignal {
  round.abort()
  round = new AbortController()
  audio.pause()
  audio.removeAttribute('src')
  audio.load()
  batch(() => {
    file.value = refusal.value = undefined
    qualities.value = []
    position.value = start
    duration.value = current.value?.track.seconds ?? 0
  })
  return round.signal
}

/** Loads the file and plays it, or shows why there is none. Returns false if another song may have one. */
async function loadFile (track: Track, quality: Quality | '', signal: AbortSignal, quiet: boolean): Promise<boolean> {
  const answer = await fileOf(track.mid, quality, signal)
  if (signal.aborted) return true
  qualities.value = playable.filter(([name, type]) =>
    answer.availableQualities?.includes(name) === true && audio.canPlayType(type) !== ''
  ).map(([name]) => name)
  if (answer.url === '') return !refuse(track, answer, quality === 'trial')
  file.value = { quality: answer.quality, size: answer.size }
  audio.addEventListener('loadedmetadata', () => {
    if (start > 0 && start < audio.duration) audio.currentTime = start
  }, { once: true, signal })
  audio.src = answer.url
  if (quiet) return true
  await audio.play().then(
    () => {
      if (!signal.aborted)
        tell(() => t('Playing {song} by {singers}.', { song: track.name, singers: singersOf(track) }), false)
    },
    (error: Error) => {
      if (!signal.aborted && error.name === 'NotAllowedError')
        tell(() => t('{song} is ready: press play.', { song: track.name }))
    }
  )
  return true
}

/** Returns the song with all that its record says. */
async function details (entry: Entry, signal: AbortSignal): Promise<Track> {
  const { track } = entry
  const { songinfo } = await ask(
    'getSongInfo',
    track.mid === '' ? { songid: track.id } : { songmid: track.mid },
    signal
  )
  const whole = trackOf(songinfo.data.track_info)
  if (!signal.aborted) queue.value = identified(queue.value, entry.key, whole)
  return whole
}

/** Plays the current song, or (`quiet`) prepares it. Returns false if it has no file, and another one may have one. */
async function load (
  quality: Quality | '' = chosenQuality.value as Quality | '',
  from = 0,
  quiet = false
): Promise<boolean> {
  const entry = current.value
  if (entry === undefined) return true
  start = from
  wanted.value = true
  const signal = clear()
  save()
  tell(() => t('Loading {song} …', { song: entry.track.name }), false)
  try {
    const known = entry.track.whole ? undefined : details(entry, signal)
    known?.catch(() => {})
    const track = entry.track.mid === '' && known !== undefined ? await known : entry.track
    if (signal.aborted) return true
    return await loadFile(track, quality, signal, quiet)
  } catch (error) {
    if (signal.aborted) return true
    fail(() => sentenceOf(error))
    return !isOfSong(error)
  }
}

async function choose (index: number): Promise<boolean> {
  change({ ...queue.value, at: index })
  return await load()
}

/** Makes a list the queue and plays one song. `more`: the rest of the list, or further songs of a radio (`station`). */
export function play (tracks: readonly Track[], index = 0, more?: More, station = ''): void {
  source = more && { more, station, asking: undefined }
  change(replaced(queue.value, tracks, index))
  void load()
}

export const playAt = (index: number): void => {
  void choose(index)
}

export function add (tracks: readonly Track[]): void {
  const before = queue.value.entries.length
  change(added(queue.value, tracks))
  const count = queue.value.entries.length - before
  const [track] = tracks
  if (before === 0 && count > 0) clear()
  if (count < tracks.length || track === undefined) tell(() => t('The queue is full: {count} songs were added.', { count }))
  else if (count === 1) tell(() => t('{song} is in the queue.', { song: track.name }))
  else tell(() => t('{count} songs are in the queue.', { count }))
}

export function remove (index: number): void {
  const isCurrent = queue.value.at === index
  change(removed(queue.value, index))
  if (!isCurrent) return
  start = 0
  wanted.value = false
  clear()
  save()
}

export const move = (from: number, to: number): void => {
  change(moved(queue.value, from, to))
}

export function empty (): void {
  source = undefined
  start = 0
  wanted.value = false
  change({ ...queue.value, entries: [], at: -1 })
  clear()
}

export const shuffle = (): void => {
  change(shuffled(queue.value, !queue.value.shuffled))
}

export function repeat (): void {
  const { repeat: before } = queue.value
  change({ ...queue.value, repeat: before === 'off' ? 'all' : before === 'all' ? 'one' : 'off' })
}

/** Ends a load, too: its song would begin later. */
export const pause = (): void => {
  if (!hasFile()) round.abort()
  audio.pause()
}

export function resume (): void {
  if (hasFile() && audio.error === null) audio.play().catch(() => {})
  else void load(undefined, position.value)
}

/** Asks the element, because its events come later than a second press of a key. */
export const toggle = (): void => {
  if (audio.paused) resume()
  else pause()
}

/** Goes to a place in the song. Seconds. */
export function seek (seconds: number): void {
  if (hasFile() && audio.readyState > 0) { audio.currentTime = seconds }
  else {
    position.value = start = seconds
    save()
  }
}

/** Also without a file: the song of the last visit has its place already. */
export const skip = (seconds: number): void => {
  const length = duration.value || current.value?.track.seconds || Infinity
  seek(Math.max(0, Math.min(length, positionNow() + seconds)))
}

export function previous (): void {
  if (positionNow() > 3 || queue.value.at < 1) seek(0)
  else void choose(queue.value.at - 1)
}

export const hasNext = computed(() => following(queue.value) !== -1)

/** Goes to the next song. `ended`: the one before ended by itself. Returns whether it plays. */
async function forward (ended: boolean): Promise<boolean> {
  const index = following(queue.value, ended)
  return index !== -1 && await choose(index)
}

export const next = (): void => {
  void forward(false)
}

export function setVolume (wantedVolume: number): void {
  audio.volume = Math.max(0, Math.min(1, wantedVolume))
  audio.muted = false
}

export const mute = (): void => {
  audio.muted = !audio.muted
}

/** Plays the song on in another quality, and later ones too. One that is paused stays so. */
export function setQuality (quality: string): void {
  const from = positionNow()
  chosenQuality.value = quality
  if (wanted.value) void load(undefined, from, hasFile() && audio.paused)
  else save()
}

export const preview = (): void => {
  void load('trial')
}

export function tryAgain (): void {
  if (refusal.value !== undefined) void load(undefined, position.value)
}

/** Gives the songs of the last visit that have none their names. Songs that are gone are left out. */
export async function nameAll (): Promise<void> {
  const entries = queue.value.entries.filter(({ track }) => !isThere(track))
  for (let at = 0; at < entries.length; at += 100) {
    const some = entries.slice(at, at + 100)
    const songs = some.map(({ track: { mid, id } }) => [mid, id] as [string, number])
    const found = await post('batchGetSongInfo', { songs }).catch(() => [])
    batch(() => {
      for (const [index, row] of found.entries()) {
        const { key } = some[index] as Entry
        const place = queue.value.entries.findIndex((entry) => entry.key === key)
        const track = 'songinfo' in row ? trackOf(row.songinfo.data.track_info) : undefined
        if (track !== undefined && isThere(track)) queue.value = identified(queue.value, key, track)
        else if (place !== -1 && ('songinfo' in row || row.code === 'NOT_FOUND')) remove(place)
      }
    })
  }
}

/** Sets up the player: the queue of the last visit, without a sound. */
export function startPlayer (): void {
  const memory = recall()
  audio = new Audio()
  audio.preload = 'none'
  document.body.append(audio)
  volume.value = audio.volume = memory.volume
  muted.value = audio.muted = memory.muted
  chosenQuality.value = memory.quality
  position.value = start = memory.position
  const bare = { name: '', singers: [], cover: '', seconds: 0, paid: false, vid: '', disc: 1, number: 0, whole: false }
  const tracks = memory.songs.map(({ mid, id }): Track => ({ ...bare, mid, id }))
  const last = reordered(replaced({ ...emptyQueue, repeat: memory.repeat }, tracks, memory.at), memory.order)
  queue.value = { ...last, shuffled: memory.shuffled }
  void nameAll()

  audio.addEventListener('ended', async () => {
    // Nobody is there to read why: songs without a file are left out.
    for (let tries = queue.value.entries.length; tries > 0; tries--) {
      const { signal } = round
      if (following(queue.value, true) === -1) await source?.asking
      if (signal.aborted || following(queue.value, true) === -1) break
      if (await forward(true) || queue.value.repeat === 'one') return
    }
    if (audio.ended) seek(0)
  })
  audio.addEventListener('timeupdate', () => {
    if (Math.abs(positionNow() - written) >= writeEvery) save()
  })
  for (const event of ['timeupdate', 'seeked', 'loadedmetadata']) {
    audio.addEventListener(event, () => {
      if (hasFile()) position.value = audio.currentTime
    })
  }
  for (const event of ['loadedmetadata', 'durationchange']) {
    audio.addEventListener(event, () => {
      if (Number.isFinite(audio.duration)) duration.value = audio.duration
    })
  }
  for (const event of ['play', 'pause', 'emptied']) {
    audio.addEventListener(event, () => {
      plays.value = !audio.paused
    })
  }
  // Of all songs and films, also those of other tabs, only what began last sounds.
  const hush = (except?: EventTarget | null): void => {
    if (except !== audio) pause()
    const film = document.querySelector('video')
    if (film !== except) film?.pause()
  }
  const tabs = new BroadcastChannel('music-relay sound')
  tabs.addEventListener('message', () => {
    hush()
  })
  // These events do not bubble, but can be captured.
  document.addEventListener('play', ({ target }) => {
    hush(target)
    tabs.postMessage('')
  }, { capture: true })
  for (const event of ['pause', 'seeked']) audio.addEventListener(event, save)
  // A tab that played nothing does not write over what another one plays.
  addEventListener('pagehide', () => {
    if (hasFile()) save()
  })
  audio.addEventListener('volumechange', () => {
    volume.value = audio.volume
    muted.value = audio.muted
    save()
  })
  audio.addEventListener('error', () => {
    if (hasFile()) {
      fail(() =>
        t('The file of {song} could not be loaded from its host by this browser.', {
          song: current.value?.track.name ?? ''
        })
      )
    }
  })
  if (memory.station !== '') source = { more: tuned(memory.station), station: memory.station, asking: undefined }
  // A radio goes on before its songs end, and so does a list that is longer than the queue.
  effect(() => {
    const { entries: { length }, at } = queue.value
    const own = source
    if (!wanted.value || own === undefined || own.asking !== undefined) return
    if (at < length - 2 && (own.station !== '' || length > fullAt)) return
    own.asking = own.more().catch(() => undefined).then((more) => {
      // Another list may play by now.
      if (own !== source || more?.length === 0) return
      own.asking = undefined
      if (more !== undefined) change(continued(queue.value, more.filter(isThere)))
    })
  })
}
