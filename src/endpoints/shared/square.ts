/** The playlist square, which everybody sees; cover and creator are null for some callers. Recorded 2026-08. */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'
import { eachOnce } from './eachOnce.ts'
import { needText, pictureOf, textOf } from './texts.ts'

export const squarePlaylists: MusicuCall<PlaylistSummary[]> = {
  name: 'recommend.playlists.square',
  ask: { module: 'music.playlist.PlaylistSquare', method: 'GetRecommendFeed', param: { From: 0, Size: 25 } },
  read: (answer) => someOf(maybe.list(answer, 'List', (row) => {
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

/** A row of the older square, by category or by tag. */
export function readPlazaRow (row: Answer): PlaylistSummary {
  return {
    dissid: need.id(row, 'tid'),
    dissname: needText(row, 'title'),
    creator: textOf(row, 'creator_info.nick'),
    listen_num: maybe.int(row, 'access_num') ?? 0,
    imgurl: pictureOf(row, 'cover_url_big', 'cover_url_medium', 'cover_url_small')
  }
}

/** A playlist counts once, where it stands first. Throws UPSTREAM_EMPTY when there is none. */
export function someOf (lists: readonly PlaylistSummary[], call: string): PlaylistSummary[] {
  const each = eachOnce(lists, ({ dissid }) => dissid)
  if (each.length === 0) throw upstreamEmpty(call, 'playlists')
  return each
}
