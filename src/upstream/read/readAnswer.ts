/** Reads one whole answer, then reports optional fields that vanished from it. */
import { UpstreamError } from '../../common/errors.ts'
import { Answer } from './read.ts'
import type { UpstreamObserver } from './observer.ts'
import type { UpstreamCall } from '../calls.ts'

/** Runs a call's reader on its answer and returns the result. Throws the errors of the reader. */
export function readAnswer<T> (
  call: Pick<UpstreamCall<T>, 'name' | 'read' | 'optionalFields'>,
  value: unknown,
  observer: UpstreamObserver
): T {
  const { name, read, optionalFields = [] } = call
  observer.answered?.(call, value)
  const answer = new Answer(value, name, observer, '', new Map())
  try {
    const result = read(answer)
    tellVanished(answer, optionalFields)
    return result
  } catch (error) {
    // A "not found" answer has other fields, and any caller can cause one.
    if (error instanceof UpstreamError && error.code !== 'NOT_FOUND') tellVanished(answer, optionalFields)
    throw error
  }
}

/**
 * Reports vanished fields: fields without any of their names in any object that should have them. A field that only
 * some rows have is simply optional. So are empty values, and fields of objects that the upstream left empty.
 */
function tellVanished (
  { value, call, missing = new Map(), observer }: Answer,
  optionalFields: readonly string[]
): void {
  for (const [place, fields] of missing) {
    for (const { kind, paths } of fields.values()) {
      const path = place === '' ? paths[0] as string : `${place}.${paths[0]}`
      if (isExpected(path, optionalFields)) continue
      const names = paths.map((name) => name.split('.'))
      if (!somewhere(value, stepsOf(place), (row) => names.some((steps) => carries(row, steps)))) {
        observer.finding({ call, path, expected: kind, seen: 'absent' })
      }
    }
  }
}

const isExpected = (path: string, optionalFields: readonly string[]): boolean =>
  optionalFields.some((known) => known.endsWith('*') ? path.startsWith(known.slice(0, -1)) : path === known)

const stepsOf = (place: string): string[] => place.replaceAll('[]', '.[]').split('.').filter(Boolean)

/** Whether the test holds for any value at a path like `data.list[].singer[]`. */
function somewhere (value: unknown, [step, ...rest]: readonly string[], test: (row: unknown) => boolean): boolean {
  if (step === undefined) return test(value)
  if (typeof value !== 'object' || value === null) return false
  if (step === '[]') return Array.isArray(value) && value.some((row) => somewhere(row, rest, test))
  if (step === '{}') return Object.values(value).some((row) => somewhere(row, rest, test))
  return Object.hasOwn(value, step) && somewhere((value as Record<string, unknown>)[step], rest, test)
}

/** Whether the key exists, or an object on its path is empty (null, "", []), which is how this upstream says "none". */
function carries (value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || step === '') return value !== undefined
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return carries((value as Record<string, unknown>)[step], rest)
}

// @mutate readers: reading drift
