/** Lyrics in the formats of the interface. */
import type { Lyric } from '../../../schemas/music.ts'
import type { Fields } from './records.ts'

/** Code for an unknown language of a lyric, from ISO 639. */
const unknownLanguage = 'und'

/** The provider translates into Chinese. */
const translationLanguage = 'zho'

/** A layer of a lyric. `kind`: the interface's name for it. */
interface Layer { readonly kind: 'main' | 'translation' | 'pronunciation', readonly lang: string, readonly line: readonly Fields[] }

/**
 * Returns the lyric, then its translation and, if `enhanced`, its romanisation, each line with its time. Enhanced layers have
 * a kind. A text without times becomes lines without times.
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

/** Returns the lines without time stamps and tags. */
export function plainOf (lyric: string): string[] {
  return lyric.split('\n').map((line) => line.replaceAll(/\[[^\]]*\]/g, '').trim()).filter((line) => line !== '')
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
