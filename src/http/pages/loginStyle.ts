/** How /login looks: from 320 px on, light and dark, and nothing moves when a state changes. */
import { palette } from './palette.ts'

export const loginStyle = `${palette}body { margin: 0; min-height: 100vh; display: grid; place-items: start center; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 27rem; padding: 1.25rem 1rem 2rem }
@media (min-width: 30rem) {
  main { margin-top: 6vh }
  section { padding: 2rem !important }
}
.brand { margin: 0 0 .75rem; text-align: center; color: var(--soft); font-size: .9rem; letter-spacing: .04em }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.25rem; text-align: center }
h1 { margin: 0 0 1.25rem; font-size: 1.35rem; line-height: 1.25; outline: none }

fieldset { border: 1px solid var(--line); border-radius: .75rem; margin: 0 0 1.25rem; padding: .25rem; display: flex; gap: .25rem }
legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
fieldset label { flex: 1; position: relative }
fieldset input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer }
fieldset span { display: block; padding: .6rem .5rem; border-radius: .5rem; color: var(--soft) }
fieldset input:checked + span { background: var(--tint); color: var(--ink); font-weight: 600 }
fieldset input:hover:not(:checked) + span { color: var(--ink) }

.code { position: relative; width: min(16rem, 100%); aspect-ratio: 1; margin: 0 auto; background: #fff; border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; forced-color-adjust: none }
.code img { display: block; width: 100%; height: 100%; padding: .5rem; object-fit: contain; image-rendering: pixelated }
.code img.large { image-rendering: auto }
.veil { position: absolute; inset: 0; display: grid; place-items: center; padding: 1rem; background: rgb(255 255 255 / .93); color: #17211e; font-size: 1.15rem; font-weight: 600 }
[data-state=waiting] .veil { display: none }
[data-state=scanned] .veil { color: #0b6b57 }
[data-state=loading] .veil::after { content: ""; width: 2rem; height: 2rem; border-radius: 50%; border: .25rem solid #cfd8d4; border-top-color: #0b6b57 }
@media (prefers-reduced-motion: no-preference) {
  [data-state=loading] .veil::after { animation: turn 1s linear infinite }
}
@keyframes turn { to { rotate: 1turn } }

.state { min-height: 4.5em; margin: 1rem 0 0; display: grid; place-items: center; overflow-wrap: anywhere; text-wrap: balance }
.short { min-height: 1.5em; margin: .75rem 0 }
.note { margin: 1rem 0 0; color: var(--soft); font-size: .9rem; text-wrap: balance }
.touch { display: none }
@media (pointer: coarse) { .touch { display: block } }
.warning { margin: 1rem 0; padding: .75rem 1rem; border-radius: .75rem; background: var(--alarm-ground); color: var(--alarm); font-size: .9rem; text-align: start }
.caption { display: block; margin: 1rem 0 .25rem; text-align: start; font-size: .9rem; font-weight: 600 }
textarea { display: block; width: 100%; padding: .75rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--ground); color: inherit; font: .85rem/1.5 ui-monospace, monospace; word-break: break-all; resize: vertical }
code { font: .95em ui-monospace, monospace; white-space: nowrap }

.buttons { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: center; margin-top: .75rem }
[data-state=expired] #fresh, [data-state=stopped] #fresh { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
[data-state=expired] #fresh:hover, [data-state=stopped] #fresh:hover { background: var(--ink); border-color: var(--ink); color: var(--card) }
fieldset input:focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px }
`
