/** The observer of the readers: it receives wrong fields and the outcome of each call. */
import type { CallOutcome } from '../callStatus.ts'

/** Kinds of fields. `int`, `number` and `flag` also accept text forms; `id` becomes digits as text. */
export type FieldKind = 'text' | 'int' | 'id' | 'number' | 'flag' | 'object' | 'list'

/** One deviation that a reader found. `seen` is a type (`null`, `string`, `absent` …), never a value. */
export interface Finding {
  readonly call: string
  readonly path: string
  readonly expected: FieldKind
  readonly seen: string
}

/**
 * Receives events while answers are read. `answered`: the data of a call that was sent, before its reader gets it.
 * `emptyConfirmed`: calls that ended `empty` because there was no data. `declared`: every field that a reader looks for
 * (for tests).
 */
export interface UpstreamObserver {
  finding (finding: Finding): void
  answered? (call: { readonly name: string }, data: unknown): void
  callEnded? (ended: CallOutcome): void
  emptyConfirmed? (calls: Iterable<string>): void
  declared? (field: Declared): void
}

/** A field that a reader looks for. `paths`: its names over the generations; any of them is enough. */
export interface Declared {
  readonly call: string
  readonly paths: readonly string[]
  readonly kind: FieldKind
  readonly mode: 'need' | 'maybe'
}

/** Ignores all events. */
export const noopObserver: UpstreamObserver = { finding () {} }
