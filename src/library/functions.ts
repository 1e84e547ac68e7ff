/** The functions of a relay, which run in this process (relay.ts) or over HTTP (httpClient.ts). */
import type { CallOptions } from '../common/callOptions.ts'
import { RelayError } from '../common/errors.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { registry } from '../endpoints/index.ts'
import type { RelayFunctions } from './types.ts'

/** Returns a function for each endpoint, under its name. `call` gets the input unchanged. */
export function bindFunctions (
  call: (name: string, endpoint: AnyEndpoint, input: unknown, options: CallOptions) => Promise<unknown>
): RelayFunctions {
  const functions = Object.entries(registry as Record<string, AnyEndpoint>).map(([name, endpoint]) =>
    [name, async (input: unknown = {}, options: CallOptions = {}) => {
      try {
        return await call(name, endpoint, input, options)
      } catch (error) {
        // The error was created without a stack. This one shows the caller. Not every browser has this function.
        if (error instanceof RelayError) (Error as Partial<typeof Error>).captureStackTrace?.(error)
        throw error
      }
    }])
  return Object.fromEntries(functions) as unknown as RelayFunctions
}
