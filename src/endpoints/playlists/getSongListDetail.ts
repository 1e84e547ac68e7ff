/**
 * A playlist with its songs. For a list that is not public, one call returns an error, another an empty shell, and a
 * third may return the list. All of them are tried before the list is reported as missing, unless one reports that the
 * owner hides it. Recorded 2017-12, 2025-05, 2026-08-06.
 */
import {
  codeMsgData, endpoint, innerRefusal, isUnknown, maybe, notFound, optional, pictureOf, proseOf,
  textOf, unescapeText, upstreamEmpty, type Answer, type ClassicCall, type Context, type MusicuCall, type RelayError,
  type UpstreamCall
} from '../kit.ts'
import type { Filled } from '../../../schemas/common.ts'
import { GetSongListDetailQuery, PlaylistDetail, type PlaylistSong } from '../../../schemas/playlists.ts'
import type { Song } from '../../../schemas/song.ts'
import { classicFiller, playlistReferer } from '../../upstream/wire/requests.ts'
import {
  hiddenByOwner, isHidden, playlistRequest, siblingEnd, siblingPlaylistRequest, type RowRange
} from '../shared/playlistCalls.ts'
import { collectRows, confirmedIfEmpty, readSentRows, type SentRows } from '../shared/pages.ts'
import { readSongRow } from '../shared/song.ts'

/** Songs `begin` to `begin + num - 1` of a playlist. `DetailPart` has these songs and the data of the list itself. */
interface PlaylistRange extends RowRange { readonly disstid: string }
interface DetailPart extends SentRows<Song> { readonly head: Head }

/** What a playlist says about itself. `changed`: Unix seconds, 0 if unknown. */
type Head = Omit<PlaylistDetail, 'songlist' | 'skipped'> & { readonly changed: number }

/** Songs per request, and requests. 1233 came at once (2026-09); if fewer come, further requests follow. */
const mostSongs = 1000
const mostAnswers = 100

/** 10004 means a bad or unknown id (seen as the code of the call). */
const codes = { 10004: 'ok' } as const

const detailOf = (range: PlaylistRange): MusicuCall<DetailPart> => ({
  name: 'playlist.detail',
  request: playlistRequest(range, range),
  codes,
  optionalFields: ['dirinfo'],
  read: (answer) => readDetail(answer, range)
})

const siblingDetailOf = (range: PlaylistRange): MusicuCall<DetailPart> => {
  const known = { ...range, num: Math.min(range.num, siblingEnd - range.begin) }
  return {
    ...detailOf(known),
    name: 'playlist.detail.sibling',
    request: siblingPlaylistRequest(known, known),
    read (answer) {
      const part = readDetail(answer, known)
      // The list may continue where this call stops.
      return known.begin + part.sent < siblingEnd || (part.total ?? 0) > siblingEnd ? part
        : { ...part, total: undefined }
    }
  }
}

/** The whole list in one response, 1254 songs at once (2026-08). It does not support pages. */
const wholeDetailOf = (range: PlaylistRange): ClassicCall<DetailPart> => ({
  name: 'playlist.detail.whole',
  request: {
    path: '/v8/fcg-bin/fcg_v8_playlist_cp.fcg',
    query: { id: range.disstid, format: 'json', newsong: 1, platform: 'yqq', inCharset: 'utf8', outCharset: 'utf-8' },
    referer: playlistReferer
  },
  read: (answer) => readClassicDetail(maybe.list(answer, 'data.cdlist', (list) => list)[0], answer.call, range)
})

/** Subcode of a classic answer without a list: the playlist is private, or not the caller's. */
const notYours = 4000
const subcodeOf = (answer: Answer): number => Number(answer.reach('subcode'))

const classicDetailOf = (range: PlaylistRange): ClassicCall<DetailPart> => ({
  name: 'playlist.detail.classic',
  request: {
    path: '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg',
    query: {
      type: 1, json: 1, utf8: 1, onlysong: 0, new_format: 1, disstid: range.disstid, format: 'json', ...classicFiller,
      song_begin: range.begin, song_num: range.num
    },
    referer: playlistReferer
  },
  read (answer) {
    // This is not a changed response shape.
    if (subcodeOf(answer) === notYours) throw upstreamEmpty(answer.call, 'the playlist')
    return readClassicDetail(maybe.list(answer, 'cdlist', (list) => list)[0], answer.call, range)
  }
})

/** The same call in another folder. Since 2026-05 it refuses all lists except the caller's own. */
function ownDetailOf (range: PlaylistRange): ClassicCall<DetailPart> {
  const call = classicDetailOf(range)
  return {
    ...call,
    name: 'playlist.detail.own',
    request: { ...call.request, path: '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg' },
    knownIssue: { verdict: 'refused', note: 'refuses playlists of other accounts; the calls before it answer', since: '2026-05' },
    read (answer) {
      if (subcodeOf(answer) === notYours) throw innerRefusal(answer.call, notYours)
      return call.read(answer)
    }
  }
}

