/**
 * The reader for untrusted JSON. It has two modes. `need`: a field that is absent or of the wrong type leads to a 502
 * that names its path. `maybe`: an absent field is undefined. Every retyped field and every missing `need` field is
 * reported as a finding with its path and types, never with its value.
 *
 * Several paths in one call are alternatives, because a field has several names over the upstream's generations. The
 * first one that is not empty counts (text: not "", number kinds: present).
 *
 * `readAnswer` reads a whole answer and also reports `maybe` fields that vanished: no row has any of their names as a
 * key. An empty value is normal; a missing key is a finding (docs/decisions.md#0005).
 */
import { UpstreamError } from '../../common/errors.ts'
import { noopObserver, type FieldKind, type UpstreamObserver } from './observer.ts'
import { badShape } from './decode.ts'

/**
 * Limits for reading one answer. A hostile answer would otherwise block the process: three hundred thousand unreadable
 * rows took 2.6 s. Real answers have some thousand rows.
 */
const most = { rows: 20_000, refusedRows: 1000, findings: 1000 } as const

/** Counts the work of reading one answer. */
class ReadingWork {
  private rows = 0
  private refusedRows = 0
  private findings = 0

  /**
   * Counts rows that will be read. Throws UpstreamError (UPSTREAM_UNREADABLE) if they are too many. `call` is only a
   * label.
   */
  addRows (count: number, call: string): void {
    this.rows += count
    if (this.rows > most.rows) {
      throw badShape(call, 'it has too many rows')
    }
  }

  /** Counts a row that cannot be read. Throws `reason` if there are too many. */
  addRefusedRow (reason: unknown): void {
    if (++this.refusedRows > most.refusedRows) throw reason
  }

  /** Counts a finding, and returns whether to report it. */
  addFinding (): boolean {
    return ++this.findings <= most.findings
  }
}

/**
 * Optional fields that were not found while one answer was read, by the path of their object, in order of appearance.
 */
type MissingFields = Map<string, Map<string, { readonly kind: FieldKind, readonly paths: readonly string[] }>>

/** A value from an upstream answer, with its path. */
export class Answer {
  readonly value: unknown
  readonly path: string
  readonly call: string
  readonly observer: UpstreamObserver
  readonly missing: MissingFields | undefined
  readonly work: ReadingWork

  constructor (
    value: unknown,
    call: string,
    observer: UpstreamObserver = noopObserver,
    path = '',
    missing?: MissingFields,
    work = new ReadingWork()
  ) {
    this.value = value
    this.path = path
    this.call = call
    this.observer = observer
    this.missing = missing
    this.work = work
  }

  /** Returns the value at a dotted path; undefined when any step is missing. Own keys only. */
  reach (path: string): unknown {
    if (path === '') return this.value
    if (!path.includes('.')) return step(this.value, path)
    return path.split('.').reduce(step, this.value)
  }

  /** Returns a value at a path of this one as an Answer. */
  child (value: unknown, path: string): Answer {
    return new Answer(value, this.call, this.observer, this.where(path), this.missing, this.work)
  }

  /** Reports a field that is not of the expected kind. `path`: from the root of the answer. */
  reportFinding (path: string, expected: FieldKind, seen: string): void {
    if (this.work.addFinding()) this.observer.finding({ call: this.call, path, expected, seen })
  }

  /** Records that none of these paths has a value. `readAnswer` checks at the end whether the field vanished. */
  reportMissing (kind: FieldKind, paths: readonly string[]): void {
    if (this.missing === undefined) return
    let here = this.missing.get(this.path)
    if (here === undefined) this.missing.set(this.path, here = new Map())
    const name = paths.length === 1 ? paths[0] as string : paths.join('|')
    if (!here.has(name)) here.set(name, { kind, paths })
  }

  /** Returns the path from the root of the answer. */
  where (path: string): string {
    if (this.path === '') return path
    return path === '' ? this.path : `${this.path}.${path}`
  }
}

/** What objects inherit are functions and `__proto__`, and no answer has these: own keys need no look-up of their own. */
function step (value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || key === '__proto__') return undefined
  const found = (value as Record<string, unknown>)[key]
  return typeof found === 'function' ? undefined : found
}

function typeName (value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value
}

/** A conversion returns undefined for an absent value and `retyped` for one of the wrong type. */
const retyped = Symbol('retyped')
type Converted<T> = T | undefined | typeof retyped

const integerText = /^-?\d{1,15}$/
const idText = /^-?\d{1,20}$/

/** Empty XML elements and some empty objects arrive as "". */
const isNone = (value: unknown): boolean => value === undefined || value === null || value === ''

