/**
 * Joins the layers of a lyric: its lines, their translation and their romanisation. The layers are typed by different
 * people, and the times of a pair differ by 1 to 20 ms, or more (reported 2026). So lines are joined by order and
 * nearness.
 */
import type { Lyric, LyricLine } from '../../../schemas/music.ts'
import { budgetOf, offsetOf, readLrc, type LrcLine } from './lrc.ts'

/** Header tags and lines of a lyric. */
export type Parsed = NonNullable<Lyric['parsed']>

/** A line with its other layers. `at`: where it stands, as in `LrcLine`. */
export interface LayeredLine extends LrcLine { readonly trans?: string, readonly roma?: string }

/** Lines in the order of time. Lines without any text are included. */
export interface Layered { readonly tags: Parsed['tags'], readonly lines: readonly LayeredLine[] }

/** Texts of a lyric as the upstream sends them. */
type Texts = Pick<Lyric, 'lyric' | 'trans' | 'roma'>

/** Layers besides the lyric. */
const others = ['trans', 'roma'] as const
type Other = typeof others[number]

/** Marks a line of a layer without text there. */
const noText = '//'

/** Lines of two layers whose starts differ by more belong to different lines. Milliseconds. */
const nearMs = 500

/** The lines of each layer, and the tags of the lyric. */
interface Layers {
  readonly tags: Parsed['tags']
  readonly layers: Readonly<Record<'lyric' | Other, readonly LrcLine[]>>
}

/**
 * Returns the lines of each layer by themselves, without empty ones. No line of a layer depends on another layer.
 * Returns undefined if they are too large.
 */
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

/**
 * Returns the lines with their layers. A line of a layer that belongs to none is a line by itself. Returns undefined if
 * they are too large.
 */
export function layeredLyric (texts: Texts): Layered | undefined {
  const read = readLayers(texts)
  if (read === undefined) return undefined
  const { tags, layers } = read
  return {
    tags,
    lines: others.reduce<readonly LayeredLine[]>((lines, name) => joined(lines, name, layers[name]), layers.lyric)
  }
}

/**
 * Returns the lines in order of time (milliseconds), each with its translation and romanisation. A line with several
 * time stamps becomes several lines. Returns undefined if they are too large.
 */
export function parseLyric (texts: Texts): Parsed | undefined {
  const found = layeredLyric(texts)
  if (found === undefined) return undefined
  const lines = found.lines.filter(hasText).map(({ time, text, trans, roma }): LyricLine => ({
    ...time === undefined ? {} : { time },
    text,
    ...trans === undefined ? {} : { trans },
    ...roma === undefined ? {} : { roma }
  }))
  return { tags: found.tags, synced: lines.length > 0 && lines.every(({ time }) => time !== undefined), lines }
}

const hasText = ({ text, trans, roma }: LayeredLine): boolean =>
  text !== '' || trans !== undefined || roma !== undefined

/** Returns the lines with a further layer. */
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

/**
 * Rounds of `partnersOf`: the first one joins nearly all lines, the others those with a stamp that their partner does
 * not share.
 */
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
    let found = false
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
        found = true
      }
    })
    if (!found || right.length === 0) break
  }
  return partners
}

/** Lines with the same start. */
interface Group { readonly at: number, readonly members: number[] }

/** Returns the indices of the accepted lines, by their starts. */
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

/** Returns the index of the nearest other group for each group. -1 if there is none. */
function nearestOf (groups: readonly Group[], all: readonly Group[]): number[] {
  let index = 0
  return groups.map(({ at }) => {
    const distance = (other: number): number => Math.abs((all[other]?.at ?? Infinity) - at)
    while (index + 1 < all.length && distance(index + 1) < distance(index)) index++
    return all.length === 0 ? -1 : index
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
