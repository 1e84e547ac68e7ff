/**
 * A playlist with its songs. A list that is not public looks in one call like an error, in another like an empty
 * shell, and in a third it may be there: all are asked before it is called missing. Recorded 2017-12, 2025-05, 2026-08-06.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSongListDetailQuery, PlaylistDetail } from '../../../schemas/playlists.ts'
import type { PlaylistSong } from '../../../schemas/playlists.ts'
import { endpoint } from '../../endpoint.ts'
import { RelayError, notFound, upstreamEmpty } from '../../errors.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import { unescapeText } from '../../provider/text.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../provider/upstream.ts'
import { classicFiller, playlistReferer } from '../../provider/wire.ts'
import { readSentRows, rowsFrom } from '../shared/pages.ts'
import type { SentRows } from '../shared/pages.ts'
import { playlistAsk, siblingPlaylistAsk } from '../shared/playlistAsk.ts'
import type { Stretch } from '../shared/playlistAsk.ts'
import { readSong } from '../shared/song.ts'
import { pictureOf, proseOf, textOf } from '../shared/texts.ts'

/** Songs `begin` to `begin + num - 1` of a playlist, and what is said about the list itself. */
interface Question extends Stretch { readonly disstid: string }
interface DetailPart extends SentRows<PlaylistSong> { readonly head: Omit<PlaylistDetail, 'songlist'> }

/** 500 songs in one answer were asked for; where the upstream gives fewer (one client takes 10), the rest follows. */
const mostSongs = 500
const mostAnswers = 100

/** 10004: a bad or unknown id (seen as the call's code). */
const codes = { 10004: 'ok' } as const

const detailOf = (question: Question): MusicuCall<DetailPart> => ({
  name: 'playlist.detail',
  ask: playlistAsk(question, question),
  codes,
  sometimes: ['dirinfo'],
  read: (answer) => readDetail(answer, question)
})

const siblingDetailOf = (question: Question): MusicuCall<DetailPart> => ({
  ...detailOf(question),
  name: 'playlist.detail.sibling',
  ask: siblingPlaylistAsk(question, question)
})

const classicDetailOf = (question: Question): ClassicCall<DetailPart> => ({
  name: 'playlist.detail.classic',
  ask: {
    path: '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg',
    query: { type: 1, json: 1, utf8: 1, onlysong: 0, new_format: 1, disstid: question.disstid, format: 'json', ...classicFiller, song_begin: question.begin, song_num: question.num },
    referer: playlistReferer
  },
  read (answer) {
    // A private playlist is a subcode without a list: that is no drift.
    if (Number(answer.reach('subcode')) === 4000) throw upstreamEmpty(answer.call, 'the playlist')
    return readClassicDetail(maybe.list(answer, 'cdlist', (list) => list)[0], answer.call, question)
  }
})

/** Alive 2026-09; knows no pages. */
const wholeDetailOf = (question: Question): ClassicCall<DetailPart> => ({
  name: 'playlist.detail.whole',
  ask: { path: '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', query: { ...classicFiller, id: question.disstid, format: 'json', newsong: 1 }, referer: playlistReferer },
  read: (answer) => readClassicDetail(maybe.list(answer, 'data.cdlist', (list) => list)[0], answer.call, question)
})

/** The gateway's form. The answer has a code of its own inside; account numbers and addresses in it stay here. */
function readDetail (answer: Answer, { disstid, begin }: Omit<Question, 'num'>): DetailPart {
  const info = maybe.at(answer, 'dirinfo')
  const title = info === undefined ? undefined : maybe.text(info, 'title')
  if (info === undefined || title === undefined || (maybe.int(answer, 'code') ?? 0) !== 0) throw upstreamEmpty(answer.call, 'the playlist')
  const songs = readSentRows(answer, ['songlist'], maybe.int(answer, 'total_song_num') ?? maybe.int(info, 'songnum'), readPlaylistSong)
  return {
    ...songs,
    // Asked for more than there is, it might answer like a list that is not there.
    total: maybe.flag(answer, 'hasmore') === false ? begin + songs.sent : songs.total,
    head: {
      disstid,
      dissname: unescapeText(title),
      desc: proseOf(info, 'desc'),
      creator: textOf(info, 'creator.nick', 'host_nick'),
      listen_num: maybe.int(info, 'listennum') ?? 0,
      imgurl: pictureOf(info, 'picurl', 'picurl2'),
      songnum: songs.total ?? begin + songs.sent
    }
  }
}

/** The classic form: old or new songs, the whole list or a stretch of it, which it says. `dissid` is cut off upstream and not used. */
function readClassicDetail (list: Answer | undefined, call: string, { disstid, begin }: Omit<Question, 'num'>): DetailPart {
  // Or it is there and hollow, without id and name.
  const hollow = list !== undefined && list.reach('disstid') === undefined && list.reach('dissname') === undefined
  const name = list === undefined || hollow ? undefined : maybe.text(list, 'dissname')
  if (list === undefined || name === undefined) throw upstreamEmpty(call, 'the playlist')
  const { rows, sent, total } = readSentRows(list, ['songlist'], maybe.int(list, 'total_song_num', 'songnum'), readPlaylistSong)
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
      songnum: total ?? sent
    }
  }
}

function readPlaylistSong (row: Answer): PlaylistSong {
  const { id, mid, title, singer, album, interval, file, mv } = readSong(row)
  return {
    songid: id,
    songmid: mid,
    songname: title,
    singer: singer.map(({ name }) => name).join('/'),
    albumid: album.id,
    albummid: album.mid,
    albumname: album.name,
    interval,
    media_mid: file.media_mid,
    vid: mv.vid
  }
}

const ways: readonly ((question: Question) => UpstreamCall<DetailPart>)[] = [detailOf, siblingDetailOf, classicDetailOf, wholeDetailOf]

export const getSongListDetail = endpoint({
  method: 'GET',
  path: '/getSongListDetail',
  pathParam: 'disstid',
  tag: 'playlists',
  summary: 'A playlist with its songs',
  description: 'Up to 1000 songs in one answer; offset goes on from there, and songnum says how many there are. A playlist that its owner keeps private is NOT_FOUND, unless the cookie is the owner\'s.',
  example: { disstid: '7700000001', limit: 3 },
  input: GetSongListDetailQuery,
  record: PlaylistDetail,
  envelope: codeMsgData,
  login: 'optional',
  cache: 'lively',

  async run ({ disstid, offset, limit }, { upstream, keepFor }) {
    const missing = (): RelayError => notFound('playlist.detail', `The playlist ${disstid}`)
    // The upstream's ids are numbers of its JSON: one beyond 2^53 cannot be asked for, and none is near it.
    if (!Number.isSafeInteger(Number(disstid))) throw missing()
    try {
      let head: DetailPart['head'] | undefined
      const { rows } = await rowsFrom(offset, limit, async (begin, num) => {
        const part = await upstream.firstOf(ways.map((way) => way({ disstid, begin, num: Math.min(num, mostSongs) })))
        head ??= part.head
        return part
      }, keepFor, mostAnswers)
      if (head === undefined) throw missing()
      return { ...head, songlist: rows }
    } catch (error) {
      if (error instanceof RelayError && error.code === 'UPSTREAM_EMPTY') throw missing()
      throw error
    }
  }
})
