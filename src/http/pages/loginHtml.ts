/** The markup of /login. Addresses are relative, so that it works below any path of a reverse proxy. */
import { scanApps } from '../../login/scan.ts'
import { pageHead } from './head.ts'

/** `scanPages`: where the demo upstream has its scan pages. */
export function loginHtml ({ scanPages }: { readonly scanPages: string | undefined }): string {
  const demo = scanPages === undefined
    ? ''
    : `<p class="note" id="demo" data-pages="${scanPages}">With the demo upstream <a target="_blank" rel="noopener noreferrer">this page</a> stands for the phone.</p>`
  return `<!doctype html>
<html lang="en">
${pageHead('Log in · music-relay', 'login')}
<body>
<main>
<p class="brand">music-relay</p>

<section id="scan" data-state="loading" aria-labelledby="title">
<h1 id="title">Log in with your phone</h1>
<fieldset>
<legend>Account</legend>
<label><input type="radio" name="channel" value="alt" data-app="${scanApps.alt}" autocomplete="off" checked><span>${scanApps.alt}</span></label>
<label><input type="radio" name="channel" value="main" data-app="${scanApps.main}" autocomplete="off"><span>${scanApps.main}</span></label>
</fieldset>
<div class="code">
<img id="picture" alt="" width="470" height="470" hidden>
<span class="veil" id="veil" aria-hidden="true"></span>
</div>
<p class="state" id="state" role="status">Asking for a QR code …</p>
<div class="buttons"><button type="button" id="fresh">New code</button></div>
<p class="note touch">On the phone itself: take a screenshot and open it in the app's scanner.</p>
${demo}
</section>

<section id="done" aria-labelledby="welcome" hidden>
<h1 id="welcome" tabindex="-1">Logged in</h1>
<p class="note">Account <strong id="account"></strong></p>
<label class="caption" for="cookie">Cookie</label>
<textarea id="cookie" rows="6" readonly spellcheck="false" autocomplete="off" aria-describedby="worth"></textarea>
<p class="warning" id="worth"><strong>It is worth the account.</strong> Who has it acts as you until it expires: give it to nobody, and paste it only where you trust what reads it.</p>
<div class="buttons">
<button type="button" class="primary" id="copy">Copy cookie</button>
<button type="button" id="again">Forget it</button>
</div>
<p class="state short" id="copied" role="status"></p>
<p class="note">Send it with a request as the header <code>X-Custom-Cookie</code>. For one login that all requests of a relay use, run <code>music-relay login</code> on its machine.</p>
</section>

<noscript><p class="warning">This page needs JavaScript. The command <code>music-relay login</code> does the same without.</p></noscript>
</main>
</body>
</html>
`
}
