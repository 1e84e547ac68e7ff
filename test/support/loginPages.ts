/** For tests of the page /login: a relay that stores logins in an empty folder, and requests to it over a socket. */
import type { Test } from 'tap'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { openSessions, type StoredSessions } from '../../src/accounts/sessions.ts'
import type { AppOptions } from '../../src/app.ts'
import { createLoginStorage } from '../../src/cli/storedAccounts.ts'
import type { LoginStorage } from '../../src/relay/accountBook.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { folderFor, keeperFor } from './accountsHelper.ts'
import type { Server } from './helper.ts'
import { exchange, type RawAnswer } from './raw.ts'
import { unhurried } from './unhurried.ts'

export interface Household {
  /** How many checks of a named login have arrived at the relay. */
  readonly arrived: () => number
  readonly folder: string
  readonly accounts: Accounts
  readonly sessions: StoredSessions
  readonly options: AppOptions & Required<Pick<AppOptions, 'loginStorage'>>
}

/** A relay's accounts in an empty folder, and the options of a relay that stores logins there. */
export async function householdOf (t: Test, demo: { origin: string }): Promise<Household> {
  const folder = folderFor(t)
  const accounts = await keeperFor(t, folder, demo)
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: demo.origin, ...unhurried }))
  t.teardown(async () => { await runtime.close() })
  const keeper = createLoginStorage(accounts, folder, () => ({ runtime }))
  let arrived = 0
  const counting: LoginStorage = {
    ...keeper,
    async refusal () {
      const refusal = await keeper.refusal()
      arrived++
      return refusal
    }
  }
  const sessions = await openSessions({ folder, secret: '', accounts, log: { error () {} } })
  t.teardown(() => { sessions.close() })
  return { arrived: () => arrived, folder, accounts, sessions, options: {
    accounts, loginStorage: counting, sessions, operatorCode
  } }
}

/** The code of the link that makes a browser the operator's. */
export const operatorCode = 'the-code-of-the-start'

/** The headers with which the operator's browser sends a request of a page of the relay. */
export async function operatorOf ({ sessions }: Pick<Household, 'sessions'>): Promise<readonly string[]> {
  return [`Cookie: music_relay_session=${await sessions.begin({ operator: true })}`, 'Sec-Fetch-Site: same-origin']
}

export const bearer = (secret: string): { headers: Record<string, string> } =>
  ({ headers: { authorization: `Bearer ${secret}` } })

interface How { readonly path?: string, readonly host?: string, readonly version?: string, readonly type?: string }

/** Asks over a socket what the page asks. Returns whether it offers to store the login. */
export async function offers (
  { address }: Pick<Server, 'address'>, headers: readonly string[], { host = '127.0.0.1', version = '1.1' }: How = {}
): Promise<boolean> {
  const lines = [`GET /login/session HTTP/${version}`, `Host: ${host}`, ...headers, 'Connection: close']
  const { answers: [answer] } = await exchange(address, `${lines.join('\r\n')}\r\n\r\n`)
  // A relay that keeps no sessions has no such route.
  if (answer?.status !== 200 && answer?.status !== 404) throw new Error(`the relay answers ${answer?.status}`)
  return (JSON.parse(answer.text) as { storesLogins?: boolean }).storesLogins === true
}

/** Posts to the route over a socket, with the headers of `operator` unless others are given. */
export async function posted (
  { address, operator = [] }: Pick<Server, 'address'> & { readonly operator?: readonly string[] }, body: string,
  headers = operator,
  { path = '/login/account', host = '127.0.0.1', version = '1.1', type = 'application/json' }: How = {}
): Promise<RawAnswer> {
  const own = [`Host: ${host}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [`POST ${path} HTTP/${version}`, ...own, ...headers, 'Connection: close']
  const { answers } = await exchange(address, `${lines.join('\r\n')}\r\n\r\n${body}`)
  return answers[0] as RawAnswer
}

export const codeOf = ({ status, text }: RawAnswer): string => `${status} ${(JSON.parse(text) as { code?: string }).code ?? ''}`
