/** Reads the shared song record, and parts of it, from the upstream's two song shapes. */
import type { Song } from '../../../schemas/song.ts'
import {
  Answer, UpstreamError, maybe, nameOf, need, notFound, settle, textOf, upstreamEmpty, valueOf, type ClassicCall,
  type Context, type ListedSong, type MusicuCall, type Settled, type Upstream, type UpstreamCall
} from '../kit.ts'
import type { SongFacts, SongKey } from '../../relay/songFacts.ts'
import { readSizes } from './songFiles.ts'
import { classicFiller } from '../../upstream/wire/requests.ts'

/** Returns the singers joined with `/`, the upstream's own separator. */
export function singerNames (row: Answer, path: string | readonly string[] = 'singer'): string {
  return maybe.list(row, path, (singer) => nameOf(singer, 'name', 'title') || undefined).join('/')
}

/**
 * Reads a song of the gateway (2018 to 2026) or of the classic calls: for each field, the first non-empty of its names.
 * A deleted song, which has only a number or a MID, becomes a record with empty fields. Throws UPSTREAM_UNREADABLE if
 * the row has no title.
 */
export function readSong (row: Answer): Song {
  if (isDeleted(row)) return deletedSong(row)
  const number = (...paths: string[]): number => maybe.int(row, ...paths) ?? 0
  return {
    id: songIdOf(row) ?? 0,
    mid: songMidOf(row) ?? '',
    name: textOf(row, 'name', 'songorig', 'songname', 'songName', 'title'),
    title: titleOf(row),
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
    ...placeOf(row),
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

const titleNames = ['title', 'songname', 'songName', 'name', 'songorig'] as const
const idNames = ['id', 'songid', 'songId', 'song_id', 'mid', 'songmid', 'songMid', 'song_mid'] as const

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || value === '0'

/**
 * Whether the upstream has deleted the song of this row: it leaves a number or a MID, and little else (2026-11). A row
 * without a title that still has singers or files is not deleted: then the names of the fields have changed.
 */
function isDeleted (row: Answer): boolean {
  const has = (path: string): boolean => !isBlank(row.reach(path))
  if (titleNames.some(has) || !idNames.some(has) || has('interval')) return false
  const singers = row.reach('singer')
  const isNamed = Array.isArray(singers)
    && singers.some((singer) => !isBlank((singer as { name?: unknown } | null)?.name))
  return !isNamed && !has('size128')
    && !Object.values(row.reach('file') ?? {}).some((value) => typeof value === 'number' && value > 0)
}

/** Whether the upstream sends nothing in the place of a row: null, or neither a number nor a MID (2026-11). */
function isNothing (row: Answer): boolean {
  const isNone = (name: string): boolean => isBlank(row.reach(name))
  if (isBlank(row.value)) return true
  return idNames.every(isNone) && titleNames.every(isNone) && idNames.some((name) => row.reach(name) !== undefined)
}

/** Reads a song of a list. Undefined if the upstream sends nothing in its place. */
export function readSongRow (row: Answer): Song | undefined {
  return isNothing(row) ? undefined : readSong(row)
}

/** Returns the song inside a wrapper, undefined if there is nothing in its place. `need`: it is always wrapped. */
export function unwrapped (row: Answer, mode: 'need' | 'maybe', ...names: string[]): Answer | undefined {
  if (isBlank(row.value) || names.some((name) => row.reach(name) === null)) return undefined
  const song = mode === 'need' ? need.at(row, ...names) : maybe.at(row, ...names) ?? row
  return isNothing(song) ? undefined : song
}

/** Reads a song of a list inside a wrapper; see `unwrapped`. */
export function readWrappedSong (...place: Parameters<typeof unwrapped>): Song | undefined {
  const song = unwrapped(...place)
  return song === undefined ? undefined : readSong(song)
}

/** Returns the title of a song; "" if the upstream has deleted it, or sends an empty one. */
export const titleOf = (row: Answer): string =>
  isDeleted(row) ? '' : nameOf(row, 'title', 'songname', 'songName', 'name')

/** A song of which nothing is known. */
export const blankSong: Song = {
  id: 0,
  mid: '',
  name: '',
  title: '',
  subtitle: '',
  singer: [],
  album: { id: 0, mid: '', name: '', pmid: '' },
  mv: { id: 0, vid: '' },
  interval: 0,
  time_public: '',
  file: { media_mid: '', size_128mp3: 0, size_320mp3: 0, size_flac: 0 },
  pay: { pay_play: 0, pay_down: 0, pay_month: 0 }
}

/** Reads number and MID alone. The absence of all other fields is not a change of the upstream. */
function deletedSong ({ value, call, observer, path, work }: Answer): Song {
  const row = new Answer(value, call, observer, path, undefined, work)
  return { ...blankSong, id: songIdOf(row) ?? 0, mid: songMidOf(row) ?? '', unplayable: true }
}

/** Place of a song on its album, both numbers from 1. Empty if the upstream sends none. */
export type Place = Pick<Song, 'track' | 'disc'>

/** Reads the place of a song. The upstream counts tracks from 1, discs from 0; 0 and 0 is no album. */
export function placeOf (row: Answer): Place {
  const track = positive(maybe.int(row, 'index_album', 'belongCD'))
  const disc = maybe.int(row, 'index_cd', 'cdIdx') ?? 0
  return track === undefined || disc < 0 ? {} : { track, disc: disc + 1 }
}

/** Returns songs by disc and track, then those without a number: the upstream's own order is arbitrary. */
export function inAlbumOrder<T extends Place> (songs: readonly T[]): T[] {
  return [...songs].sort((a, b) =>
    (a.disc ?? Infinity) - (b.disc ?? Infinity) || (a.track ?? Infinity) - (b.track ?? Infinity) || 0
  )
}

/** Returns the fields of a song that a player's list needs. A song that cannot be played has no MID there. */
export function listedSong ({ mid, title, singer, interval, unplayable }: Song): ListedSong {
  return {
    mid: unplayable === true ? '' : mid,
    title,
    artist: singer.map(({ name }) => name).join('/'),
    seconds: interval
  }
}

/** The optional fields that old songs of classic calls never have, for the `optionalFields` of such a call. */
export const classicSongOptionalFields = (rows: string): string[] =>
  ['id', 'subtitle', 'album.pmid', 'mv.id', 'time_public', 'file.media_mid'].map((path) => `${rows}.${path}`)

/** Returns the number of a song; undefined if the row has none above 0. */
export function songIdOf (row: Answer): number | undefined {
  return positive(maybe.int(row, 'id')) ?? positive(maybe.int(row, 'songid', 'songId', 'song_id'))
}

export function songMidOf (row: Answer): string | undefined {
  return maybe.text(row, 'mid', 'songmid', 'songMid', 'song_mid')
}

const positive = (number: number | undefined): number | undefined =>
  number !== undefined && number > 0 ? number : undefined

/** A singer without a name is left out, and does not make the song unreadable. */
function readSinger (row: Answer): Song['singer'][number] | undefined {
  const name = nameOf(row, 'name', 'title')
  return name === '' ? undefined : { id: maybe.int(row, 'id') ?? 0, mid: maybe.text(row, 'mid') ?? '', name }
}

/** Bits 1 to 3: may be played in low, high, lossless quality (16889603 on free songs, 1 on withdrawn ones, 2026). */
const playBits = 0b1110

/** Some answers end the list of sizes early (2026-08). */
const optionalSizes = (track: string): string[] => [6, 9].map((slot) => `${track}.file.size_new.${slot}`)

export function readFacts (track: Answer): SongFacts {
  const paid = maybe.int(track, 'pay.pay_play') === 1
  const allowed = maybe.int(track, 'action.switch')
  return {
    id: songIdOf(track) ?? 0,
    mid: songMidOf(track),
    mediaMid: maybe.text(track, 'file.media_mid', 'strMediaMid', 'mid') ?? '',
    trialMid: maybe.text(track, 'vs.0'),
    songType: maybe.int(track, 'type') ?? 0,
    seconds: maybe.int(track, 'interval') ?? 0,
    sizes: readSizes(track),
    closed: !paid && allowed !== undefined && (allowed & playBits) === 0
  }
}

// Details of one song, requested by number or MID. Recorded anonymous responses 2026-08-06 and 2026-10.

const nameOfKey = (key: SongKey): string => 'song_id' in key ? `The song ${key.song_id}` : `The song ${key.song_mid}`

/** The full detail call. `read` gets the whole data and the track. Fails with NOT_FOUND for an unknown song. */
export function songDetail<T> (key: SongKey, read: (data: Answer, track: Answer) => T): MusicuCall<T> {
  return {
    name: 'song.detail',
    request: { module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: key },
    optionalFields: optionalSizes('track_info'),
    read: (data) => {
      const track = maybe.at(data, 'track_info', 'trackInfo')
      demandOneOf(data, 'info', 'extras', 'track_info', 'trackInfo')
      return read(data, existing(track, data.call, key))
    }
  }
}

/**
 * The call for the track only. Its lists contain one kind of key; both kinds in one call are refused (103901). `type`:
 * some songs have a number of another kind than ordinary ones.
 */
export function songTracks<T> (key: SongKey, read: (track: Answer) => T, type = 0): MusicuCall<T> {
  const list = 'song_id' in key ? { ids: [key.song_id] } : { mids: [key.song_mid] }
  return {
    name: 'song.tracks',
    request: {
      module: 'music.trackInfo.UniformRuleCtrl',
      method: 'CgiGetTrackInfo',
      param: { types: [type], modify_stamp: [0], ctx: 0, client: 1, ...list }
    },
    optionalFields: optionalSizes('tracks[]'),
    read: (data) => {
      const [track] = maybe.list(data, 'tracks', (row) => row)
      demandOneOf(data, 'tracks')
      return read(existing(track, data.call, key))
    }
  }
}

function songClassic<T> (songmid: string, read: (track: Answer) => T): ClassicCall<T> {
  return {
    name: 'song.classic',
    request: { path: '/v8/fcg-bin/fcg_play_single_song.fcg', query: { songmid, format: 'json', ...classicFiller } },
    optionalFields: optionalSizes('data[]'),
    read: (body) => {
      const [track] = maybe.list(body, 'data', (row) => row)
      if (!Array.isArray(body.reach('data'))) throw upstreamEmpty(body.call, 'the song')
      return read(existing(track, body.call, { song_mid: songmid }))
    }
  }
}

/** Reads a song's track. `data` is the whole detail, which only the first call of `songChain` has. */
export type ReadTrack<T> = (track: Answer, data?: Answer) => T

/** Returns all calls for one song, best first; each is the fallback of the one before. */
export function songChain<T> (key: SongKey, read: ReadTrack<T>): UpstreamCall<T>[] {
  const chain: UpstreamCall<T>[] = [songDetail(key, (data, track) => read(track, data)), songTracks(key, read)]
  return 'song_mid' in key ? [...chain, songClassic(key.song_mid, read)] : chain
}

/**
 * Fetches many songs. Each settles on its own, in the order of `keys`. Songs whose detail call fails are requested with
 * the older call. If the request fails as a whole, each song has that error.
 */
export async function eachSong<T> (
  upstream: Upstream,
  keys: readonly SongKey[],
  read: ReadTrack<T>
): Promise<readonly Settled<T>[]> {
  if (keys.length === 0) return []
  const { value, error } =
    await settle(upstream.sendAll(keys.map((key) =>
      [songDetail(key, (data, track) => read(track, data)), songTracks(key, read)] as const
    )))
  if (error !== undefined && !(error instanceof UpstreamError)) throw error
  return value ?? keys.map(() => ({ error: error as Error }))
}

/** Returns the facts of one song. Throws NOT_FOUND for an unknown one. */
export async function songFactsOf (
  key: SongKey,
  { upstream, songs }: Pick<Context, 'upstream' | 'songs'>
): Promise<SongFacts> {
  const [found] = await songs.find([key], async () => [await settle(upstream.firstOf(songChain(key, readFacts)))])
  return valueOf(found as Settled<SongFacts>)
}

/** Throws UPSTREAM_EMPTY if none of these parts is there: blocked or broken, it shows nothing about the song. */
function demandOneOf (data: Answer, ...parts: string[]): void {
  if (parts.every((part) => (data.reach(part) ?? null) === null)) throw upstreamEmpty(data.call, 'the song')
}

/** A response with code 0 and no usable track means that the song is unknown: throws NOT_FOUND. */
function existing (track: Answer | undefined, call: string, key: SongKey): Answer {
  if (
    track === undefined || (maybe.int(track, 'id') ?? 0) <= 0 || maybe.text(track, 'mid') === undefined
  ) { throw notFound(call, nameOfKey(key)) }
  return track
}

// @mutate readers: reading songs stand-ins play play-reasons
