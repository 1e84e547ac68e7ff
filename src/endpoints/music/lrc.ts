/**
 * Reads LRC, the format of lyrics: lines of `[mm:ss.xx]text` with one or more time stamps, and tags of `[name:value]`.
 */

/** A line in the order of time. Lines without text are included, because a pause is a line, too. */
export interface LrcLine {
  /** Start in milliseconds, with the tag `offset` applied. Undefined for a line without a time stamp. */
  readonly time: number | undefined
  /** Where the line stands: its start, or that of the line above it. -1: no line with a time is above it. */
  readonly at: number
  /** Text, trimmed. */
  readonly text: string
}

/** Header tags, and lines in the order of time. */
export interface Lrc { readonly tags: Readonly<Record<string, string>>, readonly lines: readonly LrcLine[] }

/** What may still be made of a lyric, in characters. All layers of a lyric share one budget. */
export interface LineBudget { left: number }

/** Cost of a line besides its text, in characters: its time and the fields around it. */
const lineCost = 64
/** Characters that are made of one character of a lyric, at most. A refrain with eight time stamps makes seven. */
const mostPerCharacter = 16
/** Characters that are made of a lyric, at most. A lyric of 5,000 lines in three layers needs two thirds of it. */
const mostInAll = 2 * 1024 * 1024

/**
 * Returns the budget of a lyric, to be known before any line is made. A line with n time stamps becomes n lines, so 266
 * KB of hostile text would become gigabytes.
 */
export function budgetOf (...texts: readonly string[]): LineBudget {
  return { left: Math.min(mostInAll, mostPerCharacter * texts.reduce((sum, { length }) => sum + length, lineCost)) }
}

/**
 * Returns tags and lines. A line with several time stamps becomes several lines. `offset`: milliseconds by which the
 * lines begin earlier, unless the text has a tag of its own. Returns undefined if the lines exceed the budget.
 */
export function readLrc (text: string, budget: LineBudget, offset = 0): Lrc | undefined {
  const tags = new Map<string, string>()
  const lines: LrcLine[] = []
  let above = -1
  for (const line of text.split('\n')) {
    const { times, rest } = stampsOf(line)
    budget.left -= Math.max(1, times.length) * (lineCost + rest.length)
    if (budget.left < 0) return undefined
    const tag = times.length === 0 ? tagOf(rest) : undefined
    if (tag !== undefined) {
      tags.set(...tag)
      continue
    }
    for (const time of times) lines.push({ time, at: time, text: rest })
    if (times.length === 0 && rest !== '') lines.push({ time: undefined, at: above, text: rest })
    above = times[0] ?? above
  }
  lines.sort((a, b) => a.at - b.at)
  const earlier = offsetOf(tags.get('offset')) || offset
  const moved = earlier === 0 ? lines : lines.map((line) => ({
    ...line,
    time: line.time === undefined ? undefined : Math.max(0, line.time - earlier),
    at: line.at === -1 ? -1 : Math.max(0, line.at - earlier)
  }))
  return { tags: Object.fromEntries(tags), lines: moved }
}

/**
 * Returns the value of a tag `offset` in milliseconds: a positive one means earlier, as in players. 0 without a
 * readable one.
 */
export function offsetOf (value = ''): number {
  return /^\s*[+-]?\d{1,7}\s*$/.test(value) ? Number(value) : 0
}

/** Returns the texts of a lyric as it is written: without time stamps, tags and empty lines. */
export function textsOf (lyric: string): string[] {
  return lyric.split('\n').flatMap((line) => {
    const { times, rest } = stampsOf(line)
    return rest === '' || (times.length === 0 && tagOf(rest) !== undefined) ? [] : [rest]
  })
}

/**
 * Names of tags that some programs write with a capital. Any other capitalised name is a heading, such as `[Verse:
 * both]`.
 */
const knownTags = /^(?:ti|ar|al|by|au|re|ve|la|id|offset|length)$/i

/** Returns name and value if a line is a tag. Any other line in brackets is text, such as `[Chorus]`. */
function tagOf (line: string): readonly [name: string, value: string] | undefined {
  const [, name, value] = /^\[([A-Za-z]\w{0,31})\s?:(.*)\]$/.exec(line) ?? []
  if (name === undefined || value === undefined) return undefined
  if (knownTags.test(name)) return [name.toLowerCase(), value]
  return /^[a-z]/.test(name) ? [name, value] : undefined
}

/** Stamps of single words within a line, which some programs write. */
const wordStamps = /<\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?>/g

/** Returns the times at the beginning of a line, and the trimmed text behind them. */
function stampsOf (line: string): { times: number[], rest: string } {
  // Sticky: a pattern for all stamps at once would backtrack on a hostile line. Listeners write lyrics too, and not all
  // of them write two digits, or a dot before the fraction. With an hour, only a dot distinguishes the seconds from a
  // fraction.
  const stamp = /\s?\[\s?(?:(\d{1,2}):(\d{1,2}):(\d{1,2})\.(\d{1,9})|(\d+):(\d{1,2})(?:[.:,](\d{1,9}))?)\s?\]/y
  const times: number[] = []
  let end = 0
  for (let found = stamp.exec(line); found !== null; found = stamp.exec(line)) {
    const [, hours = '0', minutes = found[5], seconds = found[6], fraction = found[7] ?? ''] = found
    const time = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
      + Number(fraction.slice(0, 3).padEnd(3, '0'))
    if (Number.isSafeInteger(time)) times.push(time)
    end = stamp.lastIndex
  }
  const rest = line.slice(end)
  return { times, rest: (rest.includes('<') ? rest.replaceAll(wordStamps, '') : rest).trim() }
}

// @mutate lyrics: lyric-layers lyric-formats
