/** Code for the batch endpoints: one failed element never fails the others, an upstream outage fails the whole batch. */
import type { Context } from '../../core/endpoint.ts'
import { RelayError, isOutage } from '../../common/errors.ts'
import type { Settled } from '../../upstream/calls.ts'

/**
 * Returns one element per result: its value, or the result of `failed` for its error. Throws the first error if every element
 * failed because of an outage, and any error that is a bug. An answer with an error in it is cached briefly.
 */
export function elementsOf<T, F> (
  settled: readonly Settled<T>[],
  { cacheAtMost }: Pick<Context, 'cacheAtMost'>,
  failed: (error: RelayError, index: number) => F
): (T | F)[] {
  const errors = settled.flatMap(({ error }) => error === undefined ? [] : [error])
  const bug = errors.find((error) => !(error instanceof RelayError))
  if (bug !== undefined) throw bug
  if (errors.length > 0 && errors.length === settled.length && errors.every((error) => isOutage(error as RelayError))) throw errors[0]
  if (errors.length > 0) cacheAtMost('brief')
  return settled.map(({ value, error }, index) => error === undefined ? value : failed(error as RelayError, index))
}
