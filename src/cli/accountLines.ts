/** The table of `music-relay accounts`. */
import { spanOf } from '../common/spans.ts'
import { inColumns } from '../doctor/table.ts'
import type { Account } from '../accounts/record.ts'

/** Returns one line for each account, below a head. `now`: milliseconds since the epoch. */
export function accountLines (accounts: readonly Account[], now: number): string[] {
  const ago = (then: number | undefined): string => then === undefined ? 'never' : `${spanOf(now / 1000 - then)} ago`
  const left = ({ expiresAt }: Account): string => expiresAt === undefined ? 'unknown' : expiresAt <= now / 1000 ? 'expired' : spanOf(expiresAt - now / 1000)
  return inColumns([
    ['name', 'nickname', 'channel', 'expires in', 'last renewal', 'state', 'keys'],
    ...accounts.map((
      account
    ) => [
      account.name,
      account.nickname ?? '-',
      account.channel ?? '-',
      left(account),
      ago(account.renewedAt),
      stateOf(account),
      account.keys.map(keyText).join('; ') || '-'
    ])
  ])
}

function stateOf ({ uin, state, reason, renewable }: Account): string {
  if (uin === undefined) return 'no login'
  if (state !== 'ok') return `${state} (code ${reason})`
  return renewable ? state : 'cannot be renewed'
}

function keyText ({ id, readOnly, noLoginEndpoints, perMinute }: Account['keys'][number]): string {
  const limits = [readOnly ? 'read-only' : '', noLoginEndpoints ? 'no login endpoints' : '', perMinute === undefined ? '' : `${perMinute} a minute`]
    .filter((text) => text !== '')
  return limits.length === 0 ? id : `${id} (${limits.join(', ')})`
}
