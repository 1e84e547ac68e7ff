/**
 * The cursor of a list without an end: which songs a sitting has had. The relay remembers nothing, so the cursor says it all:
 * a checksum with the name of the list, the next round, and 24 bits of a hash for each song. The checksum finds cursors that are broken
 * or of another list. It is no signature: a cursor decides about its caller's own list only, and there is nothing to forge.
 */
import { createHash } from 'node:crypto'
import { mostHeard } from '../../../schemas/radio.ts'
import { InvalidInput } from '../../common/errors.ts'

/** What a sitting has had: the next `round` of the upstream, counted from 0, and the songs as hashes, the latest last. */
export interface Heard { readonly round: number, readonly marks: readonly number[] }

const [sumBytes, roundBytes, markBytes] = [4, 2, 3]
const headBytes = sumBytes + roundBytes
const lastRound = 2 ** (8 * roundBytes) - 1

const hashOf = (...parts: readonly (string | Buffer)[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Returns the hash of a song. Of 500 songs, one in 30,000 is taken for one that was heard. */
export const markOf = (song: string): number => hashOf(song).readUIntBE(0, markBytes)

/** Returns the cursor of a sitting. Only the latest songs fit. */
export function writeCursor (list: string, { round, marks }: Heard): string {
  const latest = marks.slice(-mostHeard)
  const bytes = Buffer.alloc(headBytes + latest.length * markBytes)
  bytes.writeUIntBE(round % (lastRound + 1), sumBytes, roundBytes)
  for (const [at, mark] of latest.entries()) bytes.writeUIntBE(mark, headBytes + at * markBytes, markBytes)
  hashOf(list, '\n', bytes.subarray(sumBytes)).copy(bytes, 0, 0, sumBytes)
  return bytes.toString('base64url')
}

/** Returns what a cursor says; without one, the begin of a sitting. Throws InvalidInput for a cursor of another list, and for any other text. */
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
