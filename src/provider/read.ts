/**
 * The reader for hostile JSON. Two modes only: `need` (absent or of the wrong type ends in a 502 that names the
 * path) and `maybe` (absent gives undefined). Every retyped field and every missing needed one is reported as a
 * finding with its path and types, never its value.
 *
 * Several paths in one call are alternatives: the first one that is not empty counts (text: not "", number kinds:
 * present), because one thing has several names over the upstream's generations.
 *
 * `readAnswer` reads a whole answer, and then also knows what `maybe` fields vanished: those of which no name is there
 * as a key in any row. An empty value is no news; a key that is gone is (docs/decisions/0005-drift.md).
 */
import { UpstreamError } from '../errors.ts'
import type { Ended } from './verdict.ts'

export type Kind = 'text' | 'int' | 'id' | 'number' | 'flag' | 'object' | 'list'

/** What a reader noticed. `seen` is a type (`null`, `string`, `absent` …), never a value. */
export interface Finding { readonly call: string, readonly path: string, readonly expected: Kind, readonly seen: string }

/** Who listens while one answer is read. `declared` is told of every field a reader asks for (used to generate tests). */
export interface Listener {
  finding (finding: Finding): void
  /** Told how each call ended, right after its answer was read. */
  ended? (ended: Ended): void
  declared? (field: Declared): void
}

/** A field as a reader asks for it: its names over the generations, any of which will do. */
export interface Declared { readonly call: string, readonly paths: readonly string[], readonly kind: Kind, readonly mode: 'need' | 'maybe' }

export const deaf: Listener = { finding () {} }

/** Optional fields that were looked for in vain while one answer was read: names by place, in the order they came up. */
type Lacking = Map<string, Map<string, { readonly kind: Kind, readonly paths: readonly string[] }>>

/** A value out of an upstream answer, with the way that led to it. */
export class Answer {
  readonly value: unknown
  readonly path: string
  readonly call: string
  readonly listener: Listener
  readonly lacking: Lacking | undefined

  constructor (value: unknown, call: string, listener: Listener = deaf, path = '', lacking?: Lacking) {
    this.value = value
    this.path = path
    this.call = call
    this.listener = listener
    this.lacking = lacking
  }

  /** The value at a dotted path; undefined when any step is missing. Own keys only. */
  reach (path: string): unknown {
    if (path === '') return this.value
    if (!path.includes('.')) return step(this.value, path)
    return path.split('.').reduce(step, this.value)
  }

  child (value: unknown, path: string): Answer {
    return new Answer(value, this.call, this.listener, this.where(path), this.lacking)
  }

  /** Notes that none of these held a value. Whether they vanished is seen when the answer is read. */
  lacks (kind: Kind, paths: readonly string[]): void {
    if (this.lacking === undefined) return
    let here = this.lacking.get(this.path)
    if (here === undefined) this.lacking.set(this.path, here = new Map())
    const name = paths.length === 1 ? paths[0] as string : paths.join('|')
    if (!here.has(name)) here.set(name, { kind, paths })
  }

  where (path: string): string {
    if (this.path === '') return path
    return path === '' ? this.path : `${this.path}.${path}`
  }
}