const convert = {
  text (value: unknown): Converted<string> {
    if (typeof value === 'string') return value === '' ? undefined : value
    return value === undefined || value === null ? undefined : retyped
  },
  /** Old calls send numbers as text. */
  int (value: unknown): Converted<number> {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value : retyped
    if (typeof value === 'string') return value === '' ? undefined : integerText.test(value) ? Number(value) : retyped
    return value === undefined || value === null ? undefined : retyped
  },
  /** Digits as text: account numbers and list ids may exceed 2^53. 0 and "" mean none. */
  id (value: unknown): Converted<string> {
    if (typeof value === 'number') {
      return Number.isSafeInteger(value) ? (value === 0 ? undefined : String(value)) : retyped
    }
    if (typeof value === 'string') {
      return value === '' || value === '0' ? undefined : idText.test(value) ? value : retyped
    }
    return value === undefined || value === null ? undefined : retyped
  },
  number (value: unknown): Converted<number> {
    if (typeof value === 'number') return Number.isFinite(value) ? value : retyped
    if (typeof value === 'string' && value.trim() !== '') {
      return Number.isFinite(Number(value)) ? Number(value) : retyped
    }
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

type ValueOf<K extends FieldKind> = Exclude<ReturnType<(typeof convert)[K]>, undefined | typeof retyped>

function look<K extends FieldKind> (
  mode: 'need' | 'maybe',
  kind: K,
  answer: Answer,
  paths: readonly string[]
): ValueOf<K> | undefined {
  answer.observer.declared?.({ call: answer.call, paths: paths.map((path) => answer.where(path)), kind, mode })
  for (const path of paths) {
    const raw = answer.reach(path)
    const value = convert[kind](raw) as Converted<ValueOf<K>>
    if (value === retyped) answer.reportFinding(answer.where(path), kind, typeName(raw))
    else if (value !== undefined && (mode === 'need' || !isEmptyList(value))) return value
  }
  if (mode === 'maybe') answer.reportMissing(kind, paths)
  return undefined
}

/** Returns the path of an object or a list that was found at one of them. */
const foundAt = (answer: Answer, paths: readonly string[], value: object): string =>
  paths.find((path) => answer.reach(path) === value) as string

/** An empty list is skipped in `maybe` mode: a list under another name may have rows. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function unreadable (kind: FieldKind, answer: Answer, paths: readonly string[]): UpstreamError {
  const path = answer.where(paths[0] ?? '') || 'answer'
  const raw = answer.reach(paths[0] ?? '')
  const seen = typeName(raw)
  if (convert[kind](raw) !== retyped) answer.reportFinding(path, kind, seen)
  return badShape(answer.call, `${path} should be ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}, and is ${seen}`)
}

function needed<K extends FieldKind> (kind: K, answer: Answer, paths: readonly string[]): ValueOf<K> {
  const value = look('need', kind, answer, paths)
  if (value === undefined) throw unreadable(kind, answer, paths)
  return value
}

/**
 * Number of rows that are checked for vanished fields. A vanished field is missing from the first rows too, and
 * checking a hundred rows would cost noticeable time.
 */
const rowsWatched = 10

/**
 * Rows that cannot be read are skipped and reported. If no row is left, or too many cannot be read, the first error is
 * thrown.
 */
function rows<T> (
  answer: Answer,
  list: unknown[],
  path: string,
  readRow: (row: Answer, index: number) => T | undefined
): T[] {
  answer.work.addRows(list.length, answer.call)
  const found: T[] = []
  const where = answer.where(`${path}[]`)
  let reason: unknown
  list.forEach((value, index) => {
    try {
      const row = readRow(
        new Answer(
          value,
          answer.call,
          answer.observer,
          where,
          index < rowsWatched ? answer.missing : undefined,
          answer.work
        ),
        index
      )
      if (row !== undefined) found.push(row)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      reason ??= error
      answer.work.addRefusedRow(reason)
    }
  })
  if (found.length === 0 && reason !== undefined) throw reason
  return found
}

type ReadRow<T> = (row: Answer, index: number) => T | undefined

/**
 * Reads a required field. Throws UpstreamError (UPSTREAM_UNREADABLE, with the path) when it is absent or of the wrong
 * type.
 */
export const need = {
  text: (answer: Answer, ...paths: string[]): string => needed('text', answer, paths),
  int: (answer: Answer, ...paths: string[]): number => needed('int', answer, paths),
  id: (answer: Answer, ...paths: string[]): string => needed('id', answer, paths),
  at (answer: Answer, ...paths: string[]): Answer {
    const value = needed('object', answer, paths)
    return answer.child(value, foundAt(answer, paths, value))
  },
  list<T> (answer: Answer, path: string, readRow: ReadRow<T>): T[] {
    return rows(answer, needed('list', answer, [path]), path, readRow)
  }
}

/**
 * Reads an optional field. Returns undefined (lists: []) when it is absent. A wrong type counts as absent and is
 * reported.
 */
export const maybe = {
  text: (answer: Answer, ...paths: string[]): string | undefined => look('maybe', 'text', answer, paths),
  int: (answer: Answer, ...paths: string[]): number | undefined => look('maybe', 'int', answer, paths),
  id: (answer: Answer, ...paths: string[]): string | undefined => look('maybe', 'id', answer, paths),
  number: (answer: Answer, ...paths: string[]): number | undefined => look('maybe', 'number', answer, paths),
  flag: (answer: Answer, ...paths: string[]): boolean | undefined => look('maybe', 'flag', answer, paths),
  at (answer: Answer, ...paths: string[]): Answer | undefined {
    const value = look('maybe', 'object', answer, paths)
    return value === undefined ? undefined : answer.child(value, foundAt(answer, paths, value))
  },
  /** Returns the rows of the first of these paths that has a list with rows. */
  list<T> (answer: Answer, paths: string | readonly string[], readRow: ReadRow<T>): T[] {
    const names = typeof paths === 'string' ? [paths] : paths
    const value = look('maybe', 'list', answer, names)
    return value === undefined ? [] : rows(answer, value, foundAt(answer, names, value), readRow)
  },
  /** Returns the object under a key that is an id. A missing key is normal and not reported. */
  entry (answer: Answer, key: string): Answer | undefined {
    const value = look('maybe', 'object', held(answer, key), ['{}'])
    return value === undefined ? undefined : answer.child(value, '{}')
  }
}

/** Wraps the value under a key that is itself data, like an id, so that paths contain `{}` instead of the key. */
const held = (answer: Answer, key: string): Answer =>
  new Answer({ '{}': step(answer.value, key) }, answer.call, answer.observer, answer.path, undefined, answer.work)

// @mutate readers: reading drift
