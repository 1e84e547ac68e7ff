/** Reads lyrics: LRC, which are lines of `[mm:ss.xx]text` and tags of `[name:value]`, and its layers. */
import type { Lyric, LyricLine } from '../../../schemas/music.ts'

/** A line in the order of time. Lines without text are included, because a pause is a line, too. */
export interface LrcLine {
  /** Start in milliseconds, with the tag `offset` applied. Undefined for a line without a time stamp. */
  readonly time: number | undefined
  /** Where the line stands: its start, or that of the line above it. -1: no line with a time is above it. */
  readonly at: number
  readonly text: string
}

interface Lrc { readonly tags: Readonly<Record<string, string>>, readonly lines: readonly LrcLine[] }

/** What may still be made of a lyric, in characters. All layers of a lyric share one budget. */
interface LineBudget { left: number }

/** Cost of a line besides its text, in characters: its time and the fields around it. */
const lineCost = 64
/** Characters that are made of one character of a lyric, at most. A refrain with eight time stamps makes seven. */
const mostPerCharacter = 16
/** Characters that are made of a lyric, at most. A lyric of 5,000 lines in three layers needs two thirds of it. */
const mostInAll = 2 * 1024 * 1024

/** Returns the budget of a lyric, before any line is made: 266 KB of hostile stamps would become gigabytes. */
function budgetOf (...texts: readonly string[]): LineBudget {
  return { left: Math.min(mostInAll, mostPerCharacter * texts.reduce((sum, { length }) => sum + length, lineCost)) }
}

/**
 * Returns tags and lines. A line with several time stamps becomes several lines. `offset`: milliseconds by which the
 * lines begin earlier, unless the text has a tag of its own. Returns undefined if the lines exceed the budget.
 */
