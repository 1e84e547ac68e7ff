/** The functions of the library, as types made of the registry. */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { AudioStream, CallOptions } from '../common/callOptions.ts'
import type { Registry } from '../endpoints/index.ts'

type InputOf<K extends keyof Registry> =
  Registry[K] extends { readonly input: infer I extends TObject } ? Static<I> : never

/** What `stream` returns is no record: the bytes that its record leads to. */
type RecordOf<K extends keyof Registry> = K extends 'stream'
  ? AudioStream
  : Registry[K] extends { readonly record: infer R extends TSchema } ? Static<R> : never

/** A function for every endpoint. Each takes its input and, beside it, the options of the call. */
export type RelayFunctions = {
  [K in keyof Registry]: (
    ...given: Record<never, never> extends InputOf<K>
      ? [input?: InputOf<K> | undefined, options?: CallOptions | undefined]
      : [input: InputOf<K>, options?: CallOptions | undefined]
  ) => Promise<RecordOf<K>>
}

/** What both `createRelay` and `createClient` return. */
export interface Relay extends RelayFunctions {
  /** Ends upstream work and closes its connections; of a client, ends its calls. */
  close (): Promise<void>
}
