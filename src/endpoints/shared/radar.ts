/** A page of the upstream's radar: ten songs, with or without a login. Recorded 2026-08. */
import type { PersonalRecommend } from '../../../schemas/recommend.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'
import { readSong } from './song.ts'

type Songs = Pick<PersonalRecommend, 'songs' | 'hasMore'>

/** Returns the call for a page, counted from 1. It also answers without a valid session, so send a session check with it for a login. */
export const radarSongs = <T>(page: number, read: (found: Songs) => T): MusicuCall<T> => ({
  name: 'recommend.songs',
  request: { module: 'music.recommend.TrackRelationServer', method: 'GetRadarSong', param: { Page: page, ReqType: 0, FavSongs: [], EntranceSongs: [] } },
  read (answer) {
    const songs = maybe.list(answer, 'VecSongs', (row) => readSong(need.at(row, 'Track', 'track')))
    if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
    return read({ songs, hasMore: maybe.flag(answer, 'HasMore') ?? false })
  }
})
