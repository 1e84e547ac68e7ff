/** Sessions of listeners, made of the requests that players were recorded with (test/opensubsonicClients): about what the demo has, and as what player. */
import { amperfy, dsub } from '../opensubsonicClients/xmlPhones.ts'
import { feishin, supersonic } from '../opensubsonicClients/desktops.ts'
import { musicAssistant } from '../opensubsonicClients/hub.ts'
import { symfonium, tempo, ultrasonic } from '../opensubsonicClients/phones.ts'
import type { Client, Step } from '../opensubsonicClients/types.ts'
import { buildWorks } from '../../src/demo/catalogue/index.ts'
import { queryOf, usual, type Parameters } from '../support/opensubsonicPlayer.ts'

/** What a request is about. Each kind has a popularity of its own. `library`: the whole library of a login. */
export type Kind = 'song' | 'album' | 'artist' | 'list' | 'query' | 'library'

/** One request. `item`: rank of what it is about, 0 is the most popular. */
export interface Ask {
  readonly method: string
  readonly kind: Kind
  readonly item: number
  readonly parameters: Parameters
}

/** A number from 0 up to 1. */
export type Random = () => number

/** Returns the rank of an item that somebody asks for. */
export type Draw = (kind: Kind, random: Random) => number

/** What the requests of an item say, by the words of the recorded steps. */
export type Words = (kind: Kind, item: number) => Readonly<Record<string, string>>

/** What a listener does in one session, and how often on average. A household's day in the foreground; copies of a library are made once and left out. */
const habits: Readonly<Record<string, { readonly times: number, readonly kind: Kind }>> = {
  'home': { times: 1, kind: 'library' },
  'playlists': { times: 0.5, kind: 'library' },
  'opening an album': { times: 1, kind: 'album' },
  'opening an artist': { times: 0.5, kind: 'artist' },
  'opening a playlist': { times: 0.7, kind: 'list' },
  'searching': { times: 0.7, kind: 'query' },
  'playing': { times: 8, kind: 'song' },
  'going on': { times: 0.3, kind: 'song' }
}

/** Sessions of a listener on a day. */
export const sessionsADay = 1.5

const players: readonly Client[] = [feishin, symfonium, musicAssistant, amperfy, supersonic, tempo, dsub, ultrasonic]

/** Words that say what a request is about. Requests with others depend on an answer before, and are left out. */
const kindOf: Readonly<Record<string, Kind>> =
  { song: 'song', title: 'song', cover: 'album', album: 'album', artist: 'artist', artistName: 'artist', list: 'list' }

interface Recipe { readonly at: string, readonly step: Step, readonly kind: Kind }

/** The steps of a player that read something and that need no earlier answer. */
function recipesOf ({ steps }: Client): readonly Recipe[] {
  return steps.flatMap((step): Recipe[] => {
    if (habits[step.at] === undefined || step.fails !== undefined || step.leads === 'elsewhere') return []
    if (step.with?.['query'] !== undefined && step.with['query'] !== '') return [{ at: step.at, step, kind: 'query' }]
    const words = [...JSON.stringify(step.with ?? {}).matchAll(/\{(\w+)\}/g)].map(([, word]) => word as string)
    const kinds = new Set(words.map((word) => kindOf[word]))
    const [kind = 'library'] = kinds
    return kinds.size > 1 || kinds.has(undefined) ? [] : [{ at: step.at, step, kind }]
  })
}

const recipes = players.map(recipesOf)

/** How often, on average: a number below one is a chance. */
const timesOf = (mean: number, random: Random): number => Math.floor(mean) + (random() < mean % 1 ? 1 : 0)

/** One session of a listener with one of the players. */
export function session (random: Random, draw: Draw, words: Words): readonly Ask[] {
  const own = recipes[Math.floor(random() * recipes.length)] ?? []
  const asks: Ask[] = []
  for (const [name, { times, kind }] of Object.entries(habits)) {
    for (let left = timesOf(times, random); left > 0; left--) {
      const about = draw(kind, random)
      for (const { step, kind: asked } of own.filter((recipe) => recipe.at === name)) {
        // The cover belongs to another item than the song.
        const item = asked === kind ? about : draw(asked, random)
        const known = words(asked, item)
        const filled = Object.entries(step.with ?? {}).map(([key, value]) => [
          key, key === 'query' && asked === 'query' ? known['query'] as string
            : typeof value === 'string' ? value.replaceAll(/\{(\w+)\}/g, (_all, word: string) => known[word] ?? '')
            : value
        ] as const)
        asks.push({ method: step.ask, kind: asked, item, parameters: Object.fromEntries(filled) })
      }
    }
  }
  return asks
}

const { songs, albums, singers, playlists } = buildWorks()
const counts: Readonly<Record<Kind, number>> = {
  song: songs.length, album: albums.length, artist: singers.length, list: playlists.length, query: songs.length,
  library: 1
}

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

/** `store`: whether instances share answers. What a login was answered stays in the instance that it asked. */
export interface Manner {
  readonly name: string
  readonly store: boolean
  readonly pathOf: (ask: Ask) => string | undefined
}

const idOf = ({ parameters }: Ask): string => String([parameters['id']].flat()[0] ?? '').replace(/^\w\w-/, '')
const album = (ask: Ask): string => `/getAlbumInfo?albummid=${idOf(ask)}`
const singer = (ask: Ask): string => `/getSingerDesc?singermid=${idOf(ask)}`
const similar = (ask: Ask): string => `/getSimilarSongs?songmid=${idOf(ask)}`
const search = ({ parameters }: Ask): string => `/getSearchByKey?${queryOf({ key: parameters['query'] })}`

/** The endpoint that has what a method of OpenSubsonic has. Others are of the library, or ask nothing. */
const endpointFor: Readonly<Record<string, (ask: Ask) => string>> = {
  getAlbum: album, getAlbumInfo: album, getAlbumInfo2: album, getArtistInfo: singer, getArtistInfo2: singer,
  search2: search, search3: search,
  getSong: (ask) => `/getSongInfo?songmid=${idOf(ask)}`,
  getArtist: (ask) => `/getSingerAlbum?singermid=${idOf(ask)}`,
  getPlaylist: (ask) => `/getSongListDetail?disstid=${idOf(ask)}`,
  getLyricsBySongId: (ask) => `/getLyric?songmid=${idOf(ask)}`,
  stream: (ask) => `/getMusicPlay?songmid=${idOf(ask)}`,
  getSimilarSongs: (ask) => ask.kind === 'song' ? similar(ask) : `/getSimilarSinger?singermid=${idOf(ask)}`,
  getSimilarSongs2: (ask) => `/getSimilarSinger?singermid=${idOf(ask)}`
}

export const manners: readonly Manner[] = [
  { name: 'Players with a login', store: false, pathOf: ({ method, parameters }) => `/rest/${method}?${queryOf({ ...usual, ...parameters })}` },
  { name: 'Apps without a login', store: true, pathOf: (ask) => endpointFor[ask.method]?.(ask) }
]
