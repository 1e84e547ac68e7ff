/** What is in trouble upstream, in words of the page: the relay names calls, such as `search.songs`. */
import type { Verdict } from '../../src/common/kinds.ts'
import { t, type Sentence } from './language.ts'

/** By the first part of a call's name. */
export const families: Readonly<Record<string, Sentence>> = {
  album: 'Albums',
  albums: 'Albums',
  chart: 'Charts',
  comments: 'Comments',
  daily: 'Recommendations',
  feed: 'Recommendations',
  home: 'Recommendations',
  hotkeys: 'Trending searches',
  link: 'Short links',
  login: 'Logins',
  lyric: 'Lyrics',
  mv: 'MVs',
  play: 'Playing',
  playlist: 'Playlists',
  playlists: 'Playlists',
  radio: 'Radio',
  radios: 'Radio',
  recommend: 'Recommendations',
  search: 'Search',
  singer: 'Singers',
  song: 'Songs',
  tickets: 'Tickets',
  user: 'Own collection'
}

export const troubles: Readonly<Record<Exclude<Verdict, 'ok'>, Sentence>> = {
  'drift': 'answers that this version cannot read',
  'retired': 'no longer offered',
  'risk-controlled': 'too many requests',
  'login needed': 'needs a login',
  'refused': 'refused',
  'empty': 'empty answers',
  'unreachable': 'no answer'
}

type Call = { readonly name: string, readonly verdict?: Verdict }

/** Whether a call is in trouble. That a login is needed or nothing was found is none. */
export const isIll = ({ verdict }: Call): boolean =>
  verdict !== undefined && verdict !== 'ok' && verdict !== 'empty' && verdict !== 'login needed'

/** The family of a call. A newer relay may have calls that this page does not know. */
export function familyOf (name: string): string {
  const [family = ''] = name.split('.', 1)
  return families[family] === undefined ? family : t(families[family])
}

/** Returns what is wrong, such as `Search: no answer`, each once. `in part`: other calls of that kind are answered. */
export function troublesIn (calls: readonly Call[]): string[] {
  const well = new Set(calls.flatMap(({ name, verdict }) => verdict === 'ok' ? [familyOf(name)] : []))
  const named = calls.filter(isIll).map(({ name, verdict }) => {
    const [family, trouble] = [familyOf(name), t(troubles[verdict as keyof typeof troubles])]
    return `${well.has(family) ? t('{family}, in part', { family }) : family}${t(': ')}${trouble}`
  })
  return [...new Set(named)]
}
