import type { Album, Catalogue, Playlist, Singer, Song } from './types.ts'

/** Matches if every word of the query occurs somewhere in the texts. Case does not matter. */
function matcher (query: string): (...texts: string[]) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return (...texts) => {
    const text = texts.join(' ').toLowerCase()
    return words.length > 0 && words.every((word) => text.includes(word))
  }
}

function names (singers: readonly Singer[]): string {
  return singers.map((singer) => `${singer.name} ${singer.otherName}`).join(' ')
}

/** Number of free songs at the top of a search, if there are as many. */
const openHits = 5

export function findSongs ({ songs }: Catalogue, query: string): Song[] {
  const matches = matcher(query)
  const hits = songs.filter((song) => matches(song.title, song.album?.name ?? '', names(song.singers)))
  const open = new Set(hits.filter(({ access }) => access === 'free').slice(0, openHits))
  return [...open, ...hits.filter((song) => !open.has(song))]
}

export function findSingers ({ singers }: Catalogue, query: string): Singer[] {
  const matches = matcher(query)
  return singers.filter((singer) => matches(singer.name, singer.otherName))
}

export function findAlbums ({ albums }: Catalogue, query: string): Album[] {
  const matches = matcher(query)
  return albums.filter((album) => matches(album.name, album.otherName, names(album.singers)))
}

export function findPlaylists ({ playlists }: Catalogue, query: string): Playlist[] {
  const matches = matcher(query)
  return playlists.filter((playlist) => playlist.state === 'public' && matches(playlist.title, playlist.desc))
}

/** Returns songs with a line that contains the query, and that line without its time. */
export function findLines ({ songLines }: Catalogue, query: string): Array<{ song: Song, line: string }> {
  const matches = matcher(query)
  return [...songLines()].flatMap(([song, lines]) => {
    const line = lines.find((text) => matches(text))
    return line === undefined ? [] : [{ song, line }]
  })
}
