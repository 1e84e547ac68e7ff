/** Answers for views: one, or page after page. Those of the last views are kept for "Back". */
import { signal, type Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { addressOf, ask, type Answer, type Input, type Name } from './relay.ts'
import { login } from './session.ts'

export interface Loaded<T> {
  readonly data?: T
  readonly error?: unknown
  /** Asks again after a failure. */
  again?(): void
}

const most = 60
const kept = new Map<string, Signal<any>>()

/** Returns what is kept under a key, or keeps what `make` returns. A change of the login makes another key. */
function keep<T> (key: string, make: () => Signal<T>): Signal<T> {
  const full = `${login.value} ${key}`
  const known = kept.get(full) as Signal<T> | undefined ?? make()
  kept.delete(full)
  kept.set(full, known)
  if (kept.size > most) kept.delete([...kept.keys()][0] as string)
  return known
}

/** Drops what failed, so that the next view asks again. */
function forget (value: Signal<unknown>): void {
  for (const [key, each] of kept) if (each === value) kept.delete(key)
}

/** Asks once per address and login. `input`: undefined asks nothing. */
export function useAnswer<N extends Name> (name: N, input: Input<N> | undefined): Loaded<Answer<N>> {
  const key = input === undefined ? '' : addressOf(name, input)
  const value = useMemo(() =>
    keep(key, () => {
      const made = signal<Loaded<Answer<N>>>({})
      const begin = (): void => {
        made.value = {}
        if (input === undefined) return
        ask(name, input).then((data) => {
          made.value = { data }
        }, (error: unknown) => {
          made.value = { error, again: begin }
          forget(made)
        })
      }
      begin()
      return made
    }), [key, login.value])
  return value.value
}

export interface Pages<R> {
  readonly rows: readonly R[]
  /** Number of all rows; undefined while unknown. */
  readonly total: number | undefined
  readonly done: boolean
  readonly loading: boolean
  readonly error?: unknown
}

/** One page of a list. `next` absent: it was the last. */
export interface Page<R> {
  readonly rows: readonly R[]
  readonly total?: number | undefined
  readonly more: boolean
}

/**
 * Whether a list goes on behind a page. `sent`: rows of the page with those that were left out: a page of which all
 * were is not the end. `asked`: rows that were asked for so far.
 */
export const goesOn = (sent: number, asked: number, total: number): boolean => sent > 0 && asked < total

/** Returns what answers the rows after those that are there, page by page; in the end none. */
export type Rest<R> = () => () => Promise<readonly R[]>

/**
 * Loads the pages of a list, the first at once and each further one when `more` is called.
 * @param key names the list
 * @param load returns a page; counted from 0. `had`: number of rows before it
 */
export function usePages<R> (
  key: string,
  load: (page: number, had: number) => Promise<Page<R>>
): Pages<R> & { more(): void, rest: Rest<R> } {
  const list = useMemo(
    () =>
      keep(`pages ${key}`, () =>
        signal<Pages<R> & { readonly page: number }>({
          rows: [],
          total: undefined,
          done: false,
          loading: false,
          page: 0
        })),
    [key, login.value]
  )
  function more (): void {
    const { loading, done, page, rows } = list.value
    if (loading || done) return
    const { error: _before, ...rest } = list.value
    list.value = { ...rest, loading: true }
    load(page, rows.length).then(({ rows: added, total, more: hasMore }) => {
      list.value = {
        rows: [...rows, ...added],
        total: total ?? list.value.total,
        done: !hasMore,
        loading: false,
        page: page + 1
      }
    }, (error: unknown) => {
      list.value = { ...list.value, loading: false, error }
    })
  }
  const rest: Rest<R> = () => {
    let { page, rows: { length: had }, done } = list.value
    return async () => {
      while (!done) {
        const next = await load(page, had)
        page++
        had += next.rows.length
        done = !next.more
        // A page whose rows were all left out is not the end.
        if (next.rows.length > 0) return next.rows
      }
      return []
    }
  }
  useEffect(() => {
    if (list.value.page === 0) more()
  }, [list])
  return { ...list.value, more, rest }
}
