/** The demo's catalogue as what listeners ask for. */
import { buildWorks } from '../../src/demo/catalogue/index.ts'
import type { Kind, Draw, Random, Words } from './sessions.ts'

const { songs, albums, singers, playlists } = buildWorks()
const counts: Readonly<Record<Kind, number>> = { song: songs.length, album: albums.length, artist: singers.length, list: playlists.length, query: songs.length, library: 1 }

/** Ids and names for the words of the recorded requests. */
export const demoWords: Words = (kind, item) => {
  const song = songs[item % songs.length]
  const album = albums[item % albums.length]
  const singer = singers[item % singers.length]
  const ofKind: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
    song: { song: `so-${song?.mid}`, title: String(song?.name) },
    album: { album: `al-${album?.mid}`, cover: `al-${album?.mid}` },
    artist: { artist: `ar-${singer?.mid}`, artistName: String(singer?.name) },
    list: { list: `pl-${playlists[item % playlists.length]?.id}` },
    query: { query: String(song?.name) },
    library: {}
  }
  return ofKind[kind]
}

/** Draws by popularity, as in the model, from what the demo has. */
export function drawFromDemo (steepness: number): Draw {
  const sums = new Map(Object.entries(counts).map(([kind, count]) => {
    let sum = 0
    return [kind, Array.from({ length: count }, (_each, rank) => sum += (rank + 1) ** -steepness)]
  }))
  return (kind: Kind, random: Random) => {
    const own = sums.get(kind) ?? [1]
    const wanted = random() * (own.at(-1) ?? 1)
    return own.findIndex((sum) => sum >= wanted)
  }
}

/** Every item once, until there are no more: what nobody has asked for yet. */
export function drawUnseen (): Draw {
  const last = new Map<Kind, number>()
  return (kind) => {
    const next = ((last.get(kind) ?? -1) + 1) % counts[kind]
    last.set(kind, next)
    return next
  }
}
