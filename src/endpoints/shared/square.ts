/** The playlist square, which is public. Cover and creator are null for some callers. Recorded 2026-08. */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'
import { uniqueBy } from './uniqueBy.ts'
import { needText, pictureOf, textOf } from './fields.ts'

/** The call for the playlists of the square. */
export const squarePlaylists: MusicuCall<PlaylistSummary[]> = {
  name: 'recommend.playlists.square',
  request: { module: 'music.playlist.PlaylistSquare', method: 'GetRecommendFeed', param: { From: 0, Size: 25 } },
  read: (answer) => requirePlaylists(maybe.list(answer, 'List', (row) => {
    const basic = need.at(row, 'Playlist.basic')
    return {
      dissid: need.id(basic, 'tid'),
      dissname: needText(basic, 'title'),
      creator: textOf(basic, 'creator.nick'),
      listen_num: maybe.int(basic, 'play_cnt') ?? 0,
      imgurl: pictureOf(basic, 'cover.default_url', 'cover.medium_url', 'cover.big_url')
    }
  }), answer.call)
}

/** Reads a row of the older square, by category or by tag. */
export function readPlazaRow (row: Answer): PlaylistSummary {
  return {
    dissid: need.id(row, 'tid'),
    dissname: needText(row, 'title'),
    creator: textOf(row, 'creator_info.nick'),
    listen_num: maybe.int(row, 'access_num') ?? 0,
    imgurl: pictureOf(row, 'cover_url_big', 'cover_url_medium', 'cover_url_small')
  }
}

/** Removes repeated playlists; the first one stays. Throws UPSTREAM_EMPTY if there is none. */
export function requirePlaylists (lists: readonly PlaylistSummary[], call: string): PlaylistSummary[] {
  const each = uniqueBy(lists, ({ dissid }) => dissid)
  if (each.length === 0) throw upstreamEmpty(call, 'playlists')
  return each
}
