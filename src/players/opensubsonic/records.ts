/** Songs, albums, singers and playlists in the formats of the interface. */
import type { FoundAlbum } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import { usualQualities } from '../../endpoints/shared/songFiles.ts'
import type { Body } from './formats.ts'
import { idOf } from './ids.ts'

/** A record of the interface. Unknown fields are absent. */
export type Fields = Body

/**
 * Facts about an album. `picture`: id of its picture. `singers`: main one first. `day`: of publication, YYYY-MM-DD or
 * "".
 * `collectedAt`: Unix seconds. Absent: unknown.
 */
export interface AlbumFacts {
  readonly id: string
  readonly name: string
  readonly picture: string
  readonly singers: readonly Singer[]
  readonly day: string
  readonly songCount?: number
  readonly seconds?: number
  readonly collectedAt?: number
}

/** A singer. `mid`: "" if unknown. */
export interface Singer { readonly mid: string, readonly name: string }

/** Name of the album for songs without an album. */
export const noAlbum = { mid: '0', name: '单曲 Singles' } as const

/** Bytes per second of 1 kbit/s. */
const bytesOfRate = 125

/** Files that an account may play: lossless with a subscription, `high` of free songs, else the usual MP3. */
export type Rights = 'lossless' | 'high' | 'usual'

/** What records depend on: rights, whether a song is known to be liked, and what stands in for an unknown time. */
interface Shelf { readonly rights: Rights, readonly isLiked: (mid: string) => boolean, readonly began: string }

/** Returns the songs that can be played. Players have no use for the rest: songs without a MID, and deleted ones. */
export const playable = <T extends Pick<Song, 'mid' | 'unplayable'>>(songs: readonly T[]): T[] =>
  songs.filter(({ mid, unplayable }) => mid !== '' && unplayable !== true)

/** Returns the number of these songs, and their length in seconds. */
export const lengthOf = (songs: readonly Song[]): { readonly songCount: number, readonly seconds: number } =>
  ({ songCount: songs.length, seconds: songs.reduce((sum, { interval }) => sum + interval, 0) })

/** Returns the file that `stream` sends without parameters, the best usual one that the account may play. */
function fileOf ({ interval, file, pay }: Song, rights: Rights): Fields {
  const isFree = pay.pay_play === 0 && pay.pay_month === 0
  const best = rights === 'lossless' ? 'flac' : rights === 'high' && isFree ? '320' : '128'
  const sizes = { 'flac': file.size_flac, '320': file.size_320mp3, '128': file.size_128mp3 }
  const quality = usualQualities.slice(usualQualities.indexOf(best)).find((each) => sizes[each] > 0) ?? '128'
  // Clients drop songs without a size.
  const size = sizes[quality] || Math.max(1, interval) * Number(quality) * bytesOfRate
  return {
    size,
    bitRate: quality === 'flac' ? Math.round(size / Math.max(1, interval) / bytesOfRate) : Number(quality),
    suffix: quality === 'flac' ? 'flac' : 'mp3',
    contentType: quality === 'flac' ? 'audio/flac' : 'audio/mpeg'
  }
}

/**
 * Returns a song, with the same fields wherever it stands. `inLibrary`: as a liked song, whose album contains only the
 * liked songs. The standard requires a time for what is starred: the day of publication stands in.
 */
export function songOf (song: Song, { rights, isLiked, began }: Shelf, inLibrary = false): Fields {
  const { mid, name, singer, interval, track, disc, time_public: day } = song
  const album = song.album.mid === '' && inLibrary ? noAlbum : song.album
  const title = song.title || name
  const artist = namesOf(singer)
  const albumId = idOf(inLibrary ? 'la' : 'al', album.mid)
  const file = fileOf(song, rights)
  return {
    id: idOf('so', mid),
    parent: albumId,
    isDir: false,
    title,
    album: album.name || undefined,
    albumId,
    ...artistOf(singer),
    // A song without an album has the picture of its singer.
    coverArt: idOf('al', song.album.mid || song.album.pmid) ?? (singer[0]?.mid ? idOf('so', mid) : undefined),
    track,
    discNumber: disc,
    year: yearOf(day),
    duration: interval,
    ...file,
    path: `${[artist, album.name, title].map(pathPart).join('/')}.${String(file['suffix'])}`,
    isVideo: false,
    type: 'music',
    mediaType: 'song',
    created: timeOf(day),
    starred: inLibrary || isLiked(mid) ? timeOf(day) ?? began : undefined
  }
}

