/** The table of `music-relay accounts`. */
import { spanOf } from '../common/spans.ts'
import { inColumns } from '../doctor/table.ts'
import type { Account } from '../accounts/record.ts'
import { fileStatusOf } from '../accounts/status.ts'

/** Returns one line for each account, below a head, and what to do about each that needs somebody. `now`: milliseconds since the epoch. */
export function accountLines (accounts: readonly Account[], { now, renew }: { readonly now: number, readonly renew: boolean }): string[] {
  const states = accounts.map((account) => fileStatusOf(account, { now, renew }))
  const troubles = states.flatMap(({ name, trouble }) => trouble === undefined ? [] : [`${name}: ${trouble.why}. ${trouble.next}`])
  const ago = (then: number | undefined): string => then === undefined ? 'never' : `${spanOf(now / 1000 - then)} ago`
  const left = ({ expiresAt }: Account): string => expiresAt === undefined ? 'unknown' : expiresAt <= now / 1000 ? 'expired' : spanOf(expiresAt - now / 1000)
  const table = inColumns([
    ['name', 'nickname', 'channel', 'expires in', 'last renewal', 'state', 'keys'],
    ...accounts.map((account, at) => [
      account.name,
      account.nickname ?? '-',
      account.channel ?? '-',
      left(account),
      ago(account.renewedAt),
      states[at]?.state ?? '',
      account.keys.map(keyText).join('; ') || '-'
    ])
  ])
  return troubles.length === 0 ? table : [...table, '', ...troubles]
}

function keyText ({ id, readOnly, noLoginEndpoints, perMinute }: Account['keys'][number]): string {
  const limits = [readOnly ? 'read-only' : '', noLoginEndpoints ? 'no login endpoints' : '', perMinute === undefined ? '' : `${perMinute} a minute`]
    .filter((text) => text !== '')
  return limits.length === 0 ? id : `${id} (${limits.join(', ')})`
}