/** Reads the gateway's response, which contains its own code. Account numbers and addresses in it are not returned. */
function readDetail (answer: Answer, { disstid, begin }: Omit<PlaylistRange, 'num'>): DetailPart {
  const info = maybe.at(answer, 'dirinfo')
  const title = info === undefined ? undefined : maybe.text(info, 'title')
  if (info === undefined || title === undefined || (maybe.int(answer, 'code') ?? 0) !== 0) {
    throw upstreamEmpty(answer.call, 'the playlist')
  }
  const songs = readSentRows(
    answer,
    ['songlist'],
    maybe.int(answer, 'total_song_num') ?? maybe.int(info, 'songnum'),
    readSongRow
  )
  if (isHidden(title, songs.total)) throw hiddenByOwner(answer.call, `The playlist ${disstid}`)
  return {
    ...songs,
    // A request beyond the end might be answered as if the list were missing, so `hasmore` sets the total.
    total: maybe.flag(answer, 'hasmore') === false ? begin + songs.sent : songs.total,
    head: {
      disstid,
      dissname: unescapeText(title),
      desc: proseOf(info, 'desc'),
      creator: textOf(info, 'creator.nick', 'host_nick'),
      listen_num: maybe.int(info, 'listennum') ?? 0,
      imgurl: pictureOf(info, 'picurl', 'picurl2'),
      songnum: songs.total ?? begin + songs.sent,
      changed: maybe.int(info, 'mtime') ?? 0
    }
  }
}

/** Reads the classic response: the whole list or the part from `song_begin` on. `dissid` is truncated upstream. */
function readClassicDetail (
  list: Answer | undefined,
  call: string,
  { disstid, begin }: Omit<PlaylistRange, 'num'>
): DetailPart {
  // A missing list can also be an empty shell without id and name.
  const hollow = list !== undefined && list.reach('disstid') === undefined && list.reach('dissname') === undefined
  const name = list === undefined || hollow ? undefined : maybe.text(list, 'dissname')
  if (list === undefined || name === undefined) throw upstreamEmpty(call, 'the playlist')
  const { rows, sent, total } = readSentRows(
    list,
    ['songlist'],
    maybe.int(list, 'total_song_num', 'songnum'),
    readSongRow
  )
  if (isHidden(name, total)) throw hiddenByOwner(call, `The playlist ${disstid}`)
  const before = Math.max(0, begin - (maybe.int(list, 'song_begin') ?? 0))
  return {
    rows: rows.flatMap(({ at, row }) => at < before ? [] : [{ at: at - before, row }]),
    sent: Math.max(0, sent - before),
    total,
    head: {
      disstid,
      dissname: unescapeText(name),
      desc: proseOf(list, 'desc'),
      creator: textOf(list, 'nickname', 'nick'),
      listen_num: maybe.int(list, 'visitnum') ?? 0,
      imgurl: pictureOf(list, 'logo'),
      songnum: total ?? sent,
      changed: maybe.int(list, 'mtime') ?? 0
    }
  }
}

function listedRow (
  { id, mid, title, singer, album, interval, track, disc, file, mv, unplayable }: Song
): PlaylistSong {
  return {
    songid: id,
    songmid: mid,
    songname: title,
    singer: singer.map(({ name }) => name).join('/'),
    albumid: album.id,
    albummid: album.mid,
    albumname: album.name,
    interval,
    ...track === undefined || disc === undefined ? {} : { track, disc },
    media_mid: file.media_mid,
    vid: mv.vid,
    ...unplayable === undefined ? {} : { unplayable }
  }
}

const chainOf = (range: PlaylistRange): UpstreamCall<DetailPart>[] => [
  detailOf(range),
  ...(range.begin < siblingEnd ? [siblingDetailOf(range)] : []),
  wholeDetailOf(range),
  classicDetailOf(range),
  ownDetailOf(range)
]

/** Requests a part of a playlist. */
const partOf = async (
  range: PlaylistRange,
  context: Pick<Context, 'upstream' | 'cacheAtMost'>
): Promise<DetailPart> =>
  await confirmedIfEmpty(
    chainOf(range),
    ({ sent }) => sent === 0 && range.begin === 0,
    'the songs of the playlist',
    context
  )

export const getSongListDetail = endpoint({
  method: 'GET',
  path: '/getSongListDetail',
  pathParam: 'disstid',
  tag: 'playlists',
  summary: 'A playlist with its songs',
  summaryInChinese: '歌单详情和歌曲',
  description: 'Up to 1000 songs in one answer; use offset for more, and songnum for the total. A playlist that its owner hides is NOT_FOUND, unless the cookie is the owner\'s.',
  example: { disstid: '7700000001', limit: 3 },
  probe: ({ playlists }) => playlists.map((disstid) => ({ disstid, limit: 1 })),
  songs: ({ songlist }) =>
    songlist.map(({ songmid, songname, singer, interval, unplayable }) => ({
      mid: unplayable === true ? '' : songmid,
      title: songname,
      artist: singer,
      seconds: interval
    })),
  total: ({ songnum }) => songnum,
  input: GetSongListDetailQuery,
  record: PlaylistDetail,
  envelope: codeMsgData,
  login: 'optional',
  cache: 'lively',

  async run (input, context) {
    const { changed: _, songs, ...head } = await playlistOf(input, context)
    return { ...head, songlist: songs.map(listedRow) }
  }
})

/** Returns a part of a playlist. Throws NOT_FOUND. */
export async function playlistOf (
  { disstid, offset, limit }: Filled<typeof GetSongListDetailQuery>,
  context: Context
): Promise<Head & { readonly songs: Song[], readonly skipped: number }> {
  const missing = (): RelayError => notFound('playlist.detail', `The playlist ${disstid}`)
  // The upstream's ids are JSON numbers. An id beyond 2^53 cannot be sent, and no id is near it.
  if (!Number.isSafeInteger(Number(disstid))) throw missing()
  let head: Head | undefined
  const found = await optional(collectRows(offset, limit, async (begin, num) => {
    const part = await partOf({ disstid, begin, num: Math.min(num, mostSongs) }, context)
    head ??= part.head
    return part
  }, context.cacheAtMost, mostAnswers), isUnknown)
  if (found === undefined || head === undefined) throw missing()
  return { ...head, songs: found.rows, skipped: found.skipped }
}
