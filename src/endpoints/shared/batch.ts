/** What the batches share: one bad element never fails the others, a dead upstream fails the whole. */
import type { Context } from '../../endpoint.ts'
import { RelayError } from '../../errors.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import type { Settled } from '../../provider/upstream.ts'

/** What a promise comes to; a batch goes on when one of its elements fails. */
export async function settle<T> (work: () => T | Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error: error as Error }
  }
}

/** The upstream could not be reached, not be read, or was too slow; says nothing about the element asked for. */
const down: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREADABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_PAUSED', 'OVERLOADED'])

/**
 * The elements of a batch: values, and what `failed` makes of an error in its place. Throws the first error when
 * every element failed because the upstream was down, and any error that is a bug.
 * With an error in it the answer is kept briefly.
 */
export function elementsOf<T, F> (settled: readonly Settled<T>[], { keepFor }: Pick<Context, 'keepFor'>, failed: (error: RelayError, index: number) => F): (T | F)[] {
  const errors = settled.flatMap(({ error }) => error === undefined ? [] : [error])
  const bug = errors.find((error) => !(error instanceof RelayError))
  if (bug !== undefined) throw bug
  if (errors.length > 0 && errors.length === settled.length && errors.every((error) => down.has((error as RelayError).code))) throw errors[0]
  if (errors.length > 0) keepFor('brief')
  return settled.map(({ value, error }, index) => error === undefined ? value : failed(error as RelayError, index))
}
