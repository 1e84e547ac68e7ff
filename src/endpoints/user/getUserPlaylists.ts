/**
 * The playlists that an account created. The upstream sends all of them at once, so the relay cuts the pages, which are
 * consistent.
 */
import { codeData, endpoint } from '../kit.ts'
import { GetUserPlaylistsQuery, UserPlaylists } from '../../../schemas/user.ts'
import { accountDigits } from '../../upstream/wire/credentials.ts'
import {
  createdListsOf, homepageOf, playlistsOf, readCreatedLists, readHomepage, readPlaylists, sessionCheck
} from '../shared/accountCalls.ts'

export const getUserPlaylists = endpoint({
  method: 'GET',
  path: '/user/getUserPlaylists',
  tag: 'user',
  summary: 'Playlists of an account',
  summaryInChinese: '用户的歌单',
  description: 'The playlists that the account made, its liked songs first (dirid 201). Public lists need no login; with a cookie the lists of its own account are complete, and an expired cookie is reported as COOKIE_REJECTED.',
  example: { uin: '1000000101', limit: 10 },
  probe: ({ accounts }) => accounts.map((uin) => ({ uin, limit: 1 })),
  input: GetUserPlaylistsQuery,
  record: UserPlaylists,
  envelope: codeData,
  login: 'optional',
  failsWithEndedLogin: true, // the lists of somebody else's account would look like an answer

  async run ({ uin: given, offset, limit }, { upstream, credential }) {
    const uin = accountDigits(given) ?? given
    const lists = playlistsOf(uin, readPlaylists)
    const created = createdListsOf(uin, readCreatedLists)
    const { rows, skipped } =
      await upstream.firstOf(credential === undefined ? [lists, created]
        : [sessionCheck(lists), created, homepageOf(uin, credential, readHomepage)])
    return { playlists: rows.slice(offset, offset + limit), total: rows.length, skipped }
  }
})
