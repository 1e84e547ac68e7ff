/**
 * What /login does in the browser: shows a code, follows what the phone does with it, and gives the cookie to copy.
 * The cookie is in the page's text field only: never in an address, a storage or the history.
 */
import { polling } from '../../login/scan.ts'

export const loginScript = String.raw`const part = (id) => document.getElementById(id)
const [scan, picture, veil, state, done, account, cookie, copied, demo] = ['scan', 'picture', 'veil', 'state', 'done', 'account', 'cookie', 'copied', 'demo'].map(part)

const { pauseMs, mostRefreshes, mostTroubles, transient } = ${JSON.stringify(polling)}
const channels = {
  main: { start: 'getMainLoginQr', check: 'checkMainLoginQr', id: 'qrsig', pauseMs: pauseMs.main },
  alt: { start: 'getAltLoginQr', check: 'checkAltLoginQr', id: 'uuid', pauseMs: pauseMs.alt }
}
transient.push('RELAY_GONE')

/** What the person sees; one of loading, waiting, scanned, expired, stopped. */
function tell (name, sentence, onCode = '') {
  scan.dataset.state = name
  if (state.textContent !== sentence) state.textContent = sentence // the same again is not announced again
  veil.textContent = onCode
}

async function ask (path, signal, body) {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  let answer, said
  try {
    answer = await fetch(path, { ...init, signal, cache: 'no-store' })
    said = await answer.json()
  } catch (error) {
    if (signal.aborted) throw error
    throw Object.assign(new Error('The relay does not answer.'), { code: 'RELAY_GONE' })
  }
  if (!answer.ok) throw Object.assign(new Error(said.error), { code: said.code, pauseMs: 1000 * Number(answer.headers.get('retry-after') ?? 0) })
  return said
}

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason) }, { once: true })
})

/** Asks what the phone does until that is over. */
async function follow ({ check, id, pauseMs }, code, app, first, signal) {
  const states = {
    waiting: ['waiting', first + 'Open ' + app + ' on your phone and scan the code.'],
    scanned: ['scanned', 'Scanned. Now confirm the login on the phone.', '✓ Scanned']
  }
  let now = states.waiting
  for (let troubles = 0; ;) {
    let wait = pauseMs
    tell(...now)
    try {
      const news = await ask(check, signal, { [id]: code[id] })
      if (news.isOk || news.refresh) return news
      now = states[news.status]
      tell(...now)
      troubles = 0
    } catch (error) {
      if (signal.aborted || !transient.includes(error.code) || ++troubles > mostTroubles) throw error
      wait = Math.max(2000, error.pauseMs ?? 0)
      state.textContent = 'Trouble, asking again: ' + error.message
    }
    await pause(wait, signal)
  }
}

let round = new AbortController()

/** Codes, one after another, until somebody logged in or nobody seems to be there. */
async function begin () {
  round.abort()
  const { signal } = round = new AbortController()
  const { value, dataset: { app } } = document.querySelector('input[name=channel]:checked')
  const channel = channels[value]
  forget()
  picture.hidden = true
  try {
    for (let refreshes = 0; ; refreshes++) {
      tell('loading', refreshes === 0 ? 'Asking for a QR code …' : 'The code expired. Asking for a new one …')
      const code = await ask(channel.start, signal)
      picture.src = code.img
      await picture.decode().catch(() => {})
      if (signal.aborted) return
      picture.classList.toggle('large', picture.naturalWidth > 256)
      picture.alt = 'QR code to scan with ' + app
      picture.hidden = false
      if (demo !== null) demo.querySelector('a').href = demo.dataset.pages + '/' + value + '/' + code[channel.id]
      const news = await follow(channel, code, app, refreshes === 0 ? '' : 'The code expired; this is a new one. ', signal)
      if (news.isOk) return finish(news.session)
      if (news.status !== 'expired') return tell('stopped', 'The login was cancelled on the phone. Nothing happened.', 'Cancelled')
      if (refreshes === mostRefreshes) return tell('expired', 'Nobody scanned for a while. Get a new code when the phone is at hand.', 'Expired')
    }
  } catch (error) {
    if (!signal.aborted) tell('stopped', error.message, 'No login')
  }
}

function finish (session) {
  account.textContent = session.loginUin
  cookie.value = session.cookie
  scan.hidden = true
  done.hidden = false
  document.title = 'Logged in · music-relay'
  part('welcome').focus()
}

function forget () {
  cookie.value = account.textContent = copied.textContent = ''
  scan.hidden = false
  done.hidden = true
  document.title = 'Log in · music-relay'
}

async function copy () {
  // Pages over plain http have no clipboard but the one of the selection.
  const written = navigator.clipboard ? await navigator.clipboard.writeText(cookie.value).then(() => true, () => false) : copySelected()
  copied.textContent = written ? 'Copied.' : 'The browser does not let this page copy: the text is selected, copy it yourself.'
  if (!written) cookie.select()
}

function copySelected () {
  cookie.select()
  const written = document.execCommand('copy')
  part('copy').focus()
  return written
}

for (const radio of document.querySelectorAll('input[name=channel]')) radio.addEventListener('change', begin)
part('fresh').addEventListener('click', begin)
part('copy').addEventListener('click', copy)
part('again').addEventListener('click', () => {
  begin()
  document.querySelector('input[name=channel]:checked').focus()
})
// Who comes back to the page shall not find the cookie there.
addEventListener('pagehide', () => { round.abort(); forget() })
addEventListener('pageshow', ({ persisted }) => { if (persisted) begin() })
begin()
`
