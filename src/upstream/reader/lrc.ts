/** Reads LRC, the format of lyrics: lines of `[mm:ss.xx]text` with one or more time stamps, and tags of `[name:value]`. */

/** Header tags, and lines in the order of the text. */
export interface Lrc { readonly tags: Record<string, string>, readonly lines: { time: number, text: string }[] }

/**
 * Maximum total size of the lines of a text, in characters. A line with n time stamps becomes n lines: 266 KB of hostile text
 * would become gigabytes.
 */
const mostInLines = 1024 * 1024

/** Returns tags and lines, with times in milliseconds. Lines without text are left out. Returns undefined if the lines are too large. */
export function readLrc (text: string): Lrc | undefined {
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
