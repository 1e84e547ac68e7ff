/**
 * Recommendations for an account. The call for songs also answers without a valid session, so a session check is sent
 * with it: otherwise an expired cookie would return general songs as personal ones. Recorded 2026-08.
 */
import { endpoint, noteMissing, optional, statusBody, type MusicuCall } from '../kit.ts'
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { GetPersonalRecommendQuery, PersonalRecommend } from '../../../schemas/recommend.ts'
import { feedChain, playlistsIn, personalRadio, radarSongs } from '../shared/recommended.ts'
import { sessionCheck } from '../shared/accountCalls.ts'
import type { CountedRows } from '../shared/pages.ts'
import { squarePlaylists } from '../shared/playlistCalls.ts'

/** Cards of the feed. The fallback is rows of the square, which is public. */
const playlistChain: readonly MusicuCall<CountedRows<PlaylistSummary>>[] = [...feedChain(playlistsIn), squarePlaylists]

export const getPersonalRecommend = endpoint({
  method: 'GET',
  path: '/getPersonalRecommend',
  tag: 'recommend',
  summary: 'Songs and playlists recommended to an account',
  summaryInChinese: '个性化推荐的歌曲和歌单',
  description: 'The upstream\'s radar songs (if they fail, those of the personal radio station), and the playlists of the account\'s home feed. An expired cookie is COOKIE_REJECTED.',
  example: {},
  probe: ({ accounts }) => accounts.map(() => ({})),
  input: GetPersonalRecommendQuery,
  record: PersonalRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, context) {
    const { upstream } = context
    const [found, playlists] = await Promise.all([
      upstream.firstOf([
        sessionCheck(radarSongs(1, (found) => found)),
        ...personalRadio(({ rows: songs, skipped }) => ({ songs, skipped, hasMore: true }))
      ]),
      optional(
        upstream.firstOf(playlistChain),
        (error) => noteMissing(context, error, 'songs are recommended without playlists')
      )
    ])
    return { ...found, playlists: playlists?.rows ?? [], skipped: found.skipped + (playlists?.skipped ?? 0) }
  }
})
