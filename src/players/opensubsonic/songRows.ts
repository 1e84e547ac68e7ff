/** Rows of lists: songs by number, rows by offset where there are only pages, random order. */
import type { Song } from '../../../schemas/song.ts'
import { batchGetSongInfo } from '../../endpoints/music/songInfo.ts'
import type { Call } from '../call.ts'

const mostNumbers = 100

/** Returns the songs of the first hundred numbers, in their order. Songs that are not found are left out. */
export async function songsByNumber (numbers: readonly number[], call: Call): Promise<Song[]> {
  if (numbers.length === 0) return []
  const found = await call(batchGetSongInfo, { songs: numbers.slice(0, mostNumbers).map((number) => ['', number]) })
  return found.flatMap((each) => 'songinfo' in each ? [each.songinfo.data.track_info] : [])
}

/**
 * Returns rows from an offset on, for a list that is read page by page. `pageOf` counts pages from 0. Rows that a page
 * left out count as places at its end, so that they end no list and shift no later page.
 */
export async function rowsOf<T> (
  offset: number,
  count: number,
  pageSize: number,
  pageOf: (page: number) => Promise<{ readonly rows: readonly T[], readonly skipped: number }>
): Promise<T[]> {
  const places: (T | undefined)[] = []
  const first = Math.floor(offset / pageSize)
  for (let page = first; page * pageSize < offset + count; page++) {
    const { rows, skipped } = await pageOf(page)
    const sent = Math.min(rows.length + skipped, pageSize)
    places.push(...Array.from({ length: sent }, (_, at) => rows[at]))
    if (sent < pageSize) break
  }
  const from = offset - first * pageSize
  return places.slice(from, from + count).filter((row) => row !== undefined)
}

/** Returns a random whole number from 0 to `last`. */
export const upTo = (last: number): number => Math.floor(Math.random() * (last + 1))

export function shuffled<T> (rows: readonly T[]): T[] {
  const mixed = [...rows]
  for (const at of mixed.keys()) {
    const other = upTo(at);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T]
  }
  return mixed
}

// @mutate OpenSubsonic: opensubsonic