function readLrc (text: string, budget: LineBudget, offset = 0): Lrc | undefined {
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

/** Returns a tag `offset` in milliseconds: positive means earlier, as in players. 0 without a readable one. */
function offsetOf (value = ''): number {
  return /^\s*[+-]?\d{1,7}\s*$/.test(value) ? Number(value) : 0
}

/** Returns the texts of a lyric as it is written: without time stamps, tags and empty lines. */
export function textsOf (lyric: string): string[] {
  return lyric.split('\n').flatMap((line) => {
    const { times, rest } = stampsOf(line)
    return rest === '' || (times.length === 0 && tagOf(rest) !== undefined) ? [] : [rest]
  })
}

/** Tags that some programs capitalise. Any other capitalised name is a heading, such as `[Verse: both]`. */
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

// Joins the layers of a lyric: its lines, their translation and their romanisation. The layers are typed by different
// people, and the times of a pair differ by 1 to 20 ms, or more (reported 2026). So lines are joined by order and
// nearness.

export type Parsed = NonNullable<Lyric['parsed']>

/** A line with its other layers. `at`: where it stands, as in `LrcLine`. */
export interface LayeredLine extends LrcLine { readonly trans?: string, readonly roma?: string }

/** Lines in the order of time. Lines without any text are included. */
interface Layered { readonly tags: Parsed['tags'], readonly lines: readonly LayeredLine[] }

type Texts = Pick<Lyric, 'lyric' | 'trans' | 'roma'>

const others = ['trans', 'roma'] as const
type Other = typeof others[number]

/** Marks a line of a layer without text there. */
const noText = '//'

/** Lines of two layers whose starts differ by more belong to different lines. Milliseconds. */
const nearMs = 500

interface Layers {
  readonly tags: Parsed['tags']
  readonly layers: Readonly<Record<'lyric' | Other, readonly LrcLine[]>>
}

/** Returns the lines of each layer alone, without empty ones. Undefined if they are too large. */
export function separateLayers (texts: Texts): Layers | undefined {
  const read = readLayers(texts)
  if (read === undefined) return undefined
  const { tags, layers: { lyric, trans, roma } } = read
  const withText = (lines: readonly LrcLine[]): LrcLine[] => lines.filter(({ text }) => text !== '' && text !== noText)
  return {
    tags,
    layers: { lyric: lyric.filter(({ text }) => text !== ''), trans: withText(trans), roma: withText(roma) }
  }
}

/** The offset of the lyric is that of all its layers, unless a layer has another one. */
function readLayers ({ lyric, trans, roma = '' }: Texts): Layers | undefined {
  const budget = budgetOf(lyric, trans, roma)
  const own = readLrc(lyric, budget)
  const offset = offsetOf(own?.tags['offset'])
  const [translated, romanised] = [trans, roma].map((text) => own && readLrc(text, budget, offset))
  if (own === undefined || translated === undefined || romanised === undefined) return undefined
  return { tags: own.tags, layers: { lyric: own.lines, trans: translated.lines, roma: romanised.lines } }
}

/** Returns the lines with their layers. A line of a layer that belongs to none stands alone. Undefined: too large. */
export function layeredLyric (texts: Texts): Layered | undefined {
  const read = readLayers(texts)
  if (read === undefined) return undefined
  const { tags, layers } = read
  return {
    tags,
    lines: others.reduce<readonly LayeredLine[]>((lines, name) => joined(lines, name, layers[name]), layers.lyric)
  }
}

/** Returns the lines in order of time (ms), one for each stamp, with their layers. Undefined if they are too large. */
export function parseLyric (texts: Texts): Parsed | undefined {
  const found = layeredLyric(texts)
  if (found === undefined) return undefined
  const lines = found.lines.filter(hasText).map(({ time, text, trans, roma }): LyricLine => {
    const line: LyricLine = time === undefined ? { text } : { time, text }
    if (trans !== undefined) line.trans = trans
    if (roma !== undefined) line.roma = roma
    return line
  })
  return { tags: found.tags, synced: lines.length > 0 && lines.every(({ time }) => time !== undefined), lines }
}

const hasText = ({ text, trans, roma }: LayeredLine): boolean =>
  text !== '' || trans !== undefined || roma !== undefined

function joined (lines: readonly LayeredLine[], name: Other, layer: readonly LrcLine[]): readonly LayeredLine[] {
  const given = layer.filter(({ text }) => text !== '')
  if (given.length === 0) return lines
  const all: LayeredLine[] = [...lines]
  const partners = partnersOf(lines, given)
  given.forEach(({ time, at, text }, index) => {
    const partner = partners[index]
    if (text === noText) return
    if (partner === undefined) all.push({ time, at, text: '', [name]: text })
    else all[partner] = { ...all[partner] as LayeredLine, [name]: text }
  })
  return all.sort((a, b) => a.at - b.at)
}

/** Rounds of `partnersOf`: the first joins nearly all lines, the others those with a stamp of their own. */
const rounds = 3

/**
 * Returns the index of the line that each line of a layer belongs to. Two lines belong together if each is the nearest
 * one to the other; lines with one stamp belong together in their order. No two pairs cross.
 */
function partnersOf (lines: readonly LayeredLine[], layer: readonly LrcLine[]): readonly (number | undefined)[] {
  const partners: (number | undefined)[] = layer.map(() => undefined)
  const taken: (number | undefined)[] = lines.map(() => undefined)
  // Without any time the order alone decides.
  const isTimed = ({ time }: LrcLine): boolean => time !== undefined
  const [ours, theirs] = [lines.some(isTimed), layer.some(isTimed)]
  if (ours !== theirs) return partners
  const mayJoin = (line: LrcLine): boolean => !ours || isTimed(line)
  for (let round = 0; round < rounds; round++) {
    const [left, right] = [
      groupsOf(lines, (line, at) => taken[at] === undefined && mayJoin(line) && hasText(line)),
      groupsOf(layer, (line, at) => partners[at] === undefined && mayJoin(line))
    ]
    const [nearestRight, nearestLeft] = [nearestOf(left, right), nearestOf(right, left)]
    const limits = round === 0 ? undefined : limitsOf(taken, layer.length)
    left.forEach(({ at, members }, index) => {
      const other = nearestRight[index] as number
      const group = right[other]
      if (group === undefined || nearestLeft[other] !== index || Math.abs(group.at - at) > nearMs) return
      const pairs = Math.min(members.length, group.members.length)
      for (let each = 0; each < pairs; each++) {
        const [line, partner] = [members[each] as number, group.members[each] as number]
        if (
          limits !== undefined
          && (partner < (limits.after[line] as number) || partner > (limits.before[line] as number))
        ) { continue }
        taken[line] = partner
        partners[partner] = line
      }
    })
  }
  return partners
}

interface Group { readonly at: number, readonly members: number[] }

function groupsOf (lines: readonly LrcLine[], accepts: (line: LayeredLine, index: number) => boolean): Group[] {
  const groups: Group[] = []
  lines.forEach((line, index) => {
    if (!accepts(line, index)) return
    const last = groups.at(-1)
    if (last?.at === line.at) last.members.push(index)
    else groups.push({ at: line.at, members: [index] })
  })
  return groups
}

/** Returns the index of the nearest of `all` for each group. */
function nearestOf (groups: readonly Group[], all: readonly Group[]): number[] {
  let index = 0
  return groups.map(({ at }) => {
    const distance = (other: number): number => Math.abs((all[other]?.at ?? Infinity) - at)
    while (distance(index + 1) < distance(index)) index++
    return index
  })
}

/** Returns for each line between which indices of the layer its partner must be, so that no pairs cross. */
function limitsOf (
  taken: readonly (number | undefined)[],
  length: number
): { readonly after: number[], readonly before: number[] } {
  let bound = 0
  const after = taken.map((partner) => (bound = partner ?? bound))
  bound = length
  const before = taken.toReversed().map((partner) => (bound = partner ?? bound)).reverse()
  return { after, before }
}

// @mutate lyrics: lyric-layers lyric-formats
