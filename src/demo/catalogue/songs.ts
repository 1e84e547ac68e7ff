import { sizesOf } from '../media/files.ts'
import { dateOf } from './albums.ts'
import type { Random } from './random.ts'
import { countedMid } from './singers.ts'
import { specialSongs } from './specials.ts'
import type { Access, Album, LyricKind, Singer, Song } from './types.ts'
import { adjectives, chineseFirst, chineseLast, chineseMiddle, endings, nouns } from './words.ts'

/** Album 5 is long, so that the song list of an album has several pages. */
function songsOnAlbum (number: number): number {
  if (number <= 2) return 10
  if (number === 4) return 0
  return number === 5 ? 120 : 4 + number % 5
}

function accessOf (number: number): Access {
  const share = number % 50
  if (share === 49) return 'region'
  if (share === 48) return 'gone'
  if (share % 5 === 0) return 'free'
  return share % 5 === 1 ? 'paid' : 'login'
}

function lyricOf (number: number): LyricKind {
  if (number % 23 === 0) return 'none'
  if (number % 29 === 0) return 'instrumental'
  if (number % 31 === 0) return 'untimed'
  if (number % 37 === 0) return 'shifted'
  if (number % 6 === 0) return 'translated'
  return number % 2 ? 'plain' : 'chinese'
}

function titlesOf (number: number, random: Random): { name: string, title: string, subtitle: string } {
  const chinese = number % 2 === 0
  const name = chinese ? random.pick(chineseFirst) + random.pick(chineseMiddle)
    : `${random.pick(adjectives)} ${random.pick(nouns)}`
  const ending = chinese ? random.pick(chineseLast) : random.pick(endings)
  return { name, title: name + ending, subtitle: number % 11 === 0 ? '《无人码头》电影插曲' : '' }
}

/** Every 97th number is above 2^31, as real ids will be later. The others have seven digits. */
function songIdOf (number: number): number {
  return number % 97 === 0 ? 2147483648 + number : 5000000 + number
}

/** Albums of ten and more songs have two discs, whose tracks are counted from 1 each. */
function placeOn (album: Album | undefined, songs: number): Pick<Song, 'trackNumber' | 'discNumber'> {
  if (!album) return { trackNumber: 0, discNumber: 0 }
  const perDisc = songs >= 10 ? Math.ceil(songs / 2) : songs
  return { trackNumber: album.songs.length % perDisc + 1, discNumber: Math.floor(album.songs.length / perDisc) }
}

function buildSong (
  number: number,
  album: Album | undefined,
  place: ReturnType<typeof placeOn>,
  singers: readonly Singer[],
  random: Random
): Song {
  const mid = countedMid('Song', number)
  const guest = number % 13 === 0 ? random.pick(singers) : undefined
  const own = album?.singers ?? [random.pick(singers)]
  const special = specialSongs[number]
  const access = special?.access ?? accessOf(number)
  const titles = titlesOf(number, random)
  const interval = random.int(95, 340)
  const mediaMid = special?.sameFile ?? number % 3 !== 0 ? mid : countedMid('File', number)
  return {
    id: songIdOf(number),
    mid,
    ...titles,
    singers: guest && !own.includes(guest) ? [...own, guest] : own,
    album,
    ...place,
    interval,
    published: album?.published ?? dateOf(random),
    mediaMid,
    trialMid: countedMid('Tria', number),
    access,
    sizes: sizesOf(number, access, interval, special?.lowOnly ?? number % 17 === 0),
    mv: number % 4 === 0 ? { id: 700000 + number, vid: `demoV${String(number).padStart(6, '0')}` } : { id: 0, vid: '' },
    lyric: special?.lyric ?? lyricOf(number),
    ...special?.titles
  }
}

/**
 * Builds the songs and fills `album.songs`. The last ten songs have no album (`album.id` 0 and `album.mid` "" on the
 * wire). `before`: numbers of albums and songs that exist already.
 */
export function buildSongs (
  random: Random,
  albums: readonly Album[],
  singers: readonly Singer[],
  before = { albums: 0, songs: 0 }
): Song[] {
  const songs: Song[] = []
  const next = (album: Album | undefined, count = 0): Song =>
    buildSong(before.songs + songs.length + 1, album, placeOn(album, count), singers, random)
  albums.forEach((album, at) => {
    const count = songsOnAlbum(before.albums + at + 1)
    for (let i = count; i > 0; i--) {
      const song = next(album, count)
      album.songs.push(song)
      songs.push(song)
    }
  })
  for (let i = 0; i < 10; i++) songs.push(next(undefined))
  return songs
}
