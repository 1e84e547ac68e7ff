/** The controls of the player: play, previous, next, place in the song, volume; the media keys, space bar and arrows of the keyboard. */
import { byId } from '../shared/dom.js'
import { put, t } from '../shared/language.js'

/** @param {number} seconds */
export const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/**
 * Sets up the controls.
 * @param {HTMLAudioElement} audio
 * @param {object} actions
 * @param {() => void} actions.play
 * @param {() => void} actions.previous
 * @param {() => void} actions.next
 * @param {(seconds: number) => void} actions.seek
 * @param {() => void} actions.volumeChanged
 */
export function createControls (audio, { play, previous, next, seek, volumeChanged }) {
  const toggle = byId('toggle', HTMLButtonElement)
  const forward = byId('next', HTMLButtonElement)
  const slider = byId('seek', HTMLInputElement)
  const at = byId('at', HTMLElement)
  const length = byId('length', HTMLElement)
  const mute = byId('mute', HTMLButtonElement)
  const volume = byId('volume', HTMLInputElement)
  const session = 'mediaSession' in navigator ? navigator.mediaSession : undefined
  let dragging = false

  const duration = () => Number.isFinite(audio.duration) ? audio.duration : 0

  /** @param {number} seconds */
  function showTime (seconds) {
    slider.disabled = duration() === 0
    slider.max = String(duration() || seconds || 1)
    if (!dragging) slider.value = String(seconds)
    at.textContent = minutes(Number(slider.value))
    length.textContent = minutes(duration())
    put(slider, () => t('{at} of {length}', { at: at.textContent ?? '', length: length.textContent ?? '' }), 'aria-valuetext')
  }

  function showState () {
    const plays = !audio.paused
    toggle.dataset['plays'] = String(plays)
    put(toggle, () => t(plays ? 'Pause' : 'Play'), 'aria-label')
    if (session !== undefined) session.playbackState = plays ? 'playing' : 'paused'
  }

  function showVolume () {
    volume.value = String(Math.round(100 * audio.volume))
    mute.setAttribute('aria-pressed', String(audio.muted))
  }

  function tellPosition () {
    showTime(audio.currentTime)
    if (duration() > 0) session?.setPositionState?.({ duration: duration(), playbackRate: audio.playbackRate, position: Math.min(audio.currentTime, duration()) })
  }

  const pause = () => { audio.pause() }
  const skip = (/** @type {number} */ seconds) => { seek(Math.max(0, Math.min(duration(), audio.currentTime + seconds))) }

  toggle.addEventListener('click', () => { (audio.paused ? play : pause)() })
  byId('previous', HTMLButtonElement).addEventListener('click', previous)
  forward.addEventListener('click', next)
  slider.addEventListener('input', () => { dragging = true; showTime(audio.currentTime) })
  slider.addEventListener('change', () => { dragging = false; seek(Number(slider.value)) })
  volume.addEventListener('input', () => {
    audio.volume = Number(volume.value) / 100
    audio.muted = false
  })
  mute.addEventListener('click', () => { audio.muted = !audio.muted })
  audio.addEventListener('volumechange', () => { showVolume(); volumeChanged() })
  for (const event of ['play', 'pause', 'emptied']) audio.addEventListener(event, showState)
  for (const event of ['loadedmetadata', 'durationchange', 'seeked', 'ratechange']) audio.addEventListener(event, tellPosition)
  audio.addEventListener('timeupdate', () => { showTime(audio.currentTime) })

  // Where a key means something else, it keeps its meaning.
  addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event
    if (altKey || ctrlKey || metaKey || !audio.hasAttribute('src') || (target instanceof Element && target.closest('a, button, input, summary, [tabindex="0"]') !== null)) return
    const action = { ' ': audio.paused ? play : pause, 'ArrowLeft': () => { skip(-10) }, 'ArrowRight': () => { skip(10) } }[key]
    if (action === undefined) return
    event.preventDefault()
    action()
  })

  /** @type {Array<[MediaSessionAction, MediaSessionActionHandler]>} */
  const keys = [
    ['play', play], ['pause', pause], ['stop', pause], ['previoustrack', previous],
    ['seekbackward', ({ seekOffset = 10 }) => { skip(-seekOffset) }],
    ['seekforward', ({ seekOffset = 10 }) => { skip(seekOffset) }],
    ['seekto', ({ seekTime }) => { if (seekTime !== undefined) seek(seekTime) }]
  ]
  /**
   * @param {MediaSessionAction} action
   * @param {MediaSessionActionHandler | null} handler
   */
  function handle (action, handler) {
    try {
      session?.setActionHandler(action, handler)
    } catch {} // This browser has no such key.
  }
  for (const [action, handler] of keys) handle(action, handler)

  showState()
  showVolume()
  return {
    showTime,
    /** @param {boolean} there whether there is a next song */
    allowNext (there) {
      forward.disabled = !there
      handle('nexttrack', there ? next : null)
    },
    /**
     * Names the song on the lock screen and beside the media keys.
     * @param {{ name: string, singers: string }} song
     * @param {string} cover address; '' if there is none
     */
    announce ({ name, singers }, cover) {
      if (session !== undefined) session.metadata = new MediaMetadata({ title: name, artist: singers, artwork: cover === '' ? [] : [{ src: cover, sizes: '300x300' }] })
    }
  }
}
