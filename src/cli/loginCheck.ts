/** Whether logins are alive, for the doctor: /account is asked once for each. Nothing is renewed or stored. */
import type { AccountState } from '../../schemas/accountState.ts'
import { RelayError } from '../common/errors.ts'
import { createRelay, type RelayOptions } from '../library/relay.ts'

/** What the provider says of a login, without the person. */
export type LoginState = Pick<AccountState, 'alive' | 'vip'>

/** Returns what the provider says of the login of a cookie; undefined if it says nothing. */
export type CheckLogin = (cookie: string) => Promise<LoginState | undefined>

/** Logins are asked about one after the other: many at once from one address look like a robot. */
export function createLoginCheck (options: RelayOptions, signal: AbortSignal): { readonly check: CheckLogin, readonly close: () => Promise<void> } {
  const relay = createRelay(options)
  let last: Promise<unknown> = Promise.resolve()
  const checkNow = async (cookie: string): Promise<LoginState | undefined> => {
    try {
      const { alive, vip } = await relay.account({}, { cookie, signal })
      return { alive, vip }
    } catch (error) {
      // The table of calls says why.
      if (error instanceof RelayError) return undefined
      throw error
    }
  }
  return {
    check: async (cookie) => {
      const answer = last.then(async () => await checkNow(cookie))
      last = answer.catch(() => undefined)
      return await answer
    },
    close: relay.close
  }
}

/** Returns the login and its subscription, a word or two for each; "" for what is not known. */
export function loginInWords (state: LoginState | undefined): readonly [login: string, subscription: string] {
  if (state === undefined) return ['', '']
  const { alive, vip } = state
  return [alive ? 'alive' : 'ended', vip === null ? '' : !vip.member ? 'none' : vip.until === '' ? 'yes' : `until ${vip.until}`]
}