function step (value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

function typeName (value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value
}

/** A conversion gives undefined for "absent" and `retyped` for "there, but not what it should be". */
const retyped = Symbol('retyped')
type Converted<T> = T | undefined | typeof retyped

const integerText = /^-?\d{1,15}$/
const idText = /^-?\d{1,20}$/

/** Empty elements of XML, and some empty objects, come as "". */
const isNone = (value: unknown): boolean => value === undefined || value === null || value === ''

const convert = {
  text (value: unknown): Converted<string> {
    if (typeof value === 'string') return value === '' ? undefined : value
    return value === undefined || value === null ? undefined : retyped
  },
  /** Old calls write numbers as text. */
  int (value: unknown): Converted<number> {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value : retyped
    if (typeof value === 'string') return value === '' ? undefined : integerText.test(value) ? Number(value) : retyped
    return value === undefined || value === null ? undefined : retyped
  },
  /** Digits as text: account numbers and list ids may exceed 2^53. 0 and "" stand for none. */
  id (value: unknown): Converted<string> {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? (value === 0 ? undefined : String(value)) : retyped
    if (typeof value === 'string') return value === '' || value === '0' ? undefined : idText.test(value) ? value : retyped
    return value === undefined || value === null ? undefined : retyped
  },
  number (value: unknown): Converted<number> {
    if (typeof value === 'number') return Number.isFinite(value) ? value : retyped
    if (typeof value === 'string' && value.trim() !== '') return Number.isFinite(Number(value)) ? Number(value) : retyped
    return value === undefined || value === null || value === '' ? undefined : retyped
  },
  /** true/false, 1/0, "1"/"0". */
  flag (value: unknown): Converted<boolean> {
    if (value === true || value === 1 || value === '1') return true
    if (value === false || value === 0 || value === '0') return false
    return value === undefined || value === null ? undefined : retyped
  },
  object (value: unknown): Converted<object> {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    return isNone(value) ? undefined : retyped
  },
  list (value: unknown): Converted<unknown[]> {
    if (Array.isArray(value)) return value
    return isNone(value) ? undefined : retyped
  }
}

type ValueOf<K extends Kind> = Exclude<ReturnType<(typeof convert)[K]>, undefined | typeof retyped>

function look<K extends Kind> (mode: 'need' | 'maybe', kind: K, answer: Answer, paths: readonly string[]): { value: ValueOf<K> | undefined, path: string } {
  const listener = answer.listener
  listener.declared?.({ call: answer.call, paths: paths.map((path) => answer.where(path)), kind, mode })
  for (const path of paths) {
    const raw = answer.reach(path)
    const value = convert[kind](raw) as Converted<ValueOf<K>>
    if (value === retyped) listener.finding({ call: answer.call, path: answer.where(path), expected: kind, seen: typeName(raw) })
    else if (value !== undefined && (mode === 'need' || !isEmptyList(value))) return { value, path }
  }
  if (mode === 'maybe') answer.lacks(kind, paths)
  return { value: undefined, path: '' }
}

/** A list under another name may have rows. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function unreadable (kind: Kind, answer: Answer, paths: readonly string[]): UpstreamError {
  const path = answer.where(paths[0] ?? '') || 'answer'
  const raw = answer.reach(paths[0] ?? '')
  const seen = typeName(raw)
  if (convert[kind](raw) !== retyped) answer.listener.finding({ call: answer.call, path, expected: kind, seen })
  return new UpstreamError('UPSTREAM_UNREADABLE', `The upstream answer cannot be read: ${path} should be ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}, and is ${seen}.`, { fault: 'call', call: answer.call, outcome: 'bad_shape' })
}

function needed<K extends Kind> (kind: K, answer: Answer, paths: readonly string[]): { value: ValueOf<K>, path: string } {
  const { value, path } = look('need', kind, answer, paths)
  if (value === undefined) throw unreadable(kind, answer, paths)
  return { value, path }
}

/** What vanished is missing from the first rows too; looking for it in all of a hundred would be felt. */
const rowsWatched = 10

/** Rows that cannot be read are skipped and reported; when every row is bad, the first one's reason is thrown. */
function rows<T> (answer: Answer, list: unknown[], path: string, readRow: (row: Answer, index: number) => T | undefined): T[] {
  const found: T[] = []
  const where = answer.where(`${path}[]`)
  let reason: unknown
  list.forEach((value, index) => {
    try {
      const row = readRow(new Answer(value, answer.call, answer.listener, where, index < rowsWatched ? answer.lacking : undefined), index)
      if (row !== undefined) found.push(row)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      reason ??= error
    }
  })
  if (found.length === 0 && reason !== undefined) throw reason
  return found
}

type Row<T> = (row: Answer, index: number) => T | undefined

/** The field must be there: otherwise UPSTREAM_UNREADABLE, naming the path. */
export const need = {
  text: (answer: Answer, ...paths: string[]): string => needed('text', answer, paths).value,
  int: (answer: Answer, ...paths: string[]): number => needed('int', answer, paths).value,
  id: (answer: Answer, ...paths: string[]): string => needed('id', answer, paths).value,
  at (answer: Answer, ...paths: string[]): Answer {
    const { value, path } = needed('object', answer, paths)
    return answer.child(value, path)
  },
  list<T> (answer: Answer, path: string, readRow: Row<T>): T[] {
    return rows(answer, needed('list', answer, [path]).value, path, readRow)
  }
}

/** The field may be absent: undefined (lists: empty). Of the wrong type counts as absent, and is reported. */
export const maybe = {
  text: (answer: Answer, ...paths: string[]): string | undefined => look('maybe', 'text', answer, paths).value,
  int: (answer: Answer, ...paths: string[]): number | undefined => look('maybe', 'int', answer, paths).value,
  id: (answer: Answer, ...paths: string[]): string | undefined => look('maybe', 'id', answer, paths).value,
  number: (answer: Answer, ...paths: string[]): number | undefined => look('maybe', 'number', answer, paths).value,
  flag: (answer: Answer, ...paths: string[]): boolean | undefined => look('maybe', 'flag', answer, paths).value,
  at (answer: Answer, ...paths: string[]): Answer | undefined {
    const { value, path } = look('maybe', 'object', answer, paths)
    return value === undefined ? undefined : answer.child(value, path)
  },
  /** Rows of the first of these paths that holds a list with rows. */
  list<T> (answer: Answer, paths: string | readonly string[], readRow: Row<T>): T[] {
    const { value, path } = look('maybe', 'list', answer, typeof paths === 'string' ? [paths] : paths)
    return value === undefined ? [] : rows(answer, value, path, readRow)
  },
  /** What stands under an id. That it is not there is an answer, and no news. */
  entry (answer: Answer, key: string): Answer | undefined {
    const { value } = look('maybe', 'object', held(answer, key), ['{}'])
    return value === undefined ? undefined : answer.child(value, '{}')
  }
}

/** The value under a key that is itself a value, like an id, so that paths name `{}` and not the key. */
const held = (answer: Answer, key: string): Answer => new Answer({ '{}': step(answer.value, key) }, answer.call, answer.listener, answer.path)
