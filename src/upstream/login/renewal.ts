/**
 * Renews the key of a login. Public clients disagree about the form (2023 to 2026-09), so there is a chain of forms. The old
 * key becomes invalid with the answer, even if the answer is lost: a form is tried only after one that was refused as a form.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import { UpstreamError } from '../../common/errors.ts'
import { loginOf } from './answers.ts'
import { needsValidKey, renewalCalls } from './renewalRequests.ts'
import type { LoginExchange } from './steps.ts'

/**
 * Outcome of a renewal.
 * - `renewal`: the new record, complete. The old key no longer works.
 * - `refused`: the upstream's code. The login has ended; only a new one helps.
 * - `later`: the reason why there is no reliable answer, for the log. The old record may work.
 */
export type RenewalOutcome =
  { readonly renewal: LoginRenewal, readonly refused?: undefined, readonly later?: undefined } |
  { readonly renewal?: undefined, readonly refused: number, readonly later?: undefined } |
  { readonly renewal?: undefined, readonly refused?: undefined, readonly later: string }

/** Codes that mean: log in again. */
const ended: ReadonlySet<number> = new Set([1000, 104400, 104401])
/** Codes about the key alone. A form that needs a valid key returns them for an expired one, which other forms can renew. */
const ofKey: ReadonlySet<number> = new Set([1000, 104401])

/**
 * Codes about the account or its request rate, not about the form: another form would be refused too, or make it worse. 0: the
 * upstream reports success without usable values, so the old key may be invalid.
 */
const notOfForm: ReadonlySet<number> = new Set([0, 2001, 20271, 20272, 20274, 20277, 20278, 20279, 20450, 104604])

/** Renews a login: one request, or one for each form that is refused as a form. Never throws for an upstream failure. */
export async function renewLogin (known: LoginRenewal, exchange: LoginExchange): Promise<RenewalOutcome> {
  let last = 0
  for (const call of renewalCalls(known)) {
    let found
    try {
      found = await exchange.redeem(call, (answer, observer) => ({ status: answer.status, outcome: loginOf(answer, known.loginType, observer, known) }))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return { later: error.outcome }
    }
    const { status, outcome } = found
    if (status !== 200) return { later: `http_${status}` }
    if (outcome === undefined) return { later: 'bad_payload' }
    if (outcome.login !== undefined) {
      // A record of another account must never replace this one.
      if (outcome.login.uin !== known.musicId) return { later: 'other_account' }
      return { renewal: outcome.renewal }
    }
    last = outcome.refused
    if (ended.has(last) && !(needsValidKey(call) && ofKey.has(last))) return { refused: last }
    if (notOfForm.has(last)) break
  }
  return { later: `biz_${last}` }
}

// @mutate renewal: renewal