const pathPart = (name: string): string => name.replaceAll(/[/\\]/g, '_') || '-'

function artistOf (singers: readonly Singer[]): Fields {
  return {
    artist: namesOf(singers),
    artistId: idOf('ar', singers[0]?.mid ?? ''),
    displayArtist: namesOf(singers),
    artists: singers.flatMap(({ mid, name }) => mid === '' ? [] : [{ id: `ar-${mid}`, name }])
  }
}

const namesOf = (singers: readonly Singer[]): string => singers.map(({ name }) => name).join(' / ')

/** An album without songs. The standard requires number, length and time. `began`: for an unknown time. */
export function albumOf (
  { id, name, picture, singers, day, songCount = 0, seconds = 0, collectedAt }: AlbumFacts,
  began: string
): Fields {
  return {
    id,
    name,
    ...artistOf(singers),
    coverArt: idOf('al', picture),
    songCount,
    duration: seconds,
    created: timeOf(day) ?? began,
    starred: collectedAt === undefined ? undefined : timeOf(collectedAt) ?? began,
    year: yearOf(day),
    ...datesOf(day)
  }
}

/** Returns the dates of an album. Only whole ones: some clients cannot read a date without a month. */
function datesOf (day: string): Fields {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined || Number(year) === 0 || day === noDay) return {}
  const found = { year: Number(year), month: Number(month), day: Number(date) }
  return { originalReleaseDate: found, releaseDate: found }
}

/** The facts of an album from a search, or a collection with its Unix seconds. Empty without a MID. */
export function foundAlbumOf (
  { albumMID, albumName, publicTime, singerMID, singerName, song_count: songCount }: FoundAlbum,
  collectedAt?: number
): AlbumFacts[] {
  const id = idOf('al', albumMID)
  if (id === undefined) return []
  const singers = singerName.split('/').map((name, at) => ({ mid: at === 0 ? singerMID : '', name }))
  const more = { ...songCount > 0 ? { songCount } : {}, ...collectedAt === undefined ? {} : { collectedAt } }
  return [{ id, name: albumName, picture: albumMID, singers, day: publicTime, ...more }]
}

export function albumFolderOf (
  { id, name, artist, artistId, coverArt, created, starred, year, duration }: Fields
): Fields {
  return {
    id,
    parent: artistId,
    isDir: true,
    title: name,
    album: name,
    artist,
    artistId,
    coverArt,
    created,
    starred,
    year,
    duration
  }
}

export function singerOf ({ mid, name }: Singer, albumCount?: number): Fields {
  return { id: idOf('ar', mid), name, coverArt: idOf('ar', mid), albumCount }
}

export const singerFolderOf = ({ mid, name }: Singer): Fields => ({ id: idOf('ar', mid), name })

/** Facts about a playlist. `at`: day, or Unix seconds, of its last change. `seconds`: estimated if absent. */
export interface PlaylistFacts {
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly comment?: string
  readonly songCount: number
  readonly seconds?: number | undefined
  readonly at?: string | number | undefined
}

/** Seconds of a song, for the length of a list whose songs are not read yet. The standard requires one. */
const usualSeconds = 240

/** Returns a playlist without its songs. Clients cannot change it. `began`: in place of an unknown time. */
export function playlistOf (
  { id, name, owner, comment, songCount, seconds = songCount * usualSeconds, at = '' }: PlaylistFacts,
  began: string
): Fields {
  const changed = timeOf(at) ?? began
  return {
    id,
    name,
    comment: comment || undefined,
    owner: owner || undefined,
    public: false,
    readonly: true,
    songCount,
    duration: seconds,
    created: changed,
    changed,
    coverArt: /^(?:li|ra)-/.test(id) ? undefined : id
  }
}

export const secondsOf = (songs: readonly Fields[]): number =>
  songs.reduce((sum, { duration }) => sum + Number(duration), 0)

/** The day of the time 0: unknown. */
const noDay = '1970-01-01'

/** Returns a YYYY-MM-DD day or Unix seconds as a time. Undefined: unknown, or a year that clients cannot read. */
export function timeOf (at: string | number): string | undefined {
  const date = typeof at === 'number' ? new Date(Math.max(0, at) * 1000) : new Date(`${at}T00:00:00.000Z`)
  const text = String(date.toJSON()) // null: no time
  return date.getTime() !== 0 && /^\d{4}-/.test(text) ? text : undefined
}

export function yearOf (day: string): number | undefined {
  return day === noDay ? undefined : Number(day.slice(0, 4)) || undefined
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-fields
