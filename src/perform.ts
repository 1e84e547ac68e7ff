/** The one pipeline every call of an endpoint goes through, whoever asks. */
import { none, shownPairs } from './cookies.ts'
import type { ResolvedCookie } from './cookies.ts'
import type { AnyEndpoint, Context } from './endpoint.ts'
import { RelayError } from './errors.ts'
import type { Logins } from './login/logins.ts'
import type { Credential } from './provider/credentials.ts'
import type { Exchange, Provider } from './provider/client.ts'
import type { Listener } from './provider/read.ts'

export type { Exchange } from './provider/client.ts'

/** Who asks, and who wants to know how it went. */
export interface Asker {
  readonly credential?: Credential | undefined
  /** The whole cookie, for who wants to see it; calls to the upstream use `credential`. */
  readonly cookie?: ResolvedCookie | undefined
  /** Whom waiting login polls are counted for, like an address. */
  readonly client?: string | undefined
  /** Aborted when the asker leaves: upstream work ends. */
  readonly signal?: AbortSignal | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** What the endpoints of one relay share. */
export interface Shared extends Pick<Context, 'detailSlots' | 'imageOrigin' | 'log'> {
  readonly provider: Provider
  readonly logins: Logins
  readonly exposeGlobalCookie: boolean
  readonly listener: Listener
}

/** Runs an endpoint on input that its own schema has accepted. Throws RelayError; a foreign error is a bug. */
export async function perform (endpoint: AnyEndpoint, input: unknown, asker: Asker, shared: Shared): Promise<unknown> {
  const { credential, cookie = none, signal, client, onExchange } = asker
  if (endpoint.login === 'required' && credential === undefined) {
    throw new RelayError('LOGIN_REQUIRED', 'This endpoint needs a login: pass a cookie with key and account, or scan a login QR code first.')
  }
  const { provider, logins, exposeGlobalCookie, listener, detailSlots, imageOrigin, log } = shared
  const upstream = provider.forRequest({ credential, signal, listener, onExchange })
  try {
    const login = logins.forRequest({ signal, client, onExchange })
    return await endpoint.run(input as never, { upstream, credential, shownCookie: shownPairs(cookie, exposeGlobalCookie), login, detailSlots, imageOrigin, log })
  } finally {
    upstream.end()
  }
}
