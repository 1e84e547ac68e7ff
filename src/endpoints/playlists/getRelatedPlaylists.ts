/**
 * Playlists related to a song, without a login (observed 2026-09). The next ones depend on the request's list of
 * playlists already shown. The upstream accepts only the number of the song.
 */
import { GetRelatedPlaylistsQuery, RelatedPlaylists, mostShown } from '../../../schemas/around.ts'
import {
  codeMsgData, endpoint, maybe, nameOf, need, pictureOf, textOf, uniqueBy, upstreamEmpty, type Answer, type MusicuCall
} from '../kit.ts'
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { readCounted, together } from '../shared/pages.ts'
import { songFactsOf } from '../shared/song.ts'

interface PlaylistsAround {
  readonly next: PlaylistSummary[]
  readonly steady: PlaylistSummary[]
  readonly hasMore: boolean
  readonly skipped: number
}

const relatedOf = (songid: number, shown: readonly number[]): MusicuCall<PlaylistsAround> => ({
  name: 'song.playlists',
  request: { module: 'music.recommend.TrackRelationServer', method: 'GetRelatedPlaylist', param: { songid, vecPlaylist: shown } },
  read: readRelated
})

/** Reads three playlists that depend on those already shown, and a few groups that never change. */
function readRelated (answer: Answer): PlaylistsAround {
  if (answer.reach('vecPlaylist') === undefined && answer.reach('hasMore') === undefined) {
    throw upstreamEmpty(answer.call, 'playlists')
  }
  const next = readCounted(answer, ['vecPlaylist'], readPlaylist)
  const steady =
    together(maybe.list(answer, 'vecPlaylistNew', (group) => readCounted(group, ['playlists'], readPlaylist)))
  return {
    next: next.rows,
    steady: steady.rows,
    skipped: next.skipped + steady.skipped,
    hasMore: maybe.flag(answer, 'hasMore') ?? false
  }
}

/** Reads a playlist. Its count is a text, usually an empty one. */
function readPlaylist (row: Answer): PlaylistSummary {
  return {
    dissid: need.id(row, 'tid'),
    dissname: nameOf(row, 'title'),
    creator: textOf(row, 'creator'),
    listen_num: maybe.int(row, 'playCnt') ?? 0,
    imgurl: pictureOf(row, 'cover')
  }
}

export const getRelatedPlaylists = endpoint({
  method: 'GET',
  path: '/getRelatedPlaylists',
  tag: 'playlists',
  summary: 'Playlists related to a song',
  summaryInChinese: '与歌曲相关的歌单',
  description: 'nextCursor continues for some sixty playlists, without duplicates. An unknown song is 404.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetRelatedPlaylistsQuery,
  record: RelatedPlaylists,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid, cursor }, context) {
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    const shown = cursor?.split('.') ?? []
    const { next, steady, hasMore, skipped } = await context.upstream.send(relatedOf(songid, shown.map(Number)))
    const playlists = uniqueBy(cursor === undefined ? [...next, ...steady] : next, ({ dissid }) => dissid).filter((
      { dissid }
    ) => !shown.includes(dissid))
    const all = [...shown, ...playlists.map(({ dissid }) => dissid)]
    return {
      songid,
      songmid,
      playlists,
      skipped,
      ...(hasMore && playlists.length > 0 && all.length <= mostShown ? { nextCursor: all.join('.') } : {})
    }
  }
})
