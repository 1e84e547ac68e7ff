/**
 * Whose refusal a stored login holds. A demo or a mirror in place of the upstream (the setting `upstreamOrigin`) refuses logins
 * that it does not know; that must not end them where they were made.
 */
import type { UserInfo } from '../../schemas/config.ts'

/**
 * Returns a login of a file as it counts at this origin: without the refusal of another one. `origin`: empty for the upstream itself, whose
 * refusal counts everywhere.
 */
export function refusalsAt<T extends UserInfo> (origin: string, login: T): T {
  const { state: _, reason: __, refusedBy, ...unrefused } = login.renewal ?? {}
  return refusedBy === undefined || refusedBy === origin ? login : { ...login, renewal: unrefused }
}

// @mutate accounts: accounts accounts-seen
