/** Promise outcomes as values, for work that continues when a part of it fails. */
import type { Settled } from './calls.ts'

/** Returns the promise's value or error. Never rejects. */
export async function settle<T> (work: Promise<T>): Promise<Settled<T>> {
  return await work.then((value) => ({ value }), (error: unknown) => ({ error: error as Error }))
}

/** Returns the value, or throws the error. */
export function valueOf<T> ({ value, error }: Settled<T>): T {
  if (error !== undefined) throw error
  return value as T
}
