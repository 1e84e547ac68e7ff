/** Refuses to start a relay that would be open by accident. */
import { ConfigError } from '../common/errors.ts'
import { isLoopbackBind } from './config.ts'
import type { Settings } from './config.ts'

/** Minimum length of an access token where strangers could try all short ones. Characters. */
const shortestToken = 8

/** Throws ConfigError if the owner's account would be open to everybody, or to anybody who guesses a short token. */
export function refuseOpenAccess (settings: Settings): void {
  if (isLoopbackBind(settings)) return
  const { accessToken, subsonicPassword } = settings
  if (settings.useGlobalCookie && accessToken === '' && !settings.allowPublicGlobalCookie) {
    throw new ConfigError(
      'useGlobalCookie: on an address that others can reach it needs accessToken, or allowPublicGlobalCookie if everybody may act with that account.'
    )
  }
  if (subsonicPassword !== '' && subsonicPassword.length < shortestToken) {
    throw new ConfigError(
      `subsonicPassword: on an address that others can reach it needs at least ${shortestToken} characters; openssl rand -hex 8 makes a good one.`
    )
  }
  if (accessToken !== '' && accessToken.length < shortestToken) {
    throw new ConfigError(
      `accessToken: on an address that others can reach it needs at least ${shortestToken} characters; openssl rand -hex 16 makes a good one.`
    )
  }
}
