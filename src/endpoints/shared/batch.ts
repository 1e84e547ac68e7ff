/** What the batches share: one bad element never fails the others, a dead upstream fails the whole. */
import { RelayError } from '../../errors.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import type { Settled } from '../../provider/upstream.ts'

/** The upstream could not be reached, not be read, or was too slow; says nothing about the element asked for. */
const down: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREADABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_PAUSED', 'OVERLOADED'])

/**
 * The elements of a batch: values, and what `failed` makes of an error in its place. Throws the first error when
 * every element failed because the upstream was down, and any error that is a bug.
 */
export function elementsOf<T, F> (settled: readonly Settled<T>[], failed: (error: RelayError, index: number) => F): (T | F)[] {
  const errors = settled.flatMap(({ error }) => error === undefined ? [] : [error])
  const bug = errors.find((error) => !(error instanceof RelayError))
  if (bug !== undefined) throw bug
  if (errors.length > 0 && errors.length === settled.length && errors.every((error) => down.has((error as RelayError).code))) throw errors[0]
  return settled.map(({ value, error }, index) => error === undefined ? value : failed(error as RelayError, index))
}
