/** Lyrics in the interface's shapes. */
import type { Lyric } from '../../../schemas/music.ts'
import type { Fields } from './records.ts'

/** What the language of a lyric is not known to be. ISO 639 has this word. */
const unknownLanguage = 'und'

/** The provider translates into Chinese. */
const translationLanguage = 'zho'

/** A layer of a lyric, under the interface's word for it. */
interface Layer { readonly kind: 'main' | 'translation' | 'pronunciation', readonly lang: string, readonly line: readonly Fields[] }

/**
 * Returns the lyric, then its translation and, `enhanced`, its romanisation, each line with its time. Enhanced layers say what they are. A
 * text without times becomes lines without.
 */
export function structuredLyrics ({ lyric, parsed }: Pick<Lyric, 'lyric' | 'parsed'>, enhanced: boolean, about: Fields): Fields[] {
  const lines = parsed?.lines ?? []
  const timed = (layer: 'text' | 'trans' | 'roma'): Fields[] => lines.flatMap(({ time, [layer]: value }) => value === undefined ? [] : [{ start: time, value }])
  const layers: Layer[] = [
    { kind: 'main', lang: unknownLanguage, line: lines.length === 0 ? plainOf(lyric).map((value) => ({ value })) : timed('text') },
    { kind: 'translation', lang: translationLanguage, line: timed('trans') },
    { kind: 'pronunciation', lang: unknownLanguage, line: enhanced ? timed('roma') : [] }
  ]
  return layers.filter(({ line }) => line.length > 0).map(({ kind, lang, line }) => ({
    lang,
    synced: lines.length > 0,
    ...about,
    ...enhanced ? { kind } : {},
    line
  }))
}

/** Returns the lines without stamps and tags. */
export function plainOf (lyric: string): string[] {
  return lyric.split('\n').map((line) => line.replaceAll(/\[[^\]]*\]/g, '').trim()).filter((line) => line !== '')
}
