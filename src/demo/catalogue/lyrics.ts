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
  return Array.from({ length: 4 + seed % 3 }, (_, at) => ['ka', 'mi', 'to', 'ne', 'su', 'ro'][(seed + at * 5) % 6])
    .join(' ')
}

function headOf (song: Song): string[] {
  return [`[ti:${song.title}]`, `[ar:${singerText(song.singers)}]`, `[al:${song.album?.name ?? ''}]`, '[by:]', '[offset:0]']
}

/**
 * Timed lines with oddities that were all observed or reported upstream: the refrain occurs once with two time tags,
 * one line is empty, two lines have one time tag, apostrophes are `&apos;` or `\&apos;`, every seventh song writes
 * milliseconds with three digits, and the times of a translation and a romanisation differ from the lyric by 1 to 20
 * ms.
 */
function sungOf (song: Song): Lyric {
  const random = randomFrom(seedOf(song.mid))
  const words = song.lyric === 'chinese' || (song.lyric === 'translated' && song.id % 2 === 0) ? chineseLines : lines
  const other = words === lines ? chineseLines : lines
  const digits = song.id % 7 === 0 ? 3 : 2
  const out = [...headOf(song), `${stamp(0, digits)}${song.title} - ${singerText(song.singers)}`, `${stamp(4.2, digits)}词：示例作者`]
  const roma: string[] = []
  const trans = [...headOf(song), `${stamp(0, digits)}//`, `${stamp(4.2, digits)}//`]
  const drift = randomFrom(seedOf(`${song.mid} layers`))
  const apart = (seconds: number): string => stamp(seconds + (drift.int(0, 1) * 2 - 1) * drift.int(1, 20) / 1000, 3)
  let time = 12 + random.next() * 5
  const count = random.int(12, 24)
  for (let i = 0; i < count; i++) {
    const tags = i === 4 ? stamp(time, digits) + stamp(time + 60, digits) : stamp(time, digits)
    out.push(tags + (i === 7 ? '' : random.pick(words).replaceAll("'", song.id % 2 === 0 ? '&apos;' : '\\&apos;')))
    trans.push(apart(time) + (i % 6 === 5 ? '//' : random.pick(other)))
    if (i !== 7) roma.push(`${apart(time)}${syllables(song.id + i)}`)
    // The second voice of line 9 begins with the first one.
    if (i !== 8) time += 3 + random.next() * 5
  }
  return {
    lyric: out.join('\n'),
    trans: song.lyric === 'translated' ? trans.join('\n') : '',
    roma: song.lyric === 'translated' ? roma.join('\n') : ''
  }
}

/** As listeners type it: text only, with headings in brackets (reported 2026). */
function untimedOf ({ lyric }: Lyric): Lyric {
  const sung = lyric.split('\n').filter((line) => /^\[\d/.test(line)).map((line) =>
    line.replace(/^(?:\[[^\]]*\])+/, '')
  )
  return { lyric: ['[Verse 1]', ...sung].join('\n'), trans: '', roma: '' }
}

/** The times are late by half a second, and a tag says so (reported 2026). */
const shiftedOf = ({ lyric, ...layers }: Lyric): Lyric => ({
  lyric: lyric.replace('[offset:0]', '[offset:500]'),
  ...layers
})

/** Returns the lyric of a song; undefined for a song without lyrics. */
export function lyricText (song: Song): Lyric | undefined {
  if (song.lyric === 'none') return undefined
  if (song.lyric === 'untimed') return untimedOf(sungOf(song))
  if (song.lyric === 'shifted') return shiftedOf(sungOf(song))
  if (song.lyric !== 'instrumental') return sungOf(song)
  return { lyric: [...headOf(song), '[00:00.00]此歌曲为没有填词的纯音乐，请您欣赏'].join('\n'), trans: '', roma: '' }
}

/** Returns what is sung in a song, line by line, without times. */
export function linesOf (song: Song): readonly string[] {
  return (lyricText(song)?.lyric ?? '').split('\n').map((line) =>
    line.replace(/^(?:\[[^\]]*\])+/, '').replaceAll(/\\?&apos;/g, "'")
  )
}
