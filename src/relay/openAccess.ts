/** Refuses to start a relay that would be open by accident. */
import { ConfigError } from '../common/errors.ts'
import { isLoopbackBind, variableOf, type Settings } from './settings.ts'

/** Minimum length of an access token where strangers could try all short ones. Characters. */
const shortestToken = 8

/** Where settings are set. */
export interface SettingsPlace {
  /** Path of the settings file, which may not exist. */
  readonly file: string
  /** Returns the variable to set, for its name without prefix. */
  readonly variable: (name: string) => string
}

/** Throws ConfigError if the owner's account would be open to everybody, or to anybody who guesses a short token. */
export function refuseOpenAccess (settings: Settings, { file, variable }: SettingsPlace): void {
  if (isLoopbackBind(settings)) return
  const { accessToken, subsonicPassword } = settings
  const set = (key: string): string => `Set ${variable(variableOf(key) ?? key)}, or ${key} in ${file}`
  if (settings.useGlobalCookie && accessToken === '' && !settings.allowPublicGlobalCookie) {
    throw new ConfigError(`useGlobalCookie: on an address that others can reach it needs accessToken. ${
      set('accessToken')
    }. Or, if everybody may act with that account: ${variable('ALLOW_PUBLIC_GLOBAL_COOKIE')}=true`)
  }
  for (
    const [key, value, bytes] of [['subsonicPassword', subsonicPassword, 8], ['accessToken', accessToken, 16]] as const
  ) {
    if (value === '' || value.length >= shortestToken) continue
    throw new ConfigError(
      `${key}: on an address that others can reach it needs at least ${shortestToken} characters. ${set(key)}. This makes a good one: openssl rand -hex ${bytes}`
    )
  }
}
