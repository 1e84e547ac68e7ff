/**
 * Lets the compiler prove that the declarations of the package equal the schemas (packed.js). Never run. An error names
 * the difference: correct build/types.ts.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { LoginRenewal as loginRenewal, ServiceConfig as serviceConfig } from '../../schemas/config.ts'
import type { ErrorBody as errorBody, errorCodes } from '../../schemas/errors.ts'
import type { Registry } from '../../src/endpoints/index.ts'
import type {
  AudioStream, CallOptions, ErrorBody, ErrorCode, LoginRenewal, NoInput, RelayFunctions, ServiceConfig
} from 'music-relay'

/** Whether two types are identical, including optional fields. Assignability in both directions would miss those. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

type InputOf<K extends keyof Registry> =
  Registry[K] extends { readonly input: infer I extends TObject } ? Static<I> : never
/** What `stream` returns is no record: the bytes that its record leads to. */
type RecordOf<K extends keyof Registry> = K extends 'stream' ? AudioStream : Registry[K] extends {
  readonly record: infer R extends TSchema
} ? Static<R> : never
/** An optional parameter may be `undefined`, too, which an element of a tuple says itself under `exactOptionalPropertyTypes`. */
type ArgumentsOf<I> = Record<never, never> extends I ? [input?: I | undefined, options?: CallOptions | undefined] : [
  input: I, options?: CallOptions | undefined
]

/** Names of the functions whose arguments or result differ from their endpoint. Records are compared in full depth. */
type Different = {
  [K in keyof Registry | keyof RelayFunctions]: K extends keyof Registry & keyof RelayFunctions
    ? Same<Parameters<RelayFunctions[K]>, ArgumentsOf<InputOf<K>>> extends true
      ? Same<ReturnType<RelayFunctions[K]>, Promise<RecordOf<K>>> extends true ? never : `${K}: record`
      : `${K}: input`
    : K
}[keyof Registry | keyof RelayFunctions]

const functions: [Different] extends [never] ? true : Different = true
const settings: Same<ServiceConfig, Static<typeof serviceConfig>> = true
const renewal: Same<LoginRenewal, Static<typeof loginRenewal>> = true
const failures: Same<ErrorBody, Static<typeof errorBody>> = true
const codes: Same<ErrorCode, keyof typeof errorCodes> = true
/** Proves that the comparison notices an optional field, and one that may also be `undefined`: TypeScript 5 took that for the same. */
const optional: Same<{ list: { a?: string }[] }, { list: { a: string }[] }> = false
const absent: Same<{ list: { a?: string }[] }, { list: { a?: string | undefined }[] }> = false
const missing: Same<{ a: string, b?: string }, { a: string }> = false
const wider: Same<{ a: { b: 'x' | 'y' } }, { a: { b: 'x' } }> = false
const nothing: Same<NoInput, InputOf<'getHotkey'>> = true
void [functions, settings, renewal, failures, codes, optional, absent, missing, wider, nothing]
