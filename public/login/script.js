/**
 * Shows a QR code, follows the login on the phone, and shows the cookie to copy, or the secret of the account as which the
 * relay stored the login. Both are in the page's text fields only, never in an address or the history. A page that the
 * person goes back to gets it once.
 * @typedef {import('../../schemas/login.ts').AltLoginCheck} AltLoginCheck
 * @typedef {import('../../schemas/login.ts').AltLoginQr} AltLoginQr
 * @typedef {import('../../schemas/login.ts').LoginSession} LoginSession
 * @typedef {import('../../schemas/login.ts').MainLoginCheck} MainLoginCheck
 * @typedef {import('../../schemas/login.ts').MainLoginQr} MainLoginQr
 * @typedef {typeof import('../../src/upstream/login/scan.ts').polling} Polling
 * @typedef {import('../../schemas/accounts.ts').StoredLoginCheck} StoredLoginCheck
 */
import { createCopy } from '../shared/copy.js'
import { byId } from '../shared/dom.js'
import { RequestError, relayGone, sentenceOf } from '../shared/failure.js'
import { put, startLanguage, t } from '../shared/language.js'
import { handOver, returnAddress, takeOver } from '../shared/wayBack.js'
import { useOperatorLink } from './operator.js'
import { createStored } from './stored.js'

/** @typedef {Pick<MainLoginQr, 'img'> & Partial<MainLoginQr> & Partial<AltLoginQr>} Code */
/** @typedef {(MainLoginCheck | AltLoginCheck) & Pick<StoredLoginCheck, 'account'>} News */

const scan = byId('scan', HTMLElement)
const picture = byId('picture', HTMLImageElement)
const veil = byId('veil', HTMLElement)
const state = byId('state', HTMLElement)
const done = byId('done', HTMLElement)
const account = byId('account', HTMLElement)
const cookie = byId('cookie', HTMLTextAreaElement)
const forgetCopy = createCopy(byId('copy', HTMLButtonElement), cookie, byId('copied', HTMLElement))
const storedPart = createStored()
/** Absent if this visitor is not offered to store logins. */
const nameField = /** @type {HTMLInputElement | null} */ (document.getElementById('name'))
const back = returnAddress(new URLSearchParams(location.search).get('return'), location.origin)
const radios = { alt: byId('alt', HTMLInputElement), main: byId('main', HTMLInputElement) }
const demo = document.getElementById('demo')

const { pauseMs, mostRefreshes, mostTroubles, transient } = /** @type {Polling} */ (JSON.parse(scan.dataset['polling'] ?? ''))

/**
 * `id` is the field of the code that the check requires.
 * @type {Record<keyof typeof radios, { start: string, check: string, id: 'qrsig' | 'uuid', pauseMs: number }>}
 */
const channels = {
  main: { start: 'getMainLoginQr', check: 'checkMainLoginQr', id: 'qrsig', pauseMs: pauseMs.main },
  alt: { start: 'getAltLoginQr', check: 'checkAltLoginQr', id: 'uuid', pauseMs: pauseMs.alt }
}
/** @type {ReadonlySet<string>} */
const repeatable = new Set([...transient, 'RELAY_GONE'])

/**
 * Shows a state of the login.
 * @param {'loading' | 'waiting' | 'scanned' | 'expired' | 'stopped'} name
 * @param {() => string} sentence
 * @param {() => string} [onCode] the words on the code
 */
function tell (name, sentence, onCode = () => '') {
  scan.dataset['state'] = name
  put(state, sentence)
  put(veil, onCode)
}

/**
 * Sends a request to the relay: POST if there is a body, else GET. Throws a RequestError.
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask (path, signal, body) {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  let response, said
  try {
    response = await fetch(path, { ...init, signal, cache: 'no-store' })
    said = await response.json()
  } catch (error) {
    if (signal.aborted) throw error
    throw relayGone()
  }
  if (!response.ok) throw new RequestError(said, 1000 * Number(response.headers.get('retry-after') ?? 0))
  return said
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
const pause = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason) }, { once: true })
})

/**
 * Polls the state of the login until the code is used up.
 * @param {typeof channels['main']} channel
 * @param {Code} code
 * @param {() => string} request the sentence that asks for the scan
 * @param {AbortSignal} signal
 * @returns {Promise<News>}
 */
async function follow ({ check: path, id, pauseMs }, code, request, signal) {
  let scanned = false
  const show = () => scanned ? tell('scanned', () => t('Scanned. Now confirm the login on the phone.'), () => t('✓ Scanned')) : tell('waiting', request)
  for (let troubles = 0; ;) {
    let wait = pauseMs
    const check = naming = new AbortController()
    signal.addEventListener('abort', () => { check.abort(signal.reason) }, { signal: check.signal })
    const name = nameField?.value ?? ''
    show()
    try {
      if (nameField?.validity.valid === false) {
        tell('waiting', () => t('The name must have 1 to 32 lower-case letters, digits and hyphens, and not begin with a hyphen.'))
        await pause(2 ** 31 - 1, check.signal)
      }
      /** @type {News} */
      const news = await ask(name === '' ? path : 'login/account', check.signal, { ...name === '' ? {} : { name }, [id]: code[id] })
      if (news.isOk || news.refresh) return news
      scanned = news.status === 'scanned'
      show()
      troubles = 0
    } catch (error) {
      if (check.signal.aborted && !signal.aborted) continue
      if (signal.aborted || !(error instanceof RequestError) || !repeatable.has(error.failure.code) || ++troubles > mostTroubles) throw error
      wait = Math.max(2000, error.pauseMs)
      put(state, () => t('Problem, trying again: {error}', { error: sentenceOf(error) }))
    }
    await pause(wait, signal)
  }
}

