/** Songs, albums, singers and playlists in the formats of the interface. */
import type { PlaylistSong } from '../../../schemas/playlists.ts'
import type { FoundAlbum } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Body } from './answers.ts'
import { idOf } from './ids.ts'

/** A record of the interface. Unknown fields are absent. */
export type Fields = Body

/**
 * Facts about an album. `picture`: id of its picture. `singers`: main one first. `day`: of publication, YYYY-MM-DD or "".
 * Absent: unknown.
 */
export interface AlbumFacts {
  readonly id: string
  readonly name: string
  readonly picture: string
  readonly singers: readonly Singer[]
  readonly day: string
  readonly songCount?: number
  readonly seconds?: number
}

/** A singer. `mid`: "" if unknown. */
export interface Singer { readonly mid: string, readonly name: string }

/** Name of the album for songs without an album. */
export const noAlbum = { mid: '0', name: '单曲 Singles' } as const

/** Bit rate of the usual file, in kbit/s. */
export const usualRate = 128
/** Bytes per second of 1 kbit/s. */
const bytesOfRate = 125
/** Bytes per second of the usual file, for songs of unknown size. Clients drop songs without a size. */
const usualBytes = usualRate * bytesOfRate

/** Whether a song is known to be liked, without a request. */
export interface Likes { readonly isLiked: (mid: string) => boolean }

/** Returns the songs that can be played. Players have no use for the rest: songs without a MID, and deleted ones. */
export const playable = <T extends Pick<Song, 'mid' | 'unplayable'>>(songs: readonly T[]): T[] =>
  songs.filter(({ mid, unplayable }) => mid !== '' && unplayable !== true)

/**
 * Returns a song. `inLibrary`: as a liked song, whose album contains only the liked songs. `at`: its position on
 * an album whose songs have no numbers. Size and type are those of the MP3 file that every account may play. The played file may be better.
 */
export function songOf (song: Song, likes: Likes, { inLibrary = false, at }: { readonly inLibrary?: boolean, readonly at?: number } = {}): Fields {
  const { mid, name, title, singer, album, interval, time_public: day, file } = song
  const albumKind = inLibrary ? 'la' : 'al'
  const size = file.size_128mp3 || interval * usualBytes
  return {
    ...fieldsOf({
      mid,
      title: title || name,
      singers: singer,
      seconds: interval,
      picture: album.pmid || album.mid,
      album: album.mid === '' && inLibrary ? noAlbum : album,
      albumKind
    }),
    track: song.track ?? at,
    discNumber: song.disc,
    year: yearOf(day),
    size,
    bitRate: interval > 0 ? Math.round(size / interval / bytesOfRate) : usualRate,
    created: dateOf(day),
    // The time at which a song was liked is unknown.
    starred: inLibrary || likes.isLiked(mid) ? dateOf(day) : undefined
  }
}

/** Returns a song of a playlist, which has fewer fields. */
export function listedSongOf ({ songmid, songname, singer, albummid, albumname, interval, track, disc }: PlaylistSong, likes: Likes): Fields {
  const singers = singer.split('/').map((name) => ({ mid: '', name }))
  return {
    ...fieldsOf({ mid: songmid, title: songname, singers, seconds: interval, picture: albummid, album: { mid: albummid, name: albumname }, albumKind: 'al' }),
    track,
    discNumber: disc,
    size: interval * usualBytes,
    bitRate: usualRate,
    starred: likes.isLiked(songmid) ? dateOf('') : undefined
  }
}

interface SongFacts {
  readonly mid: string
  readonly title: string
  readonly singers: readonly Singer[]
  readonly seconds: number
  readonly picture: string
  readonly album: { readonly mid: string, readonly name: string }
  readonly albumKind: 'al' | 'la'
}

function fieldsOf ({ mid, title, singers, seconds, picture, album, albumKind }: SongFacts): Fields {
  const artist = namesOf(singers)
  const albumId = idOf(albumKind, album.mid)
  return {
    id: idOf('so', mid),
    parent: albumId,
    isDir: false,
    title,
    album: album.name || undefined,
    albumId,
    ...artistOf(singers),
    coverArt: idOf('al', picture) ?? idOf('so', mid),
    duration: seconds,
    suffix: 'mp3',
    contentType: 'audio/mpeg',
    path: `${[artist, album.name, title].map(pathPart).join('/')}.mp3`,
    isVideo: false,
    type: 'music',
    mediaType: 'song'
  }
}

