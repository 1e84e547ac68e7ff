/** Songs that are similar to a song, and songs of singers who are similar to a singer. */
import { Type } from '@sinclair/typebox'
import { getSimilarSongs } from '../../endpoints/recommend/getSimilarSongs.ts'
import { getSimilarSinger } from '../../endpoints/singers/getSimilarSinger.ts'
import { getSingerHotsong } from '../../endpoints/singers/getSingerHotsong.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Call } from '../call.ts'
import { shuffled } from './albumLists.ts'
import { readId } from './ids.ts'
import { count, id, type MethodContext } from './method.ts'
import { noAlbum, songOf, type Fields } from './records.ts'

export const similarInput = Type.Object({ id: id('a song, an album or a singer'), count: count(50) })

/** Number of similar singers, and of songs of each. */
const mostSingers = 5
const songsOfEach = 20

/** Returns songs that are similar to a song, an album or a singer. */
export async function similarTo (
  { id, count }: { readonly id: string, readonly count: number },
  { call, library }: Pick<MethodContext, 'call' | 'library'>
): Promise<Fields[]> {
  const { kind, own } = readId(id, 'so', 'al', 'la', 'ar')
  const songs = kind === 'ar' ? await likeSinger(own, call) : await likeSong(kind === 'so' ? own : await firstOf(own, call), call)
  return songs.filter(({ mid }) => mid !== '').slice(0, count).map((song) => songOf(song, library))
}

const likeSong = async (songmid: string | undefined, call: Call): Promise<readonly Song[]> =>
  songmid === undefined ? [] : (await call(getSimilarSongs, { songmid })).songs

const firstOf = async (albummid: string, call: Call): Promise<string | undefined> =>
  albummid === noAlbum.mid ? undefined : (await call(getAlbumInfo, { albummid })).songs[0]?.mid

async function likeSinger (singermid: string, call: Call): Promise<readonly Song[]> {
  const { singers } = await call(getSimilarSinger, { singermid })
  const mids = [singermid, ...singers.slice(0, mostSingers).map(({ singerMID }) => singerMID)].filter((mid) => mid !== '')
  const found = await Promise.all(mids.map(async (mid) => (await call(getSingerHotsong, { singermid: mid, limit: songsOfEach })).songList))
  return shuffled(found.flat())
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
