/** Lyrics in the interface's shapes. */
import type { Lyric } from '../../../schemas/music.ts'
import type { Fields } from './records.ts'

/** What the language of a lyric is not known to be. ISO 639 has this word. */
const unknownLanguage = 'und'

/** Returns the lyric, then its translation, each line with its time. A text without times becomes lines without. */
export function structuredLyrics ({ lyric, parsed }: Pick<Lyric, 'lyric' | 'parsed'>, about: Fields): Fields[] {
  const lines = parsed?.lines ?? []
  if (lines.length === 0) {
    const plain = plainOf(lyric)
    return plain.length === 0 ? [] : [{ lang: unknownLanguage, synced: false, ...about, line: plain.map((value) => ({ value })) }]
  }
  const translated = lines.filter(({ trans }) => trans !== undefined)
  return [
    { lang: unknownLanguage, synced: true, ...about, line: lines.map(({ time, text }) => ({ start: time, value: text })) },
    ...translated.length === 0 ? [] : [{ lang: translationLanguage, synced: true, ...about, line: translated.map(({ time, trans }) => ({ start: time, value: trans })) }]
  ]
}

/** The provider translates into Chinese. */
const translationLanguage = 'zho'

/** Returns the lines without stamps and tags. */
export function plainOf (lyric: string): string[] {
  return lyric.split('\n').map((line) => line.replaceAll(/\[[^\]]*\]/g, '').trim()).filter((line) => line !== '')
}
