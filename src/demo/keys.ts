import { createHash } from 'node:crypto'
import { accountNamed, accounts, type AccountName, type Registered } from './accounts.ts'

/** Life of a music key in seconds: three days, `keyExpiresIn` of a login record. */
export const keyLife = 259_200
/**
 * Life of the tokens that a renewal needs, in seconds from the login: 60 days in a cookie of 2025, 90 in older ones.
 */
const tokenLife = 5_184_000
/** How long a replaced key is valid for one more renewal if the upstream tolerates it, in milliseconds (*assumed*). */
const forgivenMs = 3_600_000

/** The result of a login or a renewal. Times are in seconds since the epoch. `refreshKey` is empty after a login. */
export interface Grant { key: string, created: number, tokensUntil: number, refreshKey: string }

/** The current key of an account. Times are in milliseconds since the epoch. */
export interface KeyState { key: string, created: number, expires: number, valid: boolean, renewals: number }

/** The keys of a demo, for tests. */
export interface KeyVerbs {
  of: (name: AccountName) => KeyState
  /** Whether any account has this key and the upstream accepts it. */
  valid: (key: string) => boolean
  /** Invalidates the account's key early, as after a login elsewhere. It can be renewed. */
  kill: (name: AccountName) => void
  /** Invalidates the account's key and its tokens. Only a login helps. */
  revoke: (name: AccountName) => void
}

/** The music keys of one demo's accounts. Each account has one key at a time. */
export interface Keys extends KeyVerbs {
  /**
   * Logs in. Returns the account's key, a new one if it has expired, and fresh tokens. The account `expired` gets an
   * expired key.
   */
  login: (account: Registered) => Grant
  /**
   * Returns the refusal of a renewal: 104400 for expired tokens, 104401 for a key or a refresh key that is not the
   * current one.
   */
  refusal: (account: Registered, key: string, refreshKey: string) => 104400 | 104401 | undefined
  /**
   * Gives the account a new key and invalidates the old one. `keepRefreshKey`: no new refresh key, the old one stays
   * valid.
   */
  renew: (account: Registered, key: string, keepRefreshKey?: boolean) => Grant
  /** Renews every account, until `restoreAll` restores the keys that were not renewed since. */
  renewAll: () => void
  restoreAll: () => void
  /** Whether this is the account's key and has not expired. */
  holds: (account: Registered, key: string) => boolean
  /** Makes all keys expired, including the current ones, until this is called with false. */
  expireAll: (expired: boolean) => void
  /** Accepts a replaced key for a renewal for one more hour, until this is called with false. */
  forgive: (forgiving: boolean) => void
}

/**
 * `refreshKeys`: the refresh keys that a renewal of this key may send. An empty one is valid for the first renewal
 * after a login.
 */
interface Held { key: string, created: number, dead: boolean, refreshKeys: readonly string[] }
interface State {
  current: Held
  before?: Held
  replaced: number
  count: number
  renewals: number
  tokensFrom: number
  revoked: boolean
}

const refreshKeyOf = (key: string): string => createHash('md5').update(`refresh ${key}`).digest('hex').toUpperCase()

/** Creates the keys of all accounts. A later key differs from the first one in its last five characters. */
export function buildKeys ({ now }: { now: () => number }): Keys {
  const seconds = (): number => Math.floor(now() / 1000)
  const started = seconds()
  const states = new Map(accounts().map(({ uin, key, name }): [string, State] => {
    const created = name === 'expired' ? started - keyLife : started
    return [uin, {
      current: { key, created, dead: false, refreshKeys: [''] },
      replaced: 0,
      count: 0,
      renewals: 0,
      tokensFrom: started,
      revoked: false
    }]
  }))
  const swapped = new Map<State, { old: Held, made: Held }>()
  let allExpired = false
  let forgiving = false

  function stateOf ({ uin }: Registered): State {
    const state = states.get(uin)
    if (!state) throw new RangeError(`no account ${uin}`)
    return state
  }
  const alive = ({ created, dead }: Held): boolean => !allExpired && !dead && seconds() < created + keyLife
  const granted = ({ current: { key, created }, tokensFrom }: State, refreshKey: string): Grant => ({
    key,
    created,
    tokensUntil: tokensFrom + tokenLife,
    refreshKey
  })

  function replace (account: Registered, refreshKeys?: readonly string[]): string {
    const state = stateOf(account)
    state.count += 1
    const key = `${account.key.slice(0, -5)}r${String(state.count).padStart(4, '0')}`
    state.current = { key, created: seconds(), dead: false, refreshKeys: refreshKeys ?? [refreshKeyOf(key)] }
    return key
  }

  return {
    login: (account) => {
      const state = stateOf(account)
      Object.assign(state, { tokensFrom: seconds(), revoked: false })
      const { created, dead } = state.current
      if ((dead || seconds() >= created + keyLife) && account.name !== 'expired') replace(account)
      state.current.refreshKeys = [...new Set(['', ...state.current.refreshKeys])]
      return granted(state, '')
    },
    refusal: (account, key, refreshKey) => {
      const { current, before, replaced, tokensFrom, revoked } = stateOf(account)
      if (revoked || seconds() >= tokensFrom + tokenLife) return 104400
      const candidates = before && forgiving && now() < replaced + forgivenMs ? [current, before] : [current]
      return candidates.some((held) => held.key === key && held.refreshKeys.includes(refreshKey)) ? undefined : 104401
    },
    renew: (account, key, keepRefreshKey = false) => {
      const state = stateOf(account)
      const { current } = state
      // A tolerated key stays tolerated: its owner may lose the next answer too.
      if (current.key === key) Object.assign(state, { before: current, replaced: now() })
      const made = replace(account, keepRefreshKey ? current.refreshKeys : undefined)
      state.renewals += 1
      return granted(state, keepRefreshKey ? '' : refreshKeyOf(made))
    },
    renewAll: () => {
      for (const account of accounts()) {
        const state = stateOf(account)
        const old = state.current
        replace(account)
        swapped.set(state, { old, made: state.current })
      }
    },
    restoreAll: () => {
      for (const [state, { old, made }] of swapped) if (state.current === made) state.current = old
      swapped.clear()
    },
    holds: (account, key) => {
      const { current } = stateOf(account)
      return key === current.key && alive(current)
    },
    expireAll: (expired) => { allExpired = expired },
    forgive: (forgives) => { forgiving = forgives },
    of: (name) => {
      const { current, renewals } = stateOf(accountNamed(name))
      return {
        key: current.key,
        created: current.created * 1000,
        expires: (current.created + keyLife) * 1000,
        valid: alive(current),
        renewals
      }
    },
    valid: (key) => [...states.values()].some(({ current }) => current.key === key && alive(current)),
    kill: (name) => { stateOf(accountNamed(name)).current.dead = true },
    revoke: (name) => {
      const state = stateOf(accountNamed(name))
      state.current.dead = true
      state.revoked = true
    }
  }
}
