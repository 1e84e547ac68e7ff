import type { Album, Catalogue, Playlist, SearchTexts, Singer, Song, Texts, Works } from './types.ts'

/** Matches if every word of the query occurs somewhere in the text, which is in lower case. */
function matcher (query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return (text) => words.length > 0 && words.every((word) => text.includes(word))
}

function names (singers: readonly Singer[]): string {
  return singers.map((singer) => `${singer.name} ${singer.otherName}`).join(' ')
}

/** Returns what a search looks through. Case does not matter, and only public playlists are found. */
export function searchTextsOf ({ songs, singers, albums, playlists }: Pick<Works, keyof SearchTexts>): SearchTexts {
  const withText = <Work>(works: readonly Work[], textOf: (work: Work) => string): Texts<Work> =>
    works.map((work) => [work, textOf(work).toLowerCase()])
  return {
    songs: withText(songs, (song) => `${song.title} ${song.album?.name ?? ''} ${names(song.singers)}`),
    singers: withText(singers, (singer) => names([singer])),
    albums: withText(albums, (album) => `${album.name} ${album.otherName} ${names(album.singers)}`),
    playlists: withText(playlists.filter(({ state }) => state === 'public'), ({ title, desc }) => `${title} ${desc}`)
  }
}

function found<Work> (texts: Texts<Work>, query: string): Work[] {
  const matches = matcher(query)
  return texts.filter(([, text]) => matches(text)).map(([work]) => work)
}

/** Number of free songs at the top of a search, if there are as many. */
const openHits = 5

export function findSongs ({ searchTexts }: Catalogue, query: string): Song[] {
  const hits = found(searchTexts().songs, query)
  const open = new Set(hits.filter(({ access }) => access === 'free').slice(0, openHits))
  return [...open, ...hits.filter((song) => !open.has(song))]
}

export function findSingers ({ searchTexts }: Catalogue, query: string): Singer[] {
  return found(searchTexts().singers, query)
}

export function findAlbums ({ searchTexts }: Catalogue, query: string): Album[] {
  return found(searchTexts().albums, query)
}

export function findPlaylists ({ searchTexts }: Catalogue, query: string): Playlist[] {
  return found(searchTexts().playlists, query)
}

/** Returns songs with a line that contains the query, and that line without its time. */
export function findLines ({ songLines }: Catalogue, query: string): Array<{ song: Song, line: string }> {
  const matches = matcher(query)
  return [...songLines()].flatMap(([song, lines]) => {
    const line = lines.find((text) => matches(text.toLowerCase()))
    return line === undefined ? [] : [{ song, line }]
  })
}
