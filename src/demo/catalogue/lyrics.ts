import { singerText } from '../shapes/text.ts'
import { randomFrom, seedOf } from './random.ts'
import type { Song } from './types.ts'
import { chineseLines, lines } from './words.ts'

export interface Lyric { lyric: string, trans: string, roma: string }

function stamp (seconds: number, digits: 2 | 3): string {
  const minutes = String(Math.floor(seconds / 60)).padStart(2, '0')
  return `[${minutes}:${(seconds % 60).toFixed(digits).padStart(digits + 3, '0')}]`
}

/** Returns a stand-in for a romanisation. */
function syllables (seed: number): string {
  return Array.from({ length: 4 + seed % 3 }, (_, at) => ['ka', 'mi', 'to', 'ne', 'su', 'ro'][(seed + at * 5) % 6]).join(' ')
}

function headOf (song: Song): string[] {
  return [`[ti:${song.title}]`, `[ar:${singerText(song.singers)}]`, `[al:${song.album?.name ?? ''}]`, '[by:]', '[offset:0]']
}

/**
 * Timed lines with oddities that were all observed upstream: the refrain occurs once with two time tags, one line is
 * empty, apostrophes are `&apos;`, and every seventh song writes milliseconds with three digits.
 */
function sungOf (song: Song): Lyric {
  const random = randomFrom(seedOf(song.mid))
  const words = song.lyric === 'chinese' || (song.lyric === 'translated' && song.id % 2 === 0) ? chineseLines : lines
  const other = words === lines ? chineseLines : lines
  const digits = song.id % 7 === 0 ? 3 : 2
  const out = [...headOf(song), `${stamp(0, digits)}${song.title} - ${singerText(song.singers)}`, `${stamp(4.2, digits)}词：示例作者`]
  const roma: string[] = []
  const trans = [...headOf(song), `${stamp(0, digits)}//`, `${stamp(4.2, digits)}//`]
  let time = 12 + random.next() * 5
  const count = random.int(12, 24)
  for (let i = 0; i < count; i++) {
    const tags = i === 4 ? stamp(time, digits) + stamp(time + 60, digits) : stamp(time, digits)
    out.push(tags + (i === 7 ? '' : random.pick(words).replaceAll("'", '&apos;')))
    trans.push(stamp(time, digits) + (i % 6 === 5 ? '//' : random.pick(other)))
    if (i !== 7) roma.push(`${stamp(time, digits)}${syllables(song.id + i)}`)
    time += 3 + random.next() * 5
  }
  return { lyric: out.join('\n'), trans: song.lyric === 'translated' ? trans.join('\n') : '', roma: song.lyric === 'translated' ? roma.join('\n') : '' }
}

/** Returns the lyric of a song; undefined for a song without lyrics. */
export function lyricText (song: Song): Lyric | undefined {
  if (song.lyric === 'none') return undefined
  if (song.lyric !== 'instrumental') return sungOf(song)
  return { lyric: [...headOf(song), '[00:00.00]此歌曲为没有填词的纯音乐，请您欣赏'].join('\n'), trans: '', roma: '' }
}

/** Returns what is sung in a song, line by line, without times. */
export function linesOf (song: Song): readonly string[] {
  return (lyricText(song)?.lyric ?? '').split('\n').map((line) => line.replace(/^(?:\[[^\]]*\])+/, '').replaceAll('&apos;', '\''))
}
