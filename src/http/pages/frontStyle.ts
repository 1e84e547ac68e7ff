/** How / looks: from 320 px on, light and dark. On a narrow screen the player stays at the lower edge. */
import { palette } from './palette.ts'

export const frontStyle = `${palette}
:root { --round: 1rem; --note: #1f9d7f }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
header, main { max-width: 68rem; margin: 0 auto; padding: 0 1rem }
header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; padding-top: 1rem }
nav { display: flex; gap: 1.25rem }
nav a { padding: .6rem 0; color: var(--soft); text-decoration: none; font-size: .95rem }
nav a:hover { color: var(--ink); text-decoration: underline }
.brand { display: flex; align-items: center; gap: .6rem; margin: 0; font-weight: 700; letter-spacing: -.01em }
.brand img { display: block; border-radius: .5rem }
.version { color: var(--soft); font-weight: 400; font-size: .9rem }
main { padding-bottom: 3rem }
h1 { margin: 1.25rem 0 .35rem; font-size: clamp(1.7rem, 5.5vw, 2.75rem); line-height: 1.1; letter-spacing: -.03em }
.lead { margin: 0 0 1.25rem; color: var(--soft); text-wrap: balance }
.note, .source { color: var(--soft); font-size: .875rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }

.facts { display: grid; gap: 1px; margin: 0 0 1.5rem; background: var(--line); border: 1px solid var(--line); border-radius: var(--round); overflow: hidden }
.facts div { display: grid; grid-template-columns: 5.5rem 1fr; align-items: baseline; padding: .5rem 1rem; background: var(--card) }
.facts dt { color: var(--soft); font-size: .8rem }
.facts dd { margin: 0; display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline }
.facts dd span { color: var(--soft); font-size: .875rem }
[data-mood] strong::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .45em; border-radius: 50%; background: var(--line) }
[data-mood=good] strong::before { background: var(--note) }
[data-mood=bad] strong::before { background: #d98a1b }

.field { display: flex; gap: .5rem }
input { flex: 1; min-width: 0; min-height: 3rem; padding: .5rem 1rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
.field button { flex: none }
.chips { display: flex; gap: .5rem; margin: .75rem -1rem 0; padding: 4px 1rem; list-style: none; overflow-x: auto; scrollbar-width: none }
.chips:empty { display: none }
.chips button { min-height: 2.25rem; padding: .2rem .9rem; border-radius: 2rem; font-weight: 400; font-size: .9rem; white-space: nowrap; background: var(--card) }
.status { min-height: 1.5em; margin: .75rem 0 .25rem; color: var(--soft); font-size: .9rem }

.columns { display: grid; gap: 1rem; align-items: start }
#stage, #player { min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: var(--round); padding: 1rem }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 2.75rem }
.bar button { flex: none; min-height: 2.25rem; padding: .2rem .9rem; font-size: .9rem }
h2 { margin: 0; font-size: 1.2rem; line-height: 1.3; outline: none }
#about { margin: 0 0 .5rem }
.source { display: flex; flex-direction: column; gap: .15rem; margin: .75rem 0 0; font-family: ui-monospace, monospace; font-size: .8rem }
.source:empty { display: none }
.source a { color: var(--soft) }
#list { margin: .25rem -.5rem 0; padding: 0; list-style: none }
#list[aria-busy] { opacity: .5 }
.row { display: flex; align-items: center; gap: .85rem; width: 100%; min-height: 3.25rem; padding: .4rem .5rem; border: 0; text-align: start; font-weight: 400 }
.names { flex: 1; min-width: 0; display: grid }
.name { font-weight: 600 }
.name, .singers { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.singers { color: var(--soft); font-size: .875rem }
.tail { flex: none; display: flex; align-items: center; gap: .5rem; color: var(--soft); font-size: .85rem; font-variant-numeric: tabular-nums }
.tag { padding: 0 .45rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .75rem }
.rank { flex: none; width: 2.2rem; text-align: center; color: var(--soft); font-weight: 600; font-variant-numeric: tabular-nums }
.row[aria-current] { background: var(--tint) }
.row[aria-current] .name, .row[aria-current] .rank { color: var(--accent) }
.cover { flex: none; position: relative; display: block; width: 2.75rem; aspect-ratio: 1; border-radius: .5rem; overflow: hidden; background: var(--tint) }
.cover::before { content: "♪"; position: absolute; inset: 0; display: grid; place-items: center; color: var(--soft) }
.cover img { position: relative; display: block; width: 100%; height: 100%; object-fit: cover }
.charts .cover { width: 4.5rem }
.head { display: flex; align-items: baseline; justify-content: space-between; gap: .75rem; min-width: 0 }

#player { display: flex; flex-direction: column; gap: .75rem }
.now { display: flex; align-items: center; gap: 1rem }
.now > div { min-width: 0 }
.now p { margin: 0 }
.now .cover { width: 4rem; border-radius: .75rem }
.now h2, .now #singers { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
#singers { color: var(--soft) }
#file { font-size: .8rem }
audio { display: block; width: 100%; height: 2.75rem }
.refusal { padding: .75rem 1rem; border-radius: .75rem; background: var(--alarm-ground); color: var(--alarm) }
.refusal p { margin: 0 }
.refusal a { color: inherit }
.refusal .buttons { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-top: .5rem }
.refusal button { color: inherit; border-color: currentcolor }
.refusal button:hover { background: transparent; text-decoration: underline }
#lyric { position: relative; margin: 0; padding: 0; list-style: none; overflow-y: auto; text-align: center; border-radius: .5rem; scrollbar-width: thin }
#lyric:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
#lyric li { padding: .2rem .5rem; color: var(--soft) }
#lyric li span { display: block; font-size: .875rem }
#lyric li[aria-current] { color: var(--accent); font-weight: 700; font-size: 1.1rem }
@media (prefers-reduced-motion: no-preference) { #lyric li { transition: color .2s } }

.own { margin-top: 1.5rem }
summary { padding: .5rem 0; cursor: pointer; color: var(--soft) }
.own label { display: block; margin: .5rem 0 .25rem; font-size: .9rem; font-weight: 600 }
.own .field { max-width: 34rem }

@media (max-width: 51.99rem) {
  #player { position: sticky; bottom: .5rem; gap: .5rem; box-shadow: 0 .5rem 2rem rgb(0 0 0 / .25) }
  #player .source { display: none }
  .now .cover { width: 3rem }
  #lyric { height: 6rem }
  .refusal:not([hidden]) ~ #lyric { display: none }
  form { scroll-margin-top: .75rem }
  html:has(#player:not([hidden])) { scroll-padding-bottom: 20rem } /* what has the focus is not behind the player */
}
@media (min-width: 40rem) { .facts { grid-template-columns: repeat(3, 1fr) } .facts div { display: block; padding: .75rem 1rem } .facts dd { flex-direction: column } h1 { margin-top: 2.5rem } }
@media (min-width: 52rem) {
  header { padding-top: 1.5rem }
  .chips { flex-wrap: wrap; overflow: visible }
  #stage, #player { padding: 1.25rem }
  .columns:has(#player:not([hidden])) { grid-template-columns: minmax(0, 1fr) minmax(0, 24rem) }
  #list.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)) }
  #player { position: sticky; top: 1rem }
  .now .cover { width: 6rem }
  #lyric { height: 19rem }
}
`
