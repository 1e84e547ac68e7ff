export interface Singer {
  id: number
  mid: string
  name: string
  otherName: string
  /** The upstream's numbers: 0 man, 1 woman, 2 group. */
  sex: number
  /** The upstream's numbers. `singerLegend` names them. */
  area: number
  genre: number
  /** First letter of the spelling, `#` if there is none. */
  index: string
  fans: number
  desc: string
  /** The source of the description: `wiki` and `short` in the newer call, `classic` in the old XML only. */
  text: 'wiki' | 'short' | 'classic' | 'none'
  /** Lines of the encyclopaedia entry. The keys differ per singer. */
  facts: Array<[key: string, value: string]>
}

export interface Named { id: number, name: string }

export interface Album {
  id: number
  mid: string
  name: string
  otherName: string
  singers: Singer[]
  /** `YYYY-MM-DD` */
  published: string
  desc: string
  company: Named
  genre: Named
  language: Named
  kind: string
  /** New-album area: 1 mainland … 6 other. */
  area: number
  songs: Song[]
}

/**
 * Who may play the song: `free` all callers (low qualities), `login` every account, `paid` members only, `region` no
 * one here, `gone` no one (taken down, no file exists).
 */
export type Access = 'free' | 'login' | 'paid' | 'region' | 'gone'

/** `byId`: the musicu lyric call finds the lyric only by the number of the song (seen in two clients, 2026). */
export type LyricKind = 'plain' | 'chinese' | 'none' | 'translated' | 'instrumental' | 'byId' | 'untimed' | 'shifted'

export interface Song {
  id: number
  mid: string
  /** Short title. `title` is the full title. */
  name: string
  title: string
  subtitle: string
  singers: Singer[]
  album: Album | undefined
  /** On its disc, from 1; 0 without an album. */
  trackNumber: number
  /** From 0, as on the wire. */
  discNumber: number
  /** Length in seconds. */
  interval: number
  published: string
  mediaMid: string
  trialMid: string
  access: Access
  /** Size in bytes by file-name prefix. No prefix, no file. */
  sizes: Record<string, number>
  mv: { id: number, vid: string }
  lyric: LyricKind
}

export interface ChartRow { song: Song | undefined, id: number, title: string, singerName: string, hasMid: boolean }

export interface Chart {
  id: number
  title: string
  group: number
  /** `YYYY-MM-DD` for daily charts, `YYYY_W` for weekly ones, `''` if the upstream has none. */
  period: string
  updated: string
  intro: string
  listeners: number
  rows: ChartRow[]
  /** false: `songInfoList` is empty, and only the rows without MIDs exist. */
  songInfo: boolean
  picture: string
}

export interface Tag extends Named { group: string }

/**
 * `hidden`: subcode 4000. `hollow`: code 0 with empty fields. `private`: code 0, and a title that reports it. Only
 * `public` is public.
 */
export type PlaylistState = 'public' | 'hidden' | 'hollow' | 'private'

/** What is left of a deleted song in a playlist: its number, null, or an empty row. */
export type Deletion = 'bare' | 'null' | 'nobody'

export interface Playlist {
  id: number
  title: string
  desc: string
  creator: { number: number, nick: string }
  listeners: number
  created: string
  tags: Tag[]
  songs: Song[]
  /** By place, from 0: deleted songs. */
  deleted: ReadonlyMap<number, Deletion>
  state: PlaylistState
  picture: string
}

/**
 * The files of an MV. `three` and `four`: mp4 in that many definitions, and the two lowest ones as hls; the highest of
 * four is for members only. `all`: all files for all callers, with a fifth definition. `members`: nothing without a
 * member's cookie.
 * `gone`: no definition any more. `hls`: no mp4. `parts`: addresses only as root, key and file name. `mixed`: a
 * placeholder before the addresses. `bare`: only a placeholder.
 */
export type MvFiles = 'three' | 'four' | 'all' | 'members' | 'gone' | 'hls' | 'parts' | 'mixed' | 'bare'

export interface Mv {
  id: number
  vid: string
  title: string
  subtitle: string
  singers: Singer[]
  area: number
  version: number
  seconds: number
  plays: number
  /** `YYYY-MM-DD` */
  published: string
  files: MvFiles
}

/** Works with the text that a search looks through. */
export type Texts<Work> = ReadonlyArray<readonly [Work, string]>
export interface SearchTexts {
  songs: Texts<Song>
  singers: Texts<Singer>
  albums: Texts<Album>
  playlists: Texts<Playlist>
}

/** The contents of the catalogue, for any number of demos. */
export interface Works {
  singers: Singer[]
  albums: Album[]
  songs: Song[]
  charts: Chart[]
  playlists: Playlist[]
  mvs: Mv[]
  tags: Tag[]
  singerByMid: Map<string, Singer>
  albumByMid: Map<string, Album>
  albumById: Map<number, Album>
  songByMid: Map<string, Song>
  songById: Map<number, Song>
  /** Songs by the MID in a file name: a media MID or a trial MID. */
  songByFile: Map<string, Song>
  chartById: Map<number, Chart>
  playlistById: Map<string, Playlist>
  songsBySinger: Map<Singer, Song[]>
  albumsBySinger: Map<Singer, Album[]>
  mvByVid: Map<string, Mv>
  /** What a search looks through in each work, in lower case. Made by the first search, as it is the same for all. */
  searchTexts: () => SearchTexts
  /**
   * What is sung in each song, line by line. Made by the first search for a line: writing all lyrics takes longer than
   * the rest of a start.
   */
  songLines: () => ReadonlyMap<Song, readonly string[]>
  /** Number of the member's liked songs, if not the usual one. */
  memberLikes: number | undefined
}

export interface Catalogue extends Works {
  /** Address of the demo. Pictures and audio point there. */
  readonly origin: string
}
