/** Asks a relay as a player does. */
import { createHash } from 'node:crypto'
import type { Server } from './helper.ts'

/** What comes back: HTTP status, and the body without its envelope. */
export interface Played { readonly http: number, readonly headers: Headers, readonly status: 'ok' | 'failed', readonly error: { readonly code: number, readonly message: string }, readonly body: any }

export type Parameters = Readonly<Record<string, string | number>>

export const queryOf = (given: Parameters): string => new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)])).toString()

/** Asks a method in JSON. */
export async function play (server: Server, method: string, given: Parameters = {}, headers: Record<string, string> = {}): Promise<Played> {
  const { status: http, headers: sent, body } = await server.get(`/rest/${method}?${queryOf({ c: 'test', v: '1.16.1', f: 'json', ...given })}`, { headers })
  const { status, error, ...rest } = body?.['subsonic-response'] ?? {}
  return { http, headers: sent, status, error, body: rest }
}

/** Proof by token and salt. */
export function tokenOf (u: string, secret: string, s = 'salt9'): Parameters {
  return { u, t: createHash('md5').update(secret + s).digest('hex'), s }
}
