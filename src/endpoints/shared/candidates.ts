/** One call for each type of item that a number or a MID may belong to. Each fails with NOT_FOUND or UPSTREAM_EMPTY for an unknown one. */
import type { Candidate } from '../../../schemas/resolve.ts'
import { notFound, upstreamEmpty } from '../../common/errors.ts'
import type { SongKey } from '../../core/songFacts.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'
import { needText } from './fields.ts'
import { isHidden } from './hiddenPlaylist.ts'
import { playlistRequest } from './playlistRequest.ts'
import { unknownSinger } from './singer.ts'
import { songDetail } from './songDetail.ts'

export const songCandidate = (key: SongKey): MusicuCall<Candidate> =>
  songDetail(key, (_data, track) => ({ type: 'song', id: String(need.int(track, 'id')), mid: need.text(track, 'mid'), name: needText(track, 'title', 'name') }))

/** An unknown number has an empty head, or 104400, depending on the day (2026-09). */
export const albumCandidate = (key: { readonly albumId: number } | { readonly albumMId: string }): MusicuCall<Candidate> => ({
  name: 'album.detail',
  request: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: key },
  codes: { 104400: 'not found' },
  read (answer) {
    const head = maybe.at(answer, 'basicInfo')
    if (head === undefined) throw upstreamEmpty(answer.call, 'the album')
    const mid = maybe.text(head, 'albumMid')
    if (mid === undefined) throw notFound(answer.call, 'The album')
    return { type: 'album', id: String(need.int(head, 'albumID')), mid, name: needText(head, 'albumName') }
  }
})

export const singerCandidate = (mid: string): MusicuCall<Candidate> => ({
  name: 'singer.detail.basic',
  request: { module: 'music.musichallSinger.SingerInfoInter', method: 'GetSingerDetail', param: { singer_mids: [mid], pic: 1 } },
  codes: unknownSinger,
  read (answer) {
    const basic = maybe.list(answer, 'singer_list', (row) => maybe.at(row, 'basic_info'))[0]
    if (basic === undefined || maybe.text(basic, 'singer_mid') === undefined) throw notFound(answer.call, 'The singer')
    return { type: 'singer', id: String(maybe.int(basic, 'singer_id') ?? ''), mid, name: needText(basic, 'name') }
  }
})

export const mvCandidate = (vid: string): MusicuCall<Candidate> => ({
  name: 'mv.info',
  request: { module: 'video.VideoDataServer', method: 'get_video_info_batch', param: { vidlist: [vid], required: ['vid', 'type', 'sid', 'name'] } },
  read (answer) {
    const info = maybe.entry(answer, vid)
    if (info === undefined) throw notFound(answer.call, 'The MV')
    return { type: 'mv', id: String(maybe.int(info, 'sid') ?? ''), mid: vid, name: needText(info, 'name') }
  }
})

export const playlistCandidate = (disstid: string): MusicuCall<Candidate> => ({
  name: 'playlist.detail',
  request: playlistRequest({ disstid }, { begin: 0, num: 1 }),
  codes: { 10004: 'ok' },
  optionalFields: ['dirinfo'],
  read (answer) {
    const info = maybe.at(answer, 'dirinfo')
    const name = info === undefined ? undefined : maybe.text(info, 'title')
    if (info === undefined || name === undefined || (maybe.int(answer, 'code') ?? 0) !== 0) throw upstreamEmpty(answer.call, 'the playlist')
    if (isHidden(name, maybe.int(info, 'songnum'))) throw notFound(answer.call, 'The playlist')
    return { type: 'playlist', id: disstid, mid: '', name: needText(info, 'title') }
  }
})

export const chartCandidate = (topId: number): MusicuCall<Candidate> => ({
  name: 'chart.detail',
  request: { module: 'music.musicToplist.Toplist', method: 'GetDetail', param: { topId, offset: 0, num: 1, withTags: false } },
  codes: { 10007: 'not found' },
  read (answer) {
    const title = maybe.text(answer, 'data.title')
    if (title === undefined) throw notFound(answer.call, 'The chart')
    return { type: 'chart', id: String(topId), mid: '', name: title }
  }
})
