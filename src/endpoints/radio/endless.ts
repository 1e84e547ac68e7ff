/**
 * The cursor of an endless list: the songs that a session has already received. The relay stores nothing, so the cursor
 * contains everything: a checksum with the name of the list, the next round, and 24 bits of a hash for each song. The
 * checksum detects cursors that are broken or of another list. It is not a signature: a cursor affects only its
 * caller's own list, so forging one gains nothing.
 */
import { createHash } from 'node:crypto'
import { mostHeard, type RadioSongs } from '../../../schemas/radio.ts'
import type { Song } from '../../../schemas/song.ts'
import { InvalidInput, noteMissing, optional, uniqueBy, type Context } from '../kit.ts'
import type { CountedRows } from '../shared/pages.ts'

/**
 * The state of a session: the next `round` of the upstream, counted from 0, and the songs already received as hashes,
 * the latest last.
 */
export interface Heard { readonly round: number, readonly marks: readonly number[] }

const [sumBytes, roundBytes, markBytes] = [4, 2, 3]
const headBytes = sumBytes + roundBytes
const lastRound = 2 ** (8 * roundBytes) - 1

const hashOf = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Returns the hash of a song. With 500 songs, one new song in 30,000 is mistaken for a known one. */
const markOf = (song: string): number => hashOf(song).readUIntBE(0, markBytes)

/** Returns the cursor of a session. Only the latest songs fit. */
export function writeCursor (list: string, { round, marks }: Heard): string {
  const latest = marks.slice(-mostHeard)
  const bytes = Buffer.alloc(headBytes + latest.length * markBytes)
  bytes.writeUIntBE(round % (lastRound + 1), sumBytes, roundBytes)
  for (const [at, mark] of latest.entries()) bytes.writeUIntBE(mark, headBytes + at * markBytes, markBytes)
  hashOf(list, '\n', bytes.subarray(sumBytes)).copy(bytes, 0, 0, sumBytes)
  return bytes.toString('base64url')
}

/**
 * Returns the state in a cursor; without one, the start of a session. Throws InvalidInput for a cursor of another list,
 * and for any other text.
 */
function readCursor (list: string, cursor: string | undefined): Heard {
  if (cursor === undefined) return { round: 0, marks: [] }
  const bytes = Buffer.from(cursor, 'base64url')
  const count = (bytes.length - headBytes) / markBytes
  const isWhole = bytes.toString('base64url') === cursor && Number.isInteger(count) && count >= 0 && count <= mostHeard
  if (
    !isWhole || !hashOf(list, '\n', bytes.subarray(sumBytes)).subarray(0, sumBytes).equals(bytes.subarray(0, sumBytes))
  ) {
    throw new InvalidInput('cursor: must be nextCursor of an earlier answer of the same list.')
  }
  return {
    round: bytes.readUIntBE(sumBytes, roundBytes),
    marks: Array.from({ length: count }, (_, at) => bytes.readUIntBE(headBytes + at * markBytes, markBytes))
  }
}

// The next songs of an endless list. The upstream sends a few at once, and repeats some of them.

/**
 * An endless list: its name, which its cursors contain, and the request for a round, counted from 0. `begins`: no song
 * was played yet.
 */
export interface Endless {
  readonly name: string
  readonly fetch: (round: number, begins: boolean) => Promise<CountedRows<Song>>
}

/** Maximum requests for one answer, and the number of requests in a row without a new song that ends the list. */
const [mostRounds, mostStale] = [8, 2]

const keyOf = ({ mid, id, title }: Song): string => mid || String(id || title)

/**
 * Returns `limit` songs that are new in this session, or as many as the upstream sends. Throws the error of the first
 * request; a later failure makes the answer shorter.
 */
export async function nextSongs (
  { limit, cursor }: { readonly limit: number, readonly cursor?: string },
  { name, fetch }: Endless,
  context: Pick<Context, 'cacheAtMost' | 'log' | 'loginRefused'>
): Promise<RadioSongs> {
  const begun = readCursor(name, cursor)
  const marks = [...begun.marks]
  const heard = new Set(marks)
  const songs: Song[] = []
  let { round } = begun
  let failed = false
  let skipped = 0
  for (let sent = 0, stale = 0; sent < mostRounds && stale < mostStale && songs.length < limit; sent++) {
    const batch = sent === 0
      ? await fetch(round, marks.length === 0)
      : await optional(
        fetch(round, marks.length === 0),
        (error) => noteMissing(context, error, 'the answer has fewer songs')
      )
    failed = batch === undefined
    if (batch === undefined) break
    skipped += batch.skipped
    const fresh = uniqueBy(batch.rows, keyOf).filter((song) => !heard.has(markOf(keyOf(song))))
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
  return {
    songs,
    skipped,
    ...(songs.length === 0 && !failed ? {} : { nextCursor: writeCursor(name, { round, marks }) })
  }
}
