/** Reads the shared song record, and parts of it, from the upstream's two song shapes. */
import type { Song } from '../../../schemas/song.ts'
import type { ListedSong } from '../../core/endpoint.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import { needText, textOf } from './fields.ts'

/** Returns the singers joined with `/`, the upstream's own separator. */
export function singerNames (row: Answer, path = 'singer'): string {
  return maybe.list(row, path, (singer) => needText(singer, 'name', 'title')).join('/')
}

/**
 * Reads a song of the gateway (2018 to 2026) or of the classic calls: for each field, the first non-empty of its names.
 * Throws UPSTREAM_UNREADABLE if the row has no title.
 */
export function readSong (row: Answer): Song {
  const number = (...paths: string[]): number => maybe.int(row, ...paths) ?? 0
  return {
    id: songIdOf(row) ?? 0,
    mid: songMidOf(row) ?? '',
    name: textOf(row, 'name', 'songorig', 'songname', 'songName', 'title'),
    title: needText(row, 'title', 'songname', 'songName', 'name'),
    subtitle: textOf(row, 'subtitle'),
    singer: maybe.list(row, 'singer', readSinger),
    album: {
      id: number('album.id', 'albumid'),
      mid: textOf(row, 'album.mid', 'albummid'),
      name: textOf(row, 'album.name', 'albumname'),
      pmid: textOf(row, 'album.pmid')
    },
    mv: { id: number('mv.id'), vid: textOf(row, 'mv.vid', 'vid') },
    interval: number('interval'),
    time_public: textOf(row, 'time_public', 'album.time_public'),
    file: {
      media_mid: textOf(row, 'file.media_mid', 'strMediaMid', 'media_mid'),
      size_128mp3: number('file.size_128mp3', 'size128'),
      size_320mp3: number('file.size_320mp3', 'size320'),
      size_flac: number('file.size_flac', 'sizeflac')
    },
    pay: {
      pay_play: number('pay.pay_play', 'pay.payplay'),
      pay_down: number('pay.pay_down', 'pay.paydownload'),
      pay_month: number('pay.pay_month', 'pay.paytrackmouth')
    }
  }
}

/** Returns the fields of a song that a player's list needs. */
export function listedSong ({ mid, title, singer, interval }: Song): ListedSong {
  return { mid, title, artist: singer.map(({ name }) => name).join('/'), seconds: interval }
}

/**
 * Returns the optional fields that old songs of classic calls never have, for the `optionalFields` of a call with such
 * rows.
 */
export const classicSongOptionalFields = (rows: string): string[] =>
  ['id', 'subtitle', 'album.pmid', 'mv.id', 'time_public', 'file.media_mid'].map((path) => `${rows}.${path}`)

/** Returns the number of a song; undefined if the row has none above 0. */
export function songIdOf (row: Answer): number | undefined {
  return positive(maybe.int(row, 'id')) ?? positive(maybe.int(row, 'songid', 'songId', 'song_id'))
}

/** Returns the MID of a song; undefined if the row has none. */
export function songMidOf (row: Answer): string | undefined {
  return maybe.text(row, 'mid', 'songmid', 'songMid', 'song_mid')
}

const positive = (number: number | undefined): number | undefined => number !== undefined && number > 0 ? number : undefined

function readSinger (row: Answer): Song['singer'][number] {
  return { id: maybe.int(row, 'id') ?? 0, mid: maybe.text(row, 'mid') ?? '', name: needText(row, 'name', 'title') }
}

// @mutate readers: reading
