/** Reads one whole answer, and notices at its end which optional fields vanished from it. */
import { UpstreamError } from '../errors.ts'
import { Answer } from './read.ts'
import type { Listener } from './read.ts'
import type { UpstreamCall } from './upstream.ts'

/** Gives an answer to its call's reader. */
export function readAnswer<T> ({ name, read, sometimes = [] }: Pick<UpstreamCall<T>, 'name' | 'read' | 'sometimes'>, value: unknown, listener: Listener): T {
  const answer = new Answer(value, name, listener, '', new Map())
  try {
    const result = read(answer)
    tellVanished(answer, sometimes)
    return result
  } catch (error) {
    // "There is no such thing" comes with other fields than the thing, and anybody can ask for such things.
    if (error instanceof UpstreamError && error.code !== 'NOT_FOUND') tellVanished(answer, sometimes)
    throw error
  }
}

/**
 * A field vanished when none of its names is a key of any object that should have it. Rows without it beside rows that
 * have it are how optional fields are; so are empty values, and objects that the upstream left empty.
 */
function tellVanished ({ value, call, lacking = new Map(), listener }: Answer, sometimes: readonly string[]): void {
  for (const [place, fields] of lacking) {
    for (const { kind, paths } of fields.values()) {
      const path = place === '' ? paths[0] as string : `${place}.${paths[0]}`
      if (isExpected(path, sometimes)) continue
      const names = paths.map((name) => name.split('.'))
      if (!somewhere(value, stepsOf(place), (row) => names.some((steps) => carries(row, steps)))) listener.finding({ call, path, expected: kind, seen: 'absent' })
    }
  }
}

const isExpected = (path: string, sometimes: readonly string[]): boolean =>
  sometimes.some((known) => known.endsWith('*') ? path.startsWith(known.slice(0, -1)) : path === known)

const stepsOf = (place: string): string[] => place.replaceAll('[]', '.[]').split('.').filter(Boolean)

/** Whether the test holds for any value at a place like `data.list[].singer[]`. */
function somewhere (value: unknown, [step, ...rest]: readonly string[], test: (row: unknown) => boolean): boolean {
  if (step === undefined) return test(value)
  if (typeof value !== 'object' || value === null) return false
  if (step === '[]') return Array.isArray(value) && value.some((row) => somewhere(row, rest, test))
  if (step === '{}') return Object.values(value).some((row) => somewhere(row, rest, test))
  return Object.hasOwn(value, step) && somewhere((value as Record<string, unknown>)[step], rest, test)
}

/** Whether the key is there, or an object on the way is empty (null, "", []), which is this upstream's way to say none. */
function carries (value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || step === '') return value !== undefined
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return carries((value as Record<string, unknown>)[step], rest)
}
