/** The markup of /. Addresses are relative, so that it works below any path of a reverse proxy. */
import { upstreamKind } from '../../config.ts'
import type { Settings } from '../../config.ts'
import { pageHead, pageIcon } from './head.ts'

export interface FrontFacts extends Pick<Settings, 'docs' | 'upstreamOrigin' | 'fallbackMode' | 'useGlobalCookie'> {
  readonly version: string
  /** The upstream is the demo of this project. */
  readonly demo: boolean
}

const upstreamWords = {
  'demo': ['Demo', 'an invented catalogue, works offline'],
  'live': ['Live', 'the provider itself'],
  'another origin': ['Another origin', 'a stand-in, from UPSTREAM_ORIGIN']
} as const

/** `facts` hold nothing that came from outside, so none of it needs escaping. */
export function frontHtml (facts: FrontFacts): string {
  const { version, docs, fallbackMode, useGlobalCookie } = facts
  const [upstream, about] = upstreamWords[upstreamKind(facts, facts.demo)]
  const ownCookie = fallbackMode
    ? `<details class="own">
<summary>Play with an account</summary>
<form id="own">
<label for="key">Cookie</label>
<div class="field"><input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-note"><button>Use it</button></div>
</form>
<p class="note" id="key-note"><a href="login">Log in with a phone</a>, copy the cookie, paste it here. It stays on this page until you leave it.</p>
</details>`
    : ''
  return `<!doctype html>
<html lang="en">
${pageHead('music-relay', 'front')}
<body data-global="${useGlobalCookie ? 'on' : 'off'}">
<header>
<p class="brand"><img src="${pageIcon}" alt="" width="28" height="28">music-relay <span class="version">${version}</span></p>
<nav aria-label="Pages">${docs ? '<a href="docs">API reference</a>' : ''}<a href="login">Log in</a><a href="health/upstream">Health</a></nav>
</header>
<main>
<h1>The relay is running.</h1>
<p class="lead">An online-music provider as clean, typed JSON. Try it here; each list names the request it came from.</p>
<dl class="facts">
<div><dt>Upstream</dt><dd><strong>${upstream}</strong><span>${about}</span></dd></div>
<div><dt>Account</dt><dd id="account"><strong>…</strong><span></span></dd></div>
<div><dt>Health</dt><dd id="health" data-mood="unknown"><strong>…</strong><span></span></dd></div>
</dl>

<form role="search" id="search">
<label class="unseen" for="words">Song, singer or album</label>
<div class="field"><input id="words" type="search" name="key" maxlength="200" required placeholder="Song, singer or album" autocomplete="off" enterkeyhint="search"><button class="primary">Search</button></div>
<ul class="chips" id="hot" aria-label="What many look for"></ul>
</form>
<p class="status" id="status" role="status"></p>

<div class="columns">
<section id="stage" aria-labelledby="stage-title">
<div class="bar"><h2 id="stage-title" tabindex="-1">Charts</h2><button type="button" id="back" hidden>All charts</button></div>
<p class="note" id="about" hidden></p>
<ul id="list"></ul>
<p class="source" id="stage-source"></p>
</section>

<section id="player" aria-labelledby="song" hidden>
<div class="now">
<span class="cover"><img id="cover" alt="" width="150" height="150" hidden></span>
<div><h2 id="song"></h2><p id="singers"></p><p class="note" id="file"></p></div>
</div>
<audio id="audio" controls preload="none"></audio>
<div class="refusal" id="refusal" hidden><p><strong id="reason"></strong></p><p id="hint"></p><div class="buttons"><button type="button" id="part" hidden>Hear a short part</button><a href="login">Log in</a></div></div>
<ol id="lyric" aria-label="Lyric" tabindex="0" hidden></ol>
<p class="source" id="player-source"></p>
</section>
</div>
${ownCookie}
<noscript><p class="refusal">Trying it here needs JavaScript. The interface itself does not.</p></noscript>
</main>
</body>
</html>
`
}
