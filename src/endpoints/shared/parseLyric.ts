/** Parses a lyric into lines, with their translation and romanisation. */
import type { Lyric } from '../../../schemas/music.ts'
import { readLrc, type Lrc } from '../../upstream/reader/lrc.ts'

/** Header tags and lines of a lyric. */
export type Parsed = NonNullable<Lyric['parsed']>

/** Returns the texts of a layer by their time. "//" in a layer marks a line without text there. */
const byTime = ({ lines }: Lrc): Map<number, string> => new Map(lines.flatMap(({ time, text }) => text === '//' ? [] : [[time, text] as const]))

/**
 * Returns the lines in order of time (milliseconds), each with the lines of translation and romanisation of the same time. A line with
 * several time stamps becomes several lines. Returns undefined if they are too large.
 */
export function parseLyric ({ lyric, trans, roma = '' }: Lyric): Parsed | undefined {
  const [own, theirs, spelled] = [readLrc(lyric), readLrc(trans), readLrc(roma)]
  if (own === undefined || theirs === undefined || spelled === undefined) return undefined
  const [translated, romanised] = [byTime(theirs), byTime(spelled)]
  const lines = own.lines.map((line) => {
    const [trans, roma] = [translated.get(line.time), romanised.get(line.time)]
    return { ...line, ...trans === undefined ? {} : { trans }, ...roma === undefined ? {} : { roma } }
  })
  return { tags: own.tags, lines: lines.sort((a, b) => a.time - b.time) }
}
