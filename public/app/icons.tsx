/** The pictures of buttons. */
import type { VNode } from 'preact'

const paths = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  previous: 'M6 5h2v14H6zM20 5v14L9 12z',
  next: 'M16 5h2v14h-2zM4 5v14l11-7z',
  shuffle:
    'M17 3l4 4-4 4V8h-2.6l-2 2.7-1.3-1.8L13.4 6H17zM3 6h4.6l7 10H17v-3l4 4-4 4v-3h-3.6L6.6 8H3zM3 18v-2h3.6l2-2.8 1.2 1.8L7.6 18z',
  repeat: 'M7 7h10v3l4-4-4-4v3H5v6h2zM17 17H7v-3l-4 4 4 4v-3h12v-6h-2z',
  one: 'M7 7h10v3l4-4-4-4v3H5v6h2zM17 17H7v-3l-4 4 4 4v-3h12v-6h-2zM11 9h2v6h-2z',
  volume: 'M4 9v6h4l5 5V4L8 9zM16 8a5 5 0 0 1 0 8v-2a3 3 0 0 0 0-4z',
  muted: 'M4 9v6h4l5 5V4L8 9zM16 9l1-1 2.5 2.5L22 8l1 1-2.5 2.5L23 14l-1 1-2.5-2.5L17 15l-1-1 2.5-2.5z',
  lyric: 'M3 5h18v2H3zM3 11h12v2H3zM3 17h15v2H3z',
  queue: 'M3 6h12v2H3zM3 11h12v2H3zM3 16h8v2H3zM16 12v9l6-4.5z',
  up: 'M12 8l8 8-1.5 1.5L12 11l-6.5 6.5L4 16z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  more: 'M5 10h3v3H5zM10.5 10h3v3h-3zM16 10h3v3h-3z',
  cross: 'M6 4.5L4.5 6l6 6-6 6L6 19.5l6-6 6 6 1.5-1.5-6-6 6-6L18 4.5l-6 6z',
  grip: 'M8 5h3v3H8zM13 5h3v3h-3zM8 10.5h3v3H8zM13 10.5h3v3h-3zM8 16h3v3H8zM13 16h3v3h-3z'
} as const

export type IconName = keyof typeof paths

export function Icon ({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}

/** A round button with a picture. `name`: what it does, for those who do not see it. */
export function IconButton ({ icon, name, act, pressed, off, kind = '' }: {
  readonly icon: IconName,
  readonly name: string,
  act(): void,
  readonly pressed?: boolean,
  readonly off?: boolean,
  readonly kind?: string
}): VNode {
  return (
    <button
      type="button"
      class={`icon ${kind}`}
      aria-label={name}
      title={name}
      aria-pressed={pressed}
      disabled={off}
      onClick={act}
    >
      <Icon name={icon} />
    </button>
  )
}
