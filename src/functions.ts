/** The functions of a relay, whoever carries them out: this process (relay.ts) or another one (client.ts). */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { AnyEndpoint } from './endpoint.ts'
import { registry } from './endpoints/index.ts'
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

/** A function for every endpoint of the registry, under its name. `call` gets the input as it was given. */
export function bindFunctions (call: (name: string, endpoint: AnyEndpoint, input: unknown, options: CallOptions) => Promise<unknown>): RelayFunctions {
  const functions = Object.entries(registry as Record<string, AnyEndpoint>).map(([name, endpoint]) =>
    [name, async (input: unknown = {}, options: CallOptions = {}) => await call(name, endpoint, input, options)])
  return Object.fromEntries(functions) as unknown as RelayFunctions
}
