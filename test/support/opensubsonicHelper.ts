/** Asks any relay as a player does, with proofs of any user. */
import type { Server } from './helper.ts'
import { queryOf, token } from './opensubsonicPlayer.ts'
import type { Parameters } from './opensubsonicPlayer.ts'

/** What comes back: HTTP status, and the body without its envelope. */
export interface Played { readonly http: number, readonly headers: Headers, readonly status: 'ok' | 'failed', readonly error: { readonly code: number, readonly message: string }, readonly body: any }

/** Asks a method in JSON. */
export async function play (server: Server, method: string, given: Parameters = {}, headers: Record<string, string> = {}): Promise<Played> {
  const { status: http, headers: sent, body } = await server.get(`/rest/${method}?${queryOf({ c: 'test', v: '1.16.1', f: 'json', ...given })}`, { headers })
  const { status, error, ...rest } = body?.['subsonic-response'] ?? {}
  return { http, headers: sent, status, error, body: rest }
}

/** Proof by token and salt. */
export const tokenOf = (u: string, secret: string, salt = 'salt9'): { readonly u: string, readonly t: string, readonly s: string } => ({ u, ...token(salt, secret) })
