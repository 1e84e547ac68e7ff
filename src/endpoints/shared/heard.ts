/**
 * The cursor of an endless list: the songs that a session has already received. The relay stores nothing, so the cursor
 * contains everything: a checksum with the name of the list, the next round, and 24 bits of a hash for each song. The checksum
 * detects cursors that are broken or of another list. It is not a signature: a cursor affects only its caller's own list, so
 * forging one gains nothing.
 */
import { createHash } from 'node:crypto'
import { mostHeard } from '../../../schemas/radio.ts'
import { InvalidInput } from '../../common/errors.ts'

/** The state of a session: the next `round` of the upstream, counted from 0, and the songs already received as hashes, the latest last. */
export interface Heard { readonly round: number, readonly marks: readonly number[] }

const [sumBytes, roundBytes, markBytes] = [4, 2, 3]
const headBytes = sumBytes + roundBytes
const lastRound = 2 ** (8 * roundBytes) - 1

const hashOf = (...parts: readonly (string | Buffer)[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Returns the hash of a song. With 500 songs, one new song in 30,000 is mistaken for a known one. */
export const markOf = (song: string): number => hashOf(song).readUIntBE(0, markBytes)

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
 * Returns the state in a cursor; without one, the start of a session. Throws InvalidInput for a cursor of another list, and for
 * any other text.
 */
export function readCursor (list: string, cursor: string | undefined): Heard {
  if (cursor === undefined) return { round: 0, marks: [] }
  const bytes = Buffer.from(cursor, 'base64url')
  const count = (bytes.length - headBytes) / markBytes
  const isWhole = bytes.toString('base64url') === cursor && Number.isInteger(count) && count >= 0 && count <= mostHeard
  if (!isWhole || !hashOf(list, '\n', bytes.subarray(sumBytes)).subarray(0, sumBytes).equals(bytes.subarray(0, sumBytes))) {
    throw new InvalidInput('cursor: must be nextCursor of an earlier answer of the same list.')
  }
  return {
    round: bytes.readUIntBE(sumBytes, roundBytes),
    marks: Array.from({ length: count }, (_, at) => bytes.readUIntBE(headBytes + at * markBytes, markBytes))
  }
}