const pathPart = (name: string): string => name.replaceAll(/[/\\]/g, '_') || '-'

/** Singers as one text and one by one. */
function artistOf (singers: readonly Singer[]): Fields {
  return {
    artist: namesOf(singers),
    artistId: idOf('ar', singers[0]?.mid ?? ''),
    displayArtist: namesOf(singers),
    artists: singers.flatMap(({ mid, name }) => mid === '' ? [] : [{ id: `ar-${mid}`, name }])
  }
}

const namesOf = (singers: readonly Singer[]): string => singers.map(({ name }) => name).join(' / ')

/** Returns an album without its songs. The standard requires number and length. They are 0 if unknown. */
export function albumOf ({ id, name, picture, singers, day, songCount = 0, seconds = 0 }: AlbumFacts): Fields {
  return {
    id,
    name,
    ...artistOf(singers),
    coverArt: idOf('al', picture),
    songCount,
    duration: seconds,
    created: dateOf(day),
    year: yearOf(day)
  }
}

/** Returns an album from a search, or from the account's collection with its Unix seconds. Empty without a MID. */
export function foundAlbumOf ({ albumMID, albumName, publicTime, singerMID, singerName, song_count: songCount }: FoundAlbum, collectedAt?: number): Fields[] {
  const id = idOf('al', albumMID)
  if (id === undefined) return []
  const singers = singerName.split('/').map((name, at) => ({ mid: at === 0 ? singerMID : '', name }))
  return [{
    ...albumOf({ id, name: albumName, picture: albumMID, singers, day: publicTime, songCount }),
    starred: collectedAt === undefined ? undefined : starredAt(collectedAt)
  }]
}

/** Returns an album for clients that browse folders. */
export function albumFolderOf (album: Fields): Fields {
  const { id, name, artist, artistId, coverArt, created, starred, year, duration } = album
  return { id, parent: artistId, isDir: true, title: name, album: name, artist, artistId, coverArt, created, starred, year, duration: duration || undefined }
}

/** Returns a singer. */
export function singerOf ({ mid, name }: Singer, albumCount?: number): Fields {
  return { id: idOf('ar', mid), name, coverArt: idOf('ar', mid), albumCount }
}

/** Returns a singer for clients that browse folders. */
export const singerFolderOf = ({ mid, name }: Singer): Fields => ({ id: idOf('ar', mid), name })

/** Facts about a playlist. `seconds`: 0 if unknown. `day`: of its last change, YYYY-MM-DD or "". */
interface PlaylistFacts {
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly comment?: string
  readonly songCount: number
  readonly seconds?: number
  readonly day?: string
}

/** Returns a playlist without its songs. Clients cannot change it. */
export function playlistOf ({ id, name, owner, comment, songCount, seconds = 0, day = '' }: PlaylistFacts): Fields {
  return {
    id,
    name,
    comment: comment || undefined,
    owner: owner || undefined,
    public: false,
    readonly: true,
    songCount,
    duration: seconds,
    created: dateOf(day),
    changed: dateOf(day),
    coverArt: id.startsWith('li-') ? undefined : id
  }
}

/** Returns the sum of the lengths, in seconds. */
export const secondsOf = (songs: readonly Fields[]): number => songs.reduce((sum, { duration }) => sum + Number(duration), 0)

/** Returns a day as a time. The interface requires one, even if it is unknown. */
const dateOf = (day: string): string => timeOf(new Date(`${day}T00:00:00.000Z`))

/** Returns Unix seconds as a time. 0: unknown. */
export const starredAt = (seconds: number): string => timeOf(new Date(Math.max(0, seconds) * 1000))

/** Clients cannot read a year with five digits. */
function timeOf (date: Date): string {
  const text = String(date.toJSON()) // null: no time
  return /^\d{4}-/.test(text) ? text : '1970-01-01T00:00:00.000Z'
}

/** Returns the year of a day. Undefined if unknown. */
export function yearOf (day: string): number | undefined {
  return Number(day.slice(0, 4)) || undefined
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
