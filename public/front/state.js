/** The state of the relay: the health of its upstream, and the account that its requests use. */
import { byId, dateOf, make } from '../shared/dom.js'
import { sentenceOf } from '../shared/failure.js'
import { put, t } from '../shared/language.js'
import { ask, hasLogin } from './relay.js'

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
    if (known.length === 0) say(health, 'unknown', () => t('Not asked yet'), () => t('no call since the start'))
    else if (ill.length === 0) say(health, 'good', () => t('Well'), () => known.length === 1 ? t('1 kind of call, answered') : t('{count} kinds of calls, all answered', { count: known.length }))
    else say(health, 'bad', () => t('{ill} of {count} kinds of calls in trouble', { ill: ill.length, count: known.length }), () => ill.slice(0, 3).map(({ name, verdict }) => `${name}: ${verdict}`).join(', '))
  } catch (error) {
    if (!signal.aborted) say(health, 'bad', () => t('Unknown'), () => sentenceOf(error))
  }
}

/**
 * Shows a stored account, and until when its login lasts.
 * @param {import('../../schemas/accounts.ts').ShownAccount} stored
 */
function showStored ({ name, nickname, state, expiresAt }) {
  const until = () => expiresAt === undefined ? '' : t(expiresAt * 1000 > Date.now() ? 'lasts until {date}' : 'expired {date}', { date: dateOf(expiresAt) })
  say(account, state === 'ok' ? 'good' : 'bad', name, () => [nickname, state === 'ok' ? '' : t('log in again'), until()].filter((word) => word).join(' · '))
}

/** Fetches the cookie that requests of this page use, and shows its account. */
export async function showAccount () {
  const signal = latest('account')
  try {
    // The account says more, if a relay in between answers for it.
    const [{ cookieList }, { account: stored }] = await Promise.all([ask('user/getCookie', {}, signal), ask('login/account', {}, signal).catch(() => ({ account: null }))])
    if (signal.aborted) return
    if (stored !== null) showStored(stored)
    else if (cookieList.length === 0 && hasLogin()) say(account, 'bad', () => t('None'), () => t('the pasted text holds no cookie that is known here'))
    else if (cookieList.length === 0) say(account, 'none', () => t('None'), () => globalCookie ? t('a global cookie is wanted, but none is stored') : t('asks without a login'))
    else if (hasLogin()) say(account, 'good', () => t('Yours'), () => t('the login of this page'))
    else if (globalCookie) say(account, 'good', () => t('Global cookie'), () => t('used for requests that bring none'))
    else say(account, 'good', () => t('Of this browser'), () => t('it sends a cookie by itself'))
  } catch (error) {
    if (!signal.aborted) say(account, 'bad', () => t('Not usable'), () => sentenceOf(error))
  }
}
