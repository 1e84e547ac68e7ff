/** Writes a lyric as the text of a subtitle file. */
import { escapeUTF8 } from 'entities/escape'
import type { Lyric, LyricLine } from '../../../schemas/music.ts'
import type { Parsed } from './lyrics.ts'

/** Formats of a lyric. */
export type LyricFormat = 'lrc' | 'parsed' | 'ttml' | 'srt'

/** Maximum number of lines in a file. A real lyric has fewer. */
const mostLines = 5000

/** Each line is shown until the next one begins, ten seconds at most; the last one for five seconds. */
const [longestMs, lastMs] = [10_000, 5000]

/** A line that has a time. */
type TimedLine = LyricLine & { readonly time: number }

/**
 * Returns the lyric as a file of the format; nothing for formats that are not files, for a lyric without times, and for
 * too many lines.
 */
export function lyricFiles (format: LyricFormat, { tags, lines }: Parsed): Pick<Lyric, 'srt' | 'ttml'> {
  if (lines.length > mostLines || lines.every(({ time }) => time === undefined)) return {}
  if (format === 'srt') return { srt: srtOf(timed(lines)) }
  return format === 'ttml' ? { ttml: ttmlOf(tags, timed(lines)) } : {}
}

/** A file has no lines without a time: they are shown with the line above. */
function timed (lines: readonly LyricLine[]): readonly TimedLine[] {
  let above = 0
  return lines.map((line) => ({ ...line, time: (above = line.time ?? above) }))
}

/** Returns the end of each line. Lines that begin together end together. */
function endsOf (lines: readonly TimedLine[]): number[] {
  let next: number | undefined
  const ends = lines.map(() => 0)
  for (let at = lines.length - 1; at >= 0; at--) {
    const { time } = lines[at] as TimedLine
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
function srtOf (lines: readonly TimedLine[]): string {
  const ends = endsOf(lines)
  const cues = lines.map(({ time, text, roma = '', trans = '' }, at) => {
    const shown = [text, roma, trans].filter((layer) => layer !== '').join('\n').replaceAll('-->', '->')
    return `${at + 1}\n${clock(time, ',')} --> ${clock(ends[at] as number, ',')}\n${shown}\n`
  })
  return cues.join('\n')
}

/** Characters that XML cannot contain. */
const unfit = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const xml = (text: string): string => escapeUTF8(text.replaceAll(unfit, ''))

/**
 * Timed Text. Translation and romanisation are spans with the roles that lyric players use. The provider translates
 * into Chinese.
 */
function ttmlOf (tags: Parsed['tags'], lines: readonly TimedLine[]): string {
  const ends = endsOf(lines)
  const layer = (role: string, text: string | undefined, language = ''): string =>
    text === undefined ? '' : `<span ttm:role="${role}"${language}>${xml(text)}</span>`
  const rows = lines.map(({ time, text, trans, roma }, at) =>
    `<p begin="${clock(time, '.')}" end="${clock(ends[at] as number, '.')}">${xml(text)}${layer('x-translation', trans, ' xml:lang="zh"')}${layer('x-roman', roma)}</p>`)
  const title = tags['ti'] === undefined ? '' : `<head><metadata><ttm:title>${xml(tags['ti'])}</ttm:title></metadata></head>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="und">${title}<body><div>\n${rows.join('\n')}\n</div></body></tt>\n`
}
