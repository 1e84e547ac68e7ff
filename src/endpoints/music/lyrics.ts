/** Lyrics: lines with their translation and romanisation, and the texts of subtitle files. */
import { escapeUTF8 } from 'entities/escape'
import type { Lyric, LyricLine } from '../../../schemas/music.ts'

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

// Converts a lyric to the text of a subtitle file.

export type LyricFormat = 'lrc' | 'parsed' | 'ttml' | 'srt'

/** Maximum number of lines in a file. A real lyric has fewer. */
const mostLines = 5000

/** Each line is shown until the next one begins, ten seconds at most; the last one for five seconds. */
const [longestMs, lastMs] = [10_000, 5000]

/** Returns the lyric as a file of the format; nothing for formats that are not files, and for too many lines. */
export function lyricFiles (format: LyricFormat, { tags, lines }: Parsed): Pick<Lyric, 'srt' | 'ttml'> {
  if (lines.length > mostLines) return {}
  if (format === 'srt') return { srt: srtOf(lines) }
  return format === 'ttml' ? { ttml: ttmlOf(tags, lines) } : {}
}

/** Returns the end of each line. Lines that begin together end together. */
function endsOf (lines: readonly LyricLine[]): number[] {
  let next: number | undefined
  const ends = lines.map(() => 0)
  for (let at = lines.length - 1; at >= 0; at--) {
    const { time } = lines[at] as LyricLine
    const later = lines[at + 1]
    if (later !== undefined && later.time > time) next = later.time
    ends[at] = next === undefined ? time + lastMs : Math.min(next, time + longestMs)
  }
  return ends
}

/** Returns a time stamp. `point`: the separator before the milliseconds. */
function clock (ms: number, point: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two(ms / 60_000 % 60)}:${two(ms / 1000 % 60)}${point}${String(ms % 1000).padStart(3, '0')}`
}

/** SubRip has no layers: the romanisation and the translation are further lines of the same subtitle. */
function srtOf (lines: readonly LyricLine[]): string {
  const ends = endsOf(lines)
  const cues = lines.map(({ time, text, roma, trans }, at) => {
    const shown = [text, roma, trans].filter((layer) => layer !== undefined).join('\n').replaceAll('-->', '->')
    return `${at + 1}\n${clock(time, ',')} --> ${clock(ends[at] as number, ',')}\n${shown}\n`
  })
  return cues.join('\n')
}

/** Characters that XML cannot contain. */
const unfit = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const xml = (text: string): string => escapeUTF8(text.replaceAll(unfit, ''))

/** Timed Text. Translation and romanisation are spans with the roles that lyric players use. The provider translates into Chinese. */
function ttmlOf (tags: Parsed['tags'], lines: readonly LyricLine[]): string {
  const ends = endsOf(lines)
  const layer = (role: string, text: string | undefined, language = ''): string =>
    text === undefined ? '' : `<span ttm:role="${role}"${language}>${xml(text)}</span>`
  const rows = lines.map(({ time, text, trans, roma }, at) =>
    `<p begin="${clock(time, '.')}" end="${clock(ends[at] as number, '.')}">${xml(text)}${layer('x-translation', trans, ' xml:lang="zh"')}${layer('x-roman', roma)}</p>`)
  const title = tags['ti'] === undefined ? '' : `<head><metadata><ttm:title>${xml(tags['ti'])}</ttm:title></metadata></head>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="und">${title}<body><div>\n${rows.join('\n')}\n</div></body></tt>\n`
}

// Reads LRC, the format of lyrics: lines of `[mm:ss.xx]text` with one or more time stamps, and tags of `[name:value]`.

/** Header tags, and lines in the order of the text. */
export interface Lrc { readonly tags: Record<string, string>, readonly lines: { time: number, text: string }[] }

/**
 * Maximum total size of the lines of a text, in characters. A line with n time stamps becomes n lines: 266 KB of hostile text
 * would become gigabytes.
 */
const mostInLines = 1024 * 1024

/** Returns tags and lines, with times in milliseconds. Lines without text are left out. Returns undefined if the lines are too large. */
function readLrc (text: string): Lrc | undefined {
  const tags: Record<string, string> = {}
  const lines: Lrc['lines'] = []
  let size = 0
  for (const line of text.split('\n')) {
    const { times, rest } = stampsOf(line)
    size += times.length * line.length
    if (size > mostInLines) return undefined
    for (const time of times) if (rest !== '' && Number.isSafeInteger(time)) lines.push({ time, text: rest })
    // A name has at least one character.
    const colon = line.indexOf(':', 2)
    if (times.length === 0 && colon !== -1 && line.startsWith('[') && line.endsWith(']')) tags[line.slice(1, colon)] = line.slice(colon + 1, -1)
  }
  return { tags, lines }
}

/** Returns the times at the beginning of a line, and the trimmed text behind them. */
function stampsOf (line: string): { times: number[], rest: string } {
  // Sticky: a pattern for all stamps at once would backtrack on a hostile line. Listeners write lyrics too, and not all of them
  // write two digits, or a dot before the fraction.
  const stamp = /\[(\d+):(\d{1,2})(?:[.:](\d{1,3}))?\]/y
  const times: number[] = []
  let end = 0
  for (let found = stamp.exec(line); found !== null; found = stamp.exec(line)) {
    const [, minutes, seconds, fraction = ''] = found
    times.push((Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0')))
    end = stamp.lastIndex
  }
  return { times, rest: line.slice(end).trim() }
}
