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
    // "There is no such thing" comes with other fields than the thing.
    if (error instanceof UpstreamError && error.code === 'UPSTREAM_UNREADABLE') tellVanished(answer, sometimes)
    throw error
  }
}

/**
 * A field vanished when none of its names is a key of any object that should have it. Rows without it beside rows that
 * have it are how optional fields are; so are empty values, and objects that the upstream left empty.
 */
function tellVanished ({ value, call, lacking = new Map(), listener }: Answer, sometimes: readonly string[]): void {
  for (const [place, fields] of lacking) {
    const rows = placesAt(value, place)
    for (const { kind, paths } of fields.values()) {
      const path = [place, paths[0]].filter(Boolean).join('.')
      if (isExpected(path, sometimes)) continue
      const names = paths.map((name) => name.split('.'))
      if (!rows.some((row) => names.some((steps) => carries(row, steps)))) listener.finding({ call, path, expected: kind, seen: 'absent' })
    }
  }
}

const isExpected = (path: string, sometimes: readonly string[]): boolean =>
  sometimes.some((known) => known.endsWith('*') ? path.startsWith(known.slice(0, -1)) : path === known)

/** The values at a place like `data.list[].singer[]`. */
function placesAt (value: unknown, place: string): unknown[] {
  let values = [value]
  for (const step of place.replaceAll('[]', '.[]').split('.').filter(Boolean)) {
    values = values.flatMap((one) => {
      if (typeof one !== 'object' || one === null) return []
      if (step === '[]') return Array.isArray(one) ? one : []
      return step === '{}' ? Object.values(one) : Object.hasOwn(one, step) ? [(one as Record<string, unknown>)[step]] : []
    })
  }
  return values
}

/** Whether the key is there, or an object on the way is empty (null, "", []), which is this upstream's way to say none. */
function carries (value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || step === '') return value !== undefined
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return carries((value as Record<string, unknown>)[step], rest)
}
