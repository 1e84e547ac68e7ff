/** Who is logged in: the session of this browser, the login of this visit, or that of the relay. */
import { computed, signal } from '@preact/signals'
import type { AccountState } from '../../schemas/accountState.ts'
import type { SessionState } from '../../schemas/accounts.ts'
import { facts } from './facts.ts'
import { codeOf } from './failure.ts'
import { t } from './language.ts'
import { ask, hasLogin, isSecret, json, send, sendPatiently, useLogin } from './relay.ts'

const nobody: SessionState = { account: null, others: [], operator: false, storesLogins: false }

export const session = signal<SessionState>(nobody)
/** What the provider says of the login; undefined while it has said nothing. */
export const person = signal<AccountState | undefined>(undefined)
/** Why the provider has said nothing of it, or the relay while `source` is `asking`; undefined while that is not known. */
export const personError = signal<unknown>()
/** Where the login of the page's requests comes from. `asking`: not known yet. */
export const source = signal<'asking' | 'none' | 'session' | 'visit' | 'relay' | 'browser'>('asking')
/** Text that is another one for each login: answers of one are not shown to another. */
export const login = signal('')

export const isLoggedIn = computed(() => source.value !== 'none' && source.value !== 'asking')
/** Whether the login has ended: only a new scan helps. */
export const hasEnded = computed(() =>
  isLoggedIn.value
  && (codeOf(personError.value) === 'COOKIE_REJECTED' || person.value?.alive === false
    || (source.value === 'session' && session.value.account?.state === 'log in again'))
)
/** The name that a person reads; '' if there is none. */
export const nameShown = computed(() =>
  person.value?.nickname
  || (source.value === 'session' ? session.value.account?.nickname ?? session.value.account?.name ?? '' : '')
)

let round = 0

/** Whether a failure says nothing of the login. */
const saysNothing = (error: unknown): boolean =>
  ['RELAY_GONE', 'OVERLOADED', 'STOPPING', 'RATE_LIMITED'].includes(codeOf(error))

/** Asks who is logged in, and shows it. An answer that comes late does not speak for a later question. */
export async function refreshSession (): Promise<void> {
  const own = ++round
  try {
    const given = facts.sessions && !hasLogin() ? await sendPatiently('login/session') as SessionState : session.value
    if (own === round) await adopt(given, own)
  } catch (error) {
    if (own !== round) return
    source.value = 'asking'
    person.value = undefined
    personError.value = error
  }
}

async function cookiesNow (): Promise<readonly string[]> {
  try {
    return (await ask('getCookie', {})).cookieList ?? []
  } catch (error) {
    if (saysNothing(error)) throw error
    return []
  }
}

async function adopt (given: SessionState, own: number): Promise<void> {
  const cookies = given.account === null || hasLogin() ? await cookiesNow() : []
  if (own !== round) return
  session.value = given
  source.value = hasLogin()
    ? (cookies.length > 0 ? 'visit' : 'none')
    : given.account !== null
    ? 'session'
    : cookies.length === 0
    ? 'none'
    : facts.globalCookie
    ? 'relay'
    : 'browser'
  person.value = personError.value = undefined
  // The first answer changes nothing: requests had this login from the beginning.
  if (own > 1) login.value = String(own)
  if (source.value === 'none') return
  // A key may not be allowed to ask this, and the provider may be out of reach.
  const state = await ask('account', {}).catch((error: unknown) => {
    if (own === round) personError.value = error
    return undefined
  })
  if (own === round) person.value = state
}

/** Sends a change of the session, and shows the result. Throws a RequestError. */
async function change (
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  keepsVisit = false
): Promise<void> {
  const init = json(body)
  const answer = await send(path, { ...init, headers: { ...init.headers, ...headers } }) as SessionState
  if (!keepsVisit) useLogin('')
  await adopt({ ...nobody, ...answer }, ++round)
}

export const switchTo = async (account: string): Promise<void> => {
  await change('login/session', { account })
}

/** Logs in with a text: the secret of a stored account, to stay; a key or a cookie, for this visit. */
export async function enter (text: string): Promise<void> {
  if (facts.sessions && text.startsWith('mr_') && isSecret(text))
    return await change('login/session', {}, { authorization: `Bearer ${text}` })
  const hadLogin = isLoggedIn.value && !hasEnded.value
  const before = useLogin(text)
  await refreshSession()
  // A login that has ended does not take the place of one that works.
  if (isLoggedIn.value && !(hadLogin && hasEnded.value)) return
  const error = isLoggedIn.value
    ? new Error(t('The provider does not accept this login any more. Scan a new code.'))
    : personError.value ?? new Error(t('The text contains no usable cookie.'))
  await useVisit(before)
  throw error
}

export async function leave (account?: string): Promise<void> {
  if (hasLogin() && account === undefined) {
    useLogin('')
    return await refreshSession()
  }
  await change('login/session/end', account === undefined ? {} : { account }, {}, true)
}

export async function useVisit (text: string): Promise<void> {
  useLogin(text)
  await refreshSession()
}
