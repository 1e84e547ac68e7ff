/** Compares two sets of recordings and lists the changes in the shape of each answer. */
import type { Recording } from './recording.ts'

export interface CallDiff {
  readonly call: string
  /** Paths like `data.list[].id`, with their types. */
  readonly added: readonly { readonly path: string, readonly type: string }[]
  readonly removed: readonly { readonly path: string, readonly type: string }[]
  readonly retyped: readonly { readonly path: string, readonly from: string, readonly to: string }[]
}

export interface Diff {
  /** Calls that only the newer recordings contain. */
  readonly added: readonly string[]
  /** Calls that only the older recordings contain. */
  readonly removed: readonly string[]
  /** Calls in both whose answers differ in shape. */
  readonly changed: readonly CallDiff[]
}

type Recordings = ReadonlyMap<string, Recording>

/** Compares the recordings by call name. Values are ignored: only paths and types count. */
export function diff (older: Recordings, newer: Recordings): Diff {
  const only = (some: Recordings, others: Recordings): string[] => [...some.keys()].filter((call) => !others.has(call))
  const changed = [...older].flatMap(([call, before]) => {
    const after = newer.get(call)
    if (after === undefined) return []
    const found = compare(call, shapeOf(before), shapeOf(after))
    return found.added.length + found.removed.length + found.retyped.length === 0 ? [] : [found]
  })
  return { added: only(newer, older), removed: only(older, newer), changed }
}

/** True if the two sets of recordings do not differ. */
export const isSame = ({ added, removed, changed }: Diff): boolean =>
  added.length + removed.length + changed.length === 0

/** Types by path. All rows of a list share one path. A null does not show the type of a field. */
type Shape = ReadonlyMap<string, ReadonlySet<string>>

function compare (call: string, before: Shape, after: Shape): CallDiff {
  const missing = (from: Shape, to: Shape): { path: string, type: string }[] => [...from]
    .filter(([path]) => !to.has(path) && isKnown(to, parentOf(path)))
    .map(([path, types]) => ({ path, type: written(types) }))
  const retyped = [...before].flatMap(([path, types]) => {
    const [from, to] = [written(types), written(after.get(path) ?? new Set())]
    return from === '' || to === '' || from === to ? [] : [{ path, from, to }]
  })
  return { call, added: missing(after, before), removed: missing(before, after), retyped }
}

/** Whether the fields below this path are known. They are not if the list is empty or the value is null or absent. */
const isKnown = (shape: Shape, path: string | undefined): boolean => {
  const types = path === undefined ? undefined : shape.get(path)
  if (path === undefined) return true
  return types?.has('object') === true || !path.endsWith('[]') && types?.has('list') === true && shape.has(`${path}[]`)
}

function parentOf (path: string): string | undefined {
  if (path === '') return undefined
  if (path.endsWith('[]')) return path.slice(0, -2)
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : ''
}

const written = (types: ReadonlySet<string>): string => [...types].filter((type) => type !== 'null').sort().join('|')

function shapeOf ({ ask, answer }: Recording): Shape {
  const shape = new Map<string, Set<string>>()
  const asked = textsIn(ask)
  const walk = (value: unknown, path: string): void => {
    const types = shape.get(path) ?? new Set()
    shape.set(path, types.add(typeOf(value)))
    if (Array.isArray(value)) for (const row of value) walk(row, `${path}[]`)
    else if (typeof value === 'object' && value !== null) {
      // A key that occurs in the request is an id. The next recording may have another id there.
      for (const [key, held] of Object.entries(value)) {
        walk(held, [path, asked.has(key) ? '{}' : key].filter(Boolean).join('.'))
      }
    }
  }
  walk(answer, '')
  return shape
}

function textsIn (value: unknown): Set<string> {
  if (typeof value === 'object' && value !== null) {
    return new Set(Object.values(value).flatMap((held) => [...textsIn(held)]))
  }
  return new Set(typeof value === 'string' || typeof value === 'number' ? [String(value)] : [])
}

function typeOf (value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
