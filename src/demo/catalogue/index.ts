import { buildAlbums } from './albums.ts'
import { buildCharts } from './charts.ts'
import { linesOf } from './lyrics.ts'
import { buildMvs } from './mvs.ts'
import { buildPlaylists, playlistTags } from './playlists.ts'
import { randomFrom } from './random.ts'
import { searchTextsOf } from './search.ts'
import { buildSingers } from './singers.ts'
import { buildSongs } from './songs.ts'
import type { Catalogue, SearchTexts, Singer, Song, Works } from './types.ts'

function bySinger<Work extends { singers: Singer[] }> (works: readonly Work[]): Map<Singer, Work[]> {
  const found = new Map<Singer, Work[]>()
  for (const work of works) {
    for (const singer of work.singers) {
      const own = found.get(singer)
      if (own) own.push(work)
      else found.set(singer, [work])
    }
  }
  return found
}

/** Number of songs on the shortest album. */
const shortest = 4

/**
 * Builds the contents of the catalogue, always the same. Takes some tens of milliseconds. With `memberLikes`, more
 * albums are added until there are as many songs.
 */
export function buildWorks (memberLikes?: number): Works {
  const singers = buildSingers(randomFrom(1))
  const albums = buildAlbums(randomFrom(2), singers)
  const songs = buildSongs(randomFrom(3), albums, singers)
  const charts = buildCharts(randomFrom(4), songs)
  const tags = playlistTags()
  const playlists = buildPlaylists(randomFrom(5), songs, tags)
  const mvs = buildMvs(randomFrom(6), songs)
  const before = { albums: albums.length, songs: songs.length }
  albums.push(...buildAlbums(
    randomFrom(7),
    singers,
    before.albums,
    Math.ceil(Math.max(0, (memberLikes ?? 0) - songs.length) / shortest)
  ))
  if (albums.length > before.albums) {
    songs.push(...buildSongs(randomFrom(8), albums.slice(before.albums), singers, before))
  }
  let lines: ReturnType<Works['songLines']> | undefined
  let texts: SearchTexts | undefined
  return {
    singers,
    albums,
    songs,
    charts,
    playlists,
    mvs,
    tags,
    singerByMid: new Map(singers.map((singer) => [singer.mid, singer])),
    albumByMid: new Map(albums.map((album) => [album.mid, album])),
    albumById: new Map(albums.map((album) => [album.id, album])),
    songByMid: new Map(songs.map((song) => [song.mid, song])),
    songById: new Map(songs.map((song) => [song.id, song])),
    songByFile: new Map(songs.flatMap((song): Array<[string, Song]> => [[song.mediaMid, song], [song.trialMid, song]])),
    chartById: new Map(charts.map((chart) => [chart.id, chart])),
    playlistById: new Map(playlists.map((playlist) => [String(playlist.id), playlist])),
    songsBySinger: bySinger(songs),
    albumsBySinger: bySinger(albums),
    mvByVid: new Map(mvs.map((mv) => [mv.vid, mv])),
    searchTexts: () => texts ??= searchTextsOf({ songs, singers, albums, playlists }),
    songLines: () => lines ??= new Map(songs.map((song) => [song, linesOf(song)])),
    memberLikes
  }
}

/**
 * Returns the address of a picture of the demo, at the path of the real picture server. `kind`: T001 singer, T002
 * album, T003 list.
 */
export function pictureUrl (catalogue: Catalogue, kind: string, size: number, mid: string): string {
  return `${catalogue.origin}/music/photo_new/${kind}R${size}x${size}M000${mid}.jpg`
}
