/**
 * What is in trouble upstream, in words of the page. The health of the relay names its calls, such as `search.songs`.
 * @typedef {import('../../src/upstream/callStatus.ts').CallStatus} CallStatus
 * @typedef {import('../shared/language.js').Sentence} Sentence
 */
import { t } from '../shared/language.js'

/** By the first part of a call's name. @type {Readonly<Record<string, Sentence>>} */
export const families = {
  album: 'Albums', albums: 'Albums', chart: 'Charts', comments: 'Comments', daily: 'Recommendations', feed: 'Recommendations', home: 'Recommendations', hotkeys: 'Trending searches',
  link: 'Short links', login: 'Logins', lyric: 'Lyrics', mv: 'MVs', play: 'Playing', playlist: 'Playlists', playlists: 'Playlists', radio: 'Radio', radios: 'Radio',
  recommend: 'Recommendations', search: 'Search', singer: 'Singers', song: 'Songs', tickets: 'Tickets', user: 'Own collection'
}

/** @type {Readonly<Record<Exclude<CallStatus, 'ok'>, Sentence>>} */
export const troubles = {
  'drift': 'answers that this version cannot read',
  'retired': 'no longer offered',
  'risk-controlled': 'too many requests',
  'login needed': 'needs a login',
  'refused': 'refused',
  'empty': 'empty answers',
  'unreachable': 'no answer'
}

/**
 * Returns a list such as `Search: no answer, Charts: refused`, of three at most.
 * @param {readonly { readonly name: string, readonly verdict?: CallStatus }[]} calls calls in trouble
 */
export function troublesIn (calls) {
  const named = calls.flatMap(({ name, verdict }) => {
    const [family = ''] = name.split('.', 1)
    if (verdict === undefined || verdict === 'ok') return []
    // A newer relay may have calls that this page does not know.
    return `${families[family] === undefined ? family : t(families[family])}${t(': ')}${t(troubles[verdict])}`
  })
  return [...new Set(named)].slice(0, 3).join(t(', '))
}