let round = new AbortController()
/** Ends a check under way after the name was changed: the next one has the new name. */
let naming = new AbortController()

const chosen = () => radios.main.checked ? radios.main : radios.alt

/** Shows one code after another until a login succeeds or is cancelled, or several codes expired. */
async function begin () {
  round.abort()
  const { signal } = round = new AbortController()
  const name = chosen() === radios.main ? 'main' : 'alt'
  const channel = channels[name]
  const app = () => t(/** @type {import('../shared/language.js').Sentence} */ (chosen().dataset['app']))
  forget()
  picture.hidden = true
  try {
    for (let refreshes = 0; ; refreshes++) {
      tell('loading', () => refreshes === 0 ? t('Requesting a QR code …') : t('The code expired. Requesting a new one …'))
      /** @type {Code} */
      const code = await ask(channel.start, signal)
      picture.src = code.img
      await picture.decode().catch(() => {})
      if (signal.aborted) return
      picture.classList.toggle('large', picture.naturalWidth > 256)
      put(picture, () => t('QR code to scan with {app}', { app: app() }), 'alt')
      picture.hidden = false
      demo?.querySelector('a')?.setAttribute('href', `${demo.dataset['pages']}/${name}/${code[channel.id]}`)
      const news = await follow(channel, code, () => `${refreshes === 0 ? '' : t('The code expired; this is a new one.') + ' '}${t('Open {app} on your phone and scan the code.', { app: app() })}`, signal)
      if (news.account !== undefined) return finishKept(news.account)
      if (news.session !== undefined) return finish(news.session)
      if (news.status !== 'expired') return tell('stopped', () => t('The login was cancelled on the phone. Nothing happened.'), () => t('Cancelled'))
      if (refreshes === mostRefreshes) return tell('expired', () => t('The code was not scanned in time. Get a new code when your phone is ready.'), () => t('Expired'))
    }
  } catch (error) {
    if (!signal.aborted) tell('stopped', () => sentenceOf(error), () => t('No login'))
  }
}

/** @param {'Log in' | 'Logged in'} title */
const entitle = (title) => { put(/** @type {Element} */ (document.querySelector('title')), () => `${t(title)} · music-relay`) }

/** @param {LoginSession} session */
function finish (session) {
  account.textContent = session.loginUin
  cookie.value = session.cookie
  scan.hidden = true
  done.hidden = false
  entitle('Logged in')
  byId('welcome', HTMLElement).focus()
  showWayBack(session.cookie)
}

/** @param {NonNullable<StoredLoginCheck['account']>} stored */
function finishKept (stored) {
  scan.hidden = true
  entitle('Logged in')
  storedPart?.show(stored)
  showWayBack(stored.secret ?? '')
}

/** What the page that the person goes back to will ask with. */
let login = ''

/** @param {string} text the cookie or secret; '' if the page may not have it */
function showWayBack (text) {
  login = text
  for (const line of document.querySelectorAll('.back')) line.toggleAttribute('hidden', back === undefined)
}

function forget () {
  cookie.value = account.textContent = login = ''
  forgetCopy()
  storedPart?.forget()
  scan.hidden = false
  done.hidden = true
  entitle('Log in')
}

for (const radio of Object.values(radios)) radio.addEventListener('change', begin)
byId('fresh', HTMLButtonElement).addEventListener('click', begin)
for (const id of ['again', 'another']) {
  document.getElementById(id)?.addEventListener('click', () => {
    begin()
    chosen().focus()
  })
}
if (back !== undefined) {
  // Only the front page takes it: what other addresses do with a tab's storage is not known here.
  const isFront = new URL(back).pathname === new URL('./', location.href).pathname
  for (const link of document.querySelectorAll('.back a')) {
    link.setAttribute('href', back)
    link.addEventListener('click', () => { if (isFront && login !== '') handOver(login) })
  }
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing
nameField?.addEventListener('input', () => {
  nameField.value = nameField.value.toLowerCase().replaceAll(' ', '-')
  clearTimeout(typing)
  typing = setTimeout(() => { naming.abort() }, 300)
})
startLanguage(byId('language', HTMLButtonElement))
takeOver() // left by an earlier login whose way back was cut off
// Going back to this page must not show the cookie.
addEventListener('pagehide', () => { round.abort(); forget() })
addEventListener('pageshow', ({ persisted }) => { if (persisted) begin() })
void useOperatorLink()
begin()
