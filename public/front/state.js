/** The state of the relay: the health of its upstream, and the account that its requests use. */
import { byId, dateOf, make } from '../shared/dom.js'
import { RequestError, sentenceOf } from '../shared/failure.js'
import { put, t } from '../shared/language.js'
import { ask, hasLogin } from './relay.js'
import { troublesIn } from './troubles.js'

const health = byId('health', HTMLElement)
const account = byId('account', HTMLElement)
const globalCookie = document.body.dataset['global'] === 'on'

/**
 * @param {HTMLElement} where
 * @param {'good' | 'bad' | 'none' | 'unknown'} mood
 * @param {string | (() => string)} main
 * @param {() => string} note
 */
function say (where, mood, main, note) {
  const [strong, span] = [make('strong', ''), make('span', '')]
  put(strong, main)
  put(span, note)
  where.replaceChildren(strong, span)
  where.dataset['mood'] = mood
}

const asking = { health: new AbortController(), account: new AbortController() }

/**
 * Cancels the earlier request of this kind, so that its response cannot replace a later one. Returns the new signal.
 * @param {keyof typeof asking} kind
 */
function latest (kind) {
  asking[kind].abort()
  return (asking[kind] = new AbortController()).signal
}

/** Fetches the upstream health and shows it. */
export async function showHealth () {
  const signal = latest('health')
  try {
    const { calls } = await ask('health/upstream', {}, signal)
    const known = calls.filter(({ verdict }) => verdict !== undefined)
    const ill = known.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'empty' && verdict !== 'login needed')
    if (known.length === 0) say(health, 'unknown', () => t('No requests yet'), () => t('no call since the start'))
    else if (ill.length === 0) say(health, 'good', () => t('Well'), () => known.length === 1 ? t('1 kind of call, working') : t('{count} kinds of calls, all working', { count: known.length }))
    else say(health, 'bad', () => t('{ill} of {count} kinds of calls failing', { ill: ill.length, count: known.length }), () => troublesIn(ill))
  } catch (error) {
    if (!signal.aborted) say(health, 'bad', () => t('Unknown'), () => sentenceOf(error))
  }
}

/** @typedef {import('../../schemas/accountState.ts').AccountState} AccountState */

/** Days of a subscription are those of China. @param {string} day YYYY-MM-DD */
const dayOf = (day) => new Date(`${day}T00:00:00+08:00`).toLocaleDateString(document.documentElement.lang, { dateStyle: 'medium', timeZone: 'Asia/Shanghai' })

/** @param {AccountState['vip']} vip */
function subscription (vip) {
  if (vip === null) return ''
  if (!vip.member) return t('no subscription')
  return vip.until === '' ? t('subscription') : t('subscription until {date}', { date: dayOf(vip.until) })
}

/** @param {number | null} seconds Unix seconds; null: unknown */
const lasting = (seconds) => seconds === null ? '' : t(seconds * 1000 > Date.now() ? 'lasts until {date}' : 'expired {date}', { date: dateOf(seconds) })

/**
 * Shows a login: what the relay knows of it, and what the provider says as soon as it has said it.
 * @param {object} login
 * @param {string | (() => string)} login.main
 * @param {() => string} login.note
 * @param {boolean} login.well
 * @param {number | null} login.until
 * @param {AccountState} [state]
 */
function showLogin ({ main, note, well, until }, state) {
  const usable = well && state?.alive !== false
  say(account, usable ? 'good' : 'bad', main, () => [note(), usable ? '' : t('log in again'), subscription(state?.vip ?? null), lasting(until ?? state?.until ?? null)].filter((word) => word !== '').join(' · '))
}

/**
 * Returns the login of the page's requests; undefined if they have none, which is shown.
 * @param {import('../../schemas/accounts.ts').ShownAccount | null} stored
 * @param {boolean} hasCookie
 * @returns {Parameters<typeof showLogin>[0] | undefined}
 */
function loginOf (stored, hasCookie) {
  if (stored !== null) return { main: stored.name, note: () => stored.nickname ?? '', well: stored.state === 'ok', until: stored.expiresAt ?? null }
  const usual = { well: true, until: null }
  if (!hasCookie && hasLogin()) say(account, 'bad', () => t('None'), () => t('the pasted text contains no usable cookie'))
  else if (!hasCookie) say(account, 'none', () => t('None'), () => globalCookie ? t('the global cookie is on, but none is stored') : t('not logged in'))
  else if (hasLogin()) return { ...usual, main: () => t('Yours'), note: () => t('the login of this page') }
  else if (globalCookie) return { ...usual, main: () => t('Global cookie'), note: () => t('used for requests without a cookie') }
  else return { ...usual, main: () => t('Of this browser'), note: () => t('it sends a cookie by itself') }
  return undefined
}

/** Fetches the login that requests of this page use, and shows whose it is, whether it is alive, and its subscription. */
export async function showAccount () {
  const signal = latest('account')
  try {
    // The account says more, if a relay in between answers for it.
    const [{ cookieList }, { account: stored }] = await Promise.all([ask('user/getCookie', {}, signal), ask('login/account', {}, signal).catch(() => ({ account: null }))])
    if (signal.aborted) return
    const login = loginOf(stored, cookieList.length > 0)
    if (login === undefined) return
    showLogin(login)
    // A key may not be allowed to ask this, and the provider may be out of reach.
    const state = await ask('account', {}, signal).catch((error) => {
      if (error instanceof RequestError && error.failure.code === 'COOKIE_REJECTED') showLogin({ ...login, well: false })
      return undefined
    })
    if (state === undefined || signal.aborted) return
    const note = stored !== null || state.nickname === '' ? login.note : () => [state.nickname, login.note()].join(' · ')
    showLogin({ ...login, note }, state)
  } catch (error) {
    if (!signal.aborted) say(account, 'bad', () => t('Not usable'), () => sentenceOf(error))
  }
}
