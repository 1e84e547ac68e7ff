/** The next songs of an endless list. The upstream sends a few at once, and repeats some of them. */
import type { RadioSongs } from '../../../schemas/radio.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Context } from '../../core/endpoint.ts'
import { noteMissing, optional } from './optional.ts'
import { uniqueBy } from './uniqueBy.ts'
import { markOf, readCursor, writeCursor } from './heard.ts'

/** An endless list: its name, which its cursors contain, and the request for a round, counted from 0. `begins`: no song was played yet. */
export interface Endless {
  readonly name: string
  readonly fetch: (round: number, begins: boolean) => Promise<readonly Song[]>
}

/** Maximum requests for one answer, and the number of requests in a row without a new song that ends the list. */
const [mostRounds, mostStale] = [8, 2]

const keyOf = ({ mid, id, title }: Song): string => mid || String(id || title)

/**
 * Returns `limit` songs that are new in this session, or as many as the upstream sends. Throws the error of the first request;
 * a later failure makes the answer shorter.
 */
export async function nextSongs (
  { limit, cursor }: { readonly limit: number, readonly cursor?: string },
  { name, fetch }: Endless,
  context: Pick<Context, 'cacheAtMost' | 'log'>
): Promise<RadioSongs> {
  const begun = readCursor(name, cursor)
  const marks = [...begun.marks]
  const heard = new Set(marks)
  const songs: Song[] = []
  let { round } = begun
  let failed = false
  for (let sent = 0, stale = 0; sent < mostRounds && stale < mostStale && songs.length < limit; sent++) {
    const batch = sent === 0
      ? await fetch(round, marks.length === 0)
      : await optional(fetch(round, marks.length === 0), (error) => noteMissing(context, error, 'the answer has fewer songs'))
    failed = batch === undefined
    if (batch === undefined) break
    const fresh = uniqueBy(batch, keyOf).filter((song) => !heard.has(markOf(keyOf(song))))
    const taken = fresh.slice(0, limit - songs.length)
    songs.push(...taken)
    for (const song of taken) {
      heard.add(markOf(keyOf(song)))
      marks.push(markOf(keyOf(song)))
    }
    stale = taken.length === 0 ? stale + 1 : 0
    // A round with unused songs is requested again.
    if (taken.length === fresh.length) round++
  }
  return { songs, ...(songs.length === 0 && !failed ? {} : { nextCursor: writeCursor(name, { round, marks }) }) }
}
