/** What readers and calls report: fields that are not as expected, and how each call ended. */
import { UpstreamError } from '../../common/errors.ts'
import { kinds, type Verdict, type Kind } from '../../common/kinds.ts'

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

/**
 * How one call ended. `kind`: of its failure. `outcome`: `ok`, or the word of the failure, like `biz_2000` or `reset`.
 * `ms`: milliseconds.
 */
export interface CallOutcome {
  readonly call: string
  readonly verdict: Verdict
  readonly outcome: string
  readonly kind?: Kind
  readonly ms: number
}

type Ended = Pick<CallOutcome, 'verdict' | 'outcome' | 'kind'>

/** Whether the call had a usable answer, in a known shape or another one. */
export const isAnswered = ({ verdict, outcome }: { readonly verdict: string, readonly outcome: string }): boolean =>
  verdict === 'ok' || outcome === 'ok'

const ofKind = (kind: Kind, outcome = kinds[kind].outcome ?? ''): Ended =>
  ({ verdict: kinds[kind].verdict, outcome, kind })

/**
 * Returns the end with an error, or with a success (undefined). A changed shape is not visible here; findings report
 * it. A reader that crashes is a bug of the relay, and the answer has an unknown shape.
 */
export function callStatusOf (error: unknown): Ended {
  if (error === undefined) return { verdict: 'ok', outcome: 'ok' }
  return error instanceof UpstreamError ? ofKind(error.kind, error.outcome) : ofKind('bug')
}

/** Returns the end of a login request, for which any HTTP status is an answer. */
export function statusOfLogin (status: number): Ended {
  if (status < 400) return { verdict: 'ok', outcome: 'ok' }
  const kind = status >= 500 ? 'login.failing' : status === 404 || status === 410 ? 'retired.http' : 'refused.http'
  return ofKind(kind, `http_${status}`)
}
