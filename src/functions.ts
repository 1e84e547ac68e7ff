/** The one type of a relay's functions, whoever carries them out: this process (relay.ts) or another one (client.ts). */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Registry } from './endpoints/index.ts'

/** What one call may bring besides its input. */
export interface CallOptions {
  /** Cookie text of the account that asks; neutral or upstream spelling. */
  readonly cookie?: string
  /** Ends the call early with UPSTREAM_TIMEOUT; `AbortSignal.timeout(ms)` is a deadline. */
  readonly signal?: AbortSignal
}

type InputOf<E> = E extends { readonly input: infer I extends TObject } ? Static<I> : never
type RecordOf<E> = E extends { readonly record: infer R extends TSchema } ? Static<R> : never
type Call<I, R> = Record<never, never> extends I ? (input?: I, options?: CallOptions) => Promise<R> : (input: I, options?: CallOptions) => Promise<R>

/** `getLyric({ songmid })` and all others. Each throws RelayError with `code` and `statusCode`. */
export type RelayFunctions = { readonly [K in keyof Registry]: Call<InputOf<Registry[K]>, RecordOf<Registry[K]>> }

/** What both `createRelay` and `createClient` give. */
export interface Relay extends RelayFunctions {
  /** Ends upstream work and closes its connections; of a client, ends its calls. */
  close (): Promise<void>
}
