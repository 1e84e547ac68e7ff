/** The colours of all pages, light and dark, and what every page wants of a browser. */
export const palette = `:root {
  color-scheme: light dark;
  --ground: #f3f5f4; --card: #fff; --ink: #17211e; --soft: #55635e; --line: #cfd8d4; --accent: #0b6b57; --on-accent: #fff; --tint: #e3f1ed;
  --alarm: #7a4a00; --alarm-ground: #fdf3dd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101413; --card: #1a201e; --ink: #e8efec; --soft: #a3b1ac; --line: #3a4541; --accent: #5fd0b3; --on-accent: #08231c; --tint: #21332d;
    --alarm: #f3cf8c; --alarm-ground: #33290f;
  }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
a { color: var(--accent) }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: .75rem; border: 1px solid var(--line); background: transparent; color: var(--ink); cursor: pointer }
button:hover { background: var(--tint) }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.primary:hover { background: var(--ink); border-color: var(--ink); color: var(--card) }
a:focus-visible, button:focus-visible, input:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`
