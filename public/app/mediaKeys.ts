/** The media keys, the lock screen, and the keyboard. */
import { effect, signal } from '@preact/signals'
import * as player from './player.ts'
import { canGoBack, hrefOf, goTo, place } from './router.ts'
import { singersOf, type Track } from './track.ts'

const session = 'mediaSession' in navigator ? navigator.mediaSession : undefined

function handle (action: MediaSessionAction, handler: MediaSessionActionHandler | null): void {
  try {
    session?.setActionHandler(action, handler)
  } catch {} // This browser has no such key.
}

/** Names the song on the lock screen and beside the media keys. */
function announce (track: Track | undefined): void {
  if (session === undefined) return
  session.metadata = track === undefined ? null : new MediaMetadata({
    title: track.name,
    artist: singersOf(track),
    album: track.album?.name ?? '',
    artwork: track.cover === ''
      ? []
      : ['300x300', '500x500'].map((sizes) => ({
        src: new URL(`cover/${track.cover}?size=${sizes}`, location.href).href,
        sizes
      }))
  })
}

/** Offers the key for the next song only if there is one. */
function announceNext (there: boolean): void {
  handle('nexttrack', there ? player.next : null)
}

export const keysShown = signal(false)

export function toggleView (path: string): void {
  if (place.value.parts[0] !== path) goTo(hrefOf(path))
  else if (canGoBack()) history.back()
  else goTo(hrefOf(''))
}

/** The keys of the page and what each does. */
export const keys = {
  ' ': player.toggle,
  'k': player.toggle,
  'ArrowLeft': () => {
    player.skip(-10)
  },
  'ArrowRight': () => {
    player.skip(10)
  },
  'n': () => {
    if (player.hasNext.value) player.next()
  },
  'p': player.previous,
  'm': player.mute,
  '+': () => {
    player.setVolume(player.volume.value + 0.1)
  },
  '-': () => {
    player.setVolume(player.volume.value - 0.1)
  },
  's': player.shuffle,
  'r': player.repeat,
  'l': () => {
    toggleView('lyric')
  },
  'q': () => {
    toggleView('queue')
  },
  '/': () => {
    document.getElementById('words')?.focus()
  },
  '?': () => {
    keysShown.value = true
  }
} as const satisfies Readonly<Record<string, () => void>>

/** Those that need a song. */
const ofSong = new Set([' ', 'k', 'ArrowLeft', 'ArrowRight', 'n', 'p'])

export function startKeys (): void {
  const pairs: Array<[MediaSessionAction, MediaSessionActionHandler]> = [
    ['play', player.resume],
    ['pause', player.pause],
    ['stop', player.pause],
    ['previoustrack', player.previous],
    ['seekbackward', ({ seekOffset = 10 }) => {
      player.skip(-seekOffset)
    }],
    ['seekforward', ({ seekOffset = 10 }) => {
      player.skip(seekOffset)
    }],
    ['seekto', ({ seekTime }) => {
      if (seekTime !== undefined) player.seek(seekTime)
    }]
  ]
  for (const [action, handler] of pairs) handle(action, handler)
  effect(() => {
    announce(player.current.value?.track)
  })
  effect(() => {
    announceNext(player.hasNext.value)
  })
  player.plays.subscribe((isPlaying) => {
    if (session !== undefined) {
      session.playbackState = isPlaying
        ? 'playing'
        : player.file.value === undefined
        ? 'none'
        : 'paused'
    }
  })
  player.audio.addEventListener('timeupdate', () => {
    const { duration, playbackRate, currentTime } = player.audio
    if (duration > 0 && Number.isFinite(duration))
      session?.setPositionState?.({ duration, playbackRate, position: Math.min(currentTime, duration) })
  })
  addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event
    if (altKey || ctrlKey || metaKey || document.querySelector('dialog[open]') !== null) return
    const action = (keys as Readonly<Record<string, () => void>>)[key.length === 1 ? key.toLowerCase() : key]
    if (action === undefined || (ofSong.has(key) && player.current.value === undefined)) return
    // Where a key means something else, it keeps its meaning.
    if (
      target instanceof Element && target.closest(
          key === ' ' || key.startsWith('Arrow')
            ? 'a, button, input, select, summary, video, [tabindex="0"], textarea'
            : 'input:not([type=range]), select, textarea'
        ) !== null
    ) { return }
    event.preventDefault()
    action()
  })
}
