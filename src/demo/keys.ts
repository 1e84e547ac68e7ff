import type { Registered } from './accounts.ts'

/** The music keys of one demo's accounts. Each account has one key at a time. */
export interface Keys {
  /** The key that the upstream accepts now. A login gets it. */
  current: (account: Registered) => string
  /** Gives the account a new key, as a renewal does. The old one dies. Returns the new one. */
  renew: (account: Registered) => string
  /** Does so for every account, until `restoreAll` gives them their first keys again. */
  renewAll: () => void
  restoreAll: () => void
  /** Whether this is the account's key and has not expired. The first key of the account `expired` has. */
  holds: (account: Registered, key: string) => boolean
  /** Every key has expired, the current ones, too, until this is called with false. */
  expireAll: (expired: boolean) => void
}

/** A renewed key differs from the first one in its last five characters. */
export function buildKeys (): Keys {
  const renewals = new Map<string, number>()
  let renewalsOfAll = 0
  let allExpired = false

  const countOf = ({ uin }: Registered): number => renewalsOfAll + (renewals.get(uin) ?? 0)
  const current = (account: Registered): string => {
    const { key } = account
    const count = countOf(account)
    return count === 0 ? key : `${key.slice(0, -5)}r${String(count).padStart(4, '0')}`
  }
  return {
    current,
    renew: (account) => {
      renewals.set(account.uin, (renewals.get(account.uin) ?? 0) + 1)
      return current(account)
    },
    renewAll: () => { renewalsOfAll += 1 },
    restoreAll: () => {
      renewalsOfAll = 0
      renewals.clear()
    },
    holds: (account, key) => !allExpired && key === current(account) && (account.name !== 'expired' || countOf(account) > 0),
    expireAll: (expired) => { allExpired = expired }
  }
}
