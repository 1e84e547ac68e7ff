/**
 * @typedef {import('../../schemas/accounts.ts').AccountInUse} AccountInUse
 * @typedef {import('../../schemas/accountState.ts').AccountState} AccountState
 * @typedef {import('../../schemas/charts.ts').Chart} Chart
 * @typedef {import('../../schemas/music.ts').SongInfo} SongInfo
 * @typedef {import('../../schemas/discover.ts').ImageUrl} ImageUrl
 * @typedef {import('../../schemas/music.ts').Lyric} Lyric
 * @typedef {import('../../schemas/music.ts').MusicPlay} MusicPlay
 * @typedef {import('../../schemas/music.ts').AlbumInfo} AlbumInfo
 * @typedef {import('../../schemas/playlists.ts').PlaylistDetail} PlaylistDetail
 * @typedef {import('../../schemas/resolve.ts').Resolved} Resolved
 * @typedef {import('../../schemas/search.ts').Hotkeys} Hotkeys
 * @typedef {import('../../schemas/search.ts').SearchResult} SearchResult
 * @typedef {import('../../schemas/singers.ts').SingerSongs} SingerSongs
 * @typedef {import('../../schemas/user.ts').CookieInfo} CookieInfo
 * @typedef {import('../../src/upstream/monitor.ts').UpstreamHealth} UpstreamHealth
 */

/**
 * The paths that this page requests, and the record of each.
 * @typedef {{
 *   'account': AccountState,
 *   'getAlbumInfo': AlbumInfo,
 *   'getHotkey': Hotkeys,
 *   'getImageUrl': ImageUrl,
 *   'getLyric': Lyric,
 *   'getMusicPlay': MusicPlay,
 *   'getRanks': Chart,
 *   'getSearchByKey': SearchResult,
 *   'getSingerHotsong': SingerSongs,
 *   'getSongInfo': SongInfo,
 *   'getSongListDetail': PlaylistDetail,
 *   'health/upstream': UpstreamHealth,
 *   'login/account': AccountInUse,
 *   'resolve': Resolved,
 *   'user/getCookie': CookieInfo
 * }} Records
 */

import { RequestError, relayGone } from '../shared/failure.js'

/** @typedef {Readonly<Record<string, string | number>>} Query */

// The login is in this variable only: never in an address or the history.
let login = ''

/**
 * Sends this login with every later request: a cookie, or the secret or a key of a stored account; '' sends none.
 * @param {string} text
 */
export function useLogin (text) { login = text }

/** Returns true if a login of this page is in use. */
export const hasLogin = () => login !== ''

/** No header holds line ends or letters of other scripts. The relay reads what is encoded. */
const headerText = () => /^[ -~]*$/.test(login) ? login : encodeURIComponent(login.replaceAll(/\p{Cs}/gu, ''))

/** @returns {Record<string, string>} */
const loginHeaders = () => !hasLogin() ? {} : /^m[rk]_/.test(login) ? { authorization: `Bearer ${login}` } : { 'x-custom-cookie': headerText() }

/**
 * Returns the relative address of a request, so that the page works below any path of a reverse proxy.
 * @param {keyof Records} path
 * @param {Query} query
 */
export function addressOf (path, query) {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * Requests a record and removes its envelope. Throws a RequestError.
 * @template {keyof Records} P
 * @param {P} path
 * @param {Query} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Records[P]>}
 */
export async function ask (path, query = {}, signal) {
  let response, body
  try {
    response = await fetch(addressOf(path, query), { signal: signal ?? null, headers: loginHeaders() })
    body = await response.json()
  } catch (error) {
    if (signal?.aborted) throw error
    if (!hasLogin() || !(error instanceof TypeError) || response !== undefined) throw relayGone()
    throw new RequestError({ error: 'The relay does not answer, or the login holds characters that no cookie or secret has.', code: 'LOGIN_TEXT' })
  }
  if (!response.ok) throw new RequestError(body)
  const inner = body.response ?? body
  return inner.data ?? inner
}
