/** The playlists an account made. Upstream sends all of them at once, so pages are cut here and are dependable. */
import { codeData } from '../../../schemas/envelopes.ts'
import { GetUserPlaylistsQuery, UserPlaylists } from '../../../schemas/user.ts'
import type { UserPlaylist } from '../../../schemas/user.ts'
import { endpoint } from '../../endpoint.ts'
import type { Context } from '../../endpoint.ts'
import { accountDigits } from '../../provider/credentials.ts'
import { createdListsOf, homepageOf, playlistsOf, readCreatedLists, readHomepage, readPlaylists } from '../shared/account.ts'
import { withGoodCookie } from '../shared/goodCookie.ts'

async function allPlaylists (uin: string, { upstream, credential }: Context): Promise<UserPlaylist[]> {
  const lists = playlistsOf(uin, readPlaylists)
  const created = createdListsOf(uin, readCreatedLists)
  if (credential === undefined) return await upstream.firstOf([lists, created])
  return await withGoodCookie(upstream, lists, async (rest) => await rest.firstOf([created, homepageOf(uin, credential, readHomepage)]))
}

export const getUserPlaylists = endpoint({
  method: 'GET',
  path: '/user/getUserPlaylists',
  tag: 'user',
  summary: 'Playlists of an account',
  description: 'The playlists that the account made, its liked songs first (dirid 201). Public lists need no login; with a cookie the lists of its own account are complete, and an expired cookie is reported as COOKIE_REJECTED.',
  example: { uin: '1000000101', limit: 10 },
  input: GetUserPlaylistsQuery,
  record: UserPlaylists,
  envelope: codeData,
  login: 'optional',

  async run ({ uin, offset, limit }, context) {
    const playlists = await allPlaylists(accountDigits(uin) ?? uin, context)
    return { playlists: playlists.slice(offset, offset + limit), total: playlists.length }
  }
})
