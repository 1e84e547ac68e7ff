/** What the batches share: one bad element never fails the others, a dead upstream fails the whole. */
import type { Context } from '../../endpoint.ts'
import { RelayError, isOutage } from '../../errors.ts'
import type { Settled } from '../../provider/upstream.ts'

/** What a promise comes to; a batch goes on when one of its elements fails. */
export async function settle<T> (work: () => T | Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error: error as Error }
  }
}

/**
 * The elements of a batch: values, and what `failed` makes of an error in its place. Throws the first error when
 * every element failed by an outage, and any error that is a bug.
 * With an error in it the answer is kept briefly.
 */
export function elementsOf<T, F> (settled: readonly Settled<T>[], { keepFor }: Pick<Context, 'keepFor'>, failed: (error: RelayError, index: number) => F): (T | F)[] {
  const errors = settled.flatMap(({ error }) => error === undefined ? [] : [error])
  const bug = errors.find((error) => !(error instanceof RelayError))
  if (bug !== undefined) throw bug
  if (errors.length > 0 && errors.length === settled.length && errors.every((error) => isOutage(error as RelayError))) throw errors[0]
  if (errors.length > 0) keepFor('brief')
  return settled.map(({ value, error }, index) => error === undefined ? value : failed(error as RelayError, index))
}
