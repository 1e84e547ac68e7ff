/** The language of the page: the browser's, or the one that was chosen. English texts are the keys of the other. */
import { computed, signal } from '@preact/signals'
import { zh } from './zh.ts'

export type Sentence = keyof typeof zh
type Language = 'en' | 'zh-CN'

const place = 'music-relay language'
const language = signal<Language>('en')

export const inChinese = (): boolean => language.value === 'zh-CN'

/** Returns a text in the language of the page, with the values of its {names}. */
export function t (sentence: Sentence, values: Readonly<Record<string, string | number>> = {}): string {
  const text: string = inChinese() ? zh[sentence] : sentence
  return text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all))
}

export const countOf = (one: Sentence, several: Sentence, count: number): string =>
  count === 1 ? t(one) : t(several, { count: count.toLocaleString(language.value) })

/** Returns a day, as people write it. `seconds`: Unix seconds. */
export const dayOf = (seconds: number): string =>
  new Date(1000 * seconds).toLocaleDateString(language.value, { dateStyle: 'medium' })

/** Returns a day of China, written YYYY-MM-DD, as people write it. */
export const dayInChina = (day: string): string =>
  new Date(`${day}T00:00:00+08:00`).toLocaleDateString(language.value, {
    dateStyle: 'medium',
    timeZone: 'Asia/Shanghai'
  })

/** Returns a day and time, as people write it. `seconds`: Unix seconds. */
export const dateOf = (seconds: number): string =>
  new Date(1000 * seconds).toLocaleString(language.value, { dateStyle: 'medium', timeStyle: 'short' })

/** Made once for a language: each takes a millisecond, and a view has twenty numbers. */
const compact = computed(() => Intl.NumberFormat(language.value, { notation: 'compact', maximumFractionDigits: 1 }))

/** Returns a large number in few letters, such as 12K. */
export const roughly = (count: number): string => compact.value.format(count)

function use (wanted: Language): void {
  language.value = wanted
  document.documentElement.lang = wanted
}

/** Chooses the language: the one of the last visit, or the first of the browser's that is here. */
export function startLanguage (): void {
  const known = [stored() ?? '', ...navigator.languages].find((name) => /^(?:en|zh)\b/i.test(name)) ?? 'en'
  use(/^zh/i.test(known) ? 'zh-CN' : 'en')
}

export function changeLanguage (): void {
  use(inChinese() ? 'en' : 'zh-CN')
  try {
    localStorage.setItem(place, language.value)
  } catch {} // The next visit begins in the language of the browser.
}

function stored (): string | null {
  try {
    return localStorage.getItem(place)
  } catch {
    return null // the browser forbids storage
  }
}
