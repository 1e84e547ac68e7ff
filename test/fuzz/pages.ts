/** Requests of pages, widgets and audio: sessions and their accounts, the operator's link, Meting, /stream, files, health. */
import * as fc from 'fast-check'
import type { FuzzRequest } from './requests.ts'

/** Accounts of the relay under test. `{secret-0}` in a header becomes the secret of the first, `{session-1}` the cookie of the second. */
export const names = ['kitchen', 'hall'] as const

const songs = fc.constantFrom('00DemoSong0001', '00DemoSong0004', '00DemoSong0001.mp3', '7700000001', '00DemoAlbu0001', '5000001', '%00', 'x')
const site = fc.constantFrom<Record<string, string>>({}, { 'sec-fetch-site': 'same-origin' }, {
  'sec-fetch-site': 'cross-site'
}, { origin: 'https://a.example' }, { 'origin': 'http://localhost', 'sec-fetch-site': 'same-origin' })
const who = fc.constantFrom<Record<string, string>>(
  {}, { cookie: 'music_relay_session={session-0}' }, { cookie: 'music_relay_session={session-1}' }, { authorization: 'Bearer {secret-0}' }, { authorization: 'Bearer {secret-1}' },
  { authorization: 'Bearer {secret-0}', cookie: 'music_relay_session={session-1}' }, { cookie: `music_relay_session=${'A'.repeat(43)}` }, { cookie: 'music_relay_session={session-0}; music_relay_session={session-1}' }
)

/** `anything`: texts that no schema knows. */
export function pageRequests (anything: fc.Arbitrary<string>): fc.Arbitrary<FuzzRequest> {
  const text = fc.oneof({
    weight: 4, arbitrary: fc.constantFrom('kitchen', 'hall', 'default', '0123456789abcdef', '')
  }, { weight: 1, arbitrary: anything })
  const body = fc.record(
    { account: text, code: text, name: text, uuid: text, qrsig: text, stay: fc.boolean() }, { requiredKeys: [] }
  ).map((value) => JSON.stringify(value))
  const posts = fc.tuple(
    fc.constantFrom('/login/session', '/login/session/end', '/login/operator', '/login/account'),
    fc.oneof(body, body, fc.constantFrom('', '[]', 'null', '{"account":{}}', '{"__proto__":1}'))
  )
    .map(([target, sent]) => ({ method: 'POST', target, body: sent }))
  const words = fc.record({
    type: fc.oneof(fc.constantFrom('playlist', 'album', 'artist', 'search', 'song', 'lrc', 'pic', 'url'), anything),
    id: fc.oneof(songs, anything), page: anything, auth: anything, server: fc.constantFrom('tencent', 'x')
  }, { requiredKeys: ['type', 'id'] })
  const gets = fc.oneof(
    words.map((query) => `/meting?${new URLSearchParams(query).toString()}`),
    fc.tuple(songs, fc.constantFrom('', '?quality=best', '?quality=flac', '?quality=x')).map(([song, query]) => `/stream/${song}${query}`),
    songs.map((song) => `/cover/${song}`),
    fc.constantFrom('/login/session', '/login/account', '/', '/login', '/docs/json', '/health/live', '/health/ready', '/health/upstream', '/metrics', '/user/getUserLikedSongs?limit=3', '/user/getCookie', '/user/getUserPlaylists?uin=1')
  ).map((target) => ({ method: 'GET', target: target.slice(0, 8000) }))
  return fc.tuple(fc.oneof(posts, gets), site, who).map(([asked, from, as]): FuzzRequest =>
    ({
      kind: 'page', headers: { ...from, ...as, ...'body' in asked ? { 'content-type': 'application/json' } : {} },
      ...asked
    }))
}
