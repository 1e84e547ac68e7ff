import { account } from '../../../endpoints/user/account.ts'
import { noteMissing } from '../failures.ts'
import { method, noInput } from '../method.ts'
import { mayUseLogin } from '../users.ts'

/** Players request it each time they start, so it is cached per account. */
const accountState = { ...account, cache: 'lively' as const }

/** Returns the last second of a day in China. */
const endOf = (day: string): string => new Date(`${day}T23:59:59+08:00`).toISOString()

export const getLicense = method({
  summary: 'The login and the subscription of the account: `valid` is false if the provider no longer accepts the login, and `licenseExpires` is the end of the larger subscription.',
  missing: 'Without a login, or if the provider does not answer, `valid` is true.',
  input: noInput,

  async run (_input, { user: { identity }, call, log }) {
    if (!mayUseLogin(identity)) return { license: { valid: true } }
    try {
      const { alive, vip } = await call(accountState, {})
      return { license: { valid: alive, ...vip === null || vip.until === '' ? {} : { licenseExpires: endOf(vip.until) } } }
    } catch (error) {
      noteMissing(error, log, 'the state of the account is not known')
      return { license: { valid: true } }
    }
  }
})

// @mutate OpenSubsonic: opensubsonic-account
