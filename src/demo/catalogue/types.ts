export interface Singer {
  id: number
  mid: string
  name: string
  otherName: string
  /** The upstream's own numbers: 0 man, 1 woman, 2 group. */
  sex: number
  /** The upstream's own numbers; `singerLegend` names them. */
  area: number
  genre: number
  /** First letter of the spelling, `#` when there is none. */
  index: string
  fans: number
  desc: string
  /** Where the upstream keeps the description: `wiki` and `short` in the newer call, `classic` in the old XML only. */
  text: 'wiki' | 'short' | 'classic' | 'none'
  /** Lines of the encyclopaedia entry; the keys differ per singer. */
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
 * Who may have the file: `free` everybody (low qualities), `login` every account, `paid` members only,
 * `region` nobody here, `gone` taken down (there is no file any more).
 */
export type Access = 'free' | 'login' | 'paid' | 'region' | 'gone'

/** `byId`: the musicu lyric call finds it by its number only (seen in two clients, 2026). */
export type LyricKind = 'plain' | 'chinese' | 'none' | 'translated' | 'instrumental' | 'byId'

export interface Song {
  id: number
  mid: string
  /** Short title; `title` is the full one. */
  name: string
  title: string
  subtitle: string
  singers: Singer[]
  album: Album | undefined
  trackNumber: number
  /** Seconds the catalogue claims; the demo's audio is shorter. */
  interval: number
  published: string
  mediaMid: string
  trialMid: string
  access: Access
  /** Length of the demo's audio. */
  audioSeconds: number
  /** Bytes by file-name prefix; an absent prefix means there is no such file. */
  sizes: Record<string, number>
  mv: { id: number, vid: string }
  lyric: LyricKind
}

export interface ChartRow { song: Song | undefined, id: number, title: string, singerName: string, hasMid: boolean }

export interface Chart {
  id: number
  title: string
  group: number
  /** `YYYY-MM-DD` for daily charts, `YYYY_W` for weekly ones, `''` where the upstream has none. */
  period: string
  updated: string
  intro: string
  listeners: number
  rows: ChartRow[]
  /** false: `songInfoList` is empty and only rows without MID are left. */
  songInfo: boolean
  picture: string
}

export interface Tag extends Named { group: string }

/** `hidden`: subcode 4000. `hollow`: code 0 with an empty shell. Both are playlists that are not public. */
export type PlaylistState = 'public' | 'hidden' | 'hollow'

export interface Playlist {
  id: number
  title: string
  desc: string
  creator: { number: number, nick: string }
  listeners: number
  created: string
  tags: Tag[]
  songs: Song[]
  state: PlaylistState
  picture: string
}

/**
 * Which files an MV has. `three` and `four`: mp4 in that many definitions, the highest of four for members only, and the
 * two lower ones as hls. `all`: everything for everybody, a fifth definition too. `members`: nothing without a member's
 * cookie. `gone`: in no definition any more. `hls`: no mp4. `parts`: addresses only as root, key and file name.
 */
export type MvFiles = 'three' | 'four' | 'all' | 'members' | 'gone' | 'hls' | 'parts'

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

export interface Catalogue {
  /** Address of the demo itself: pictures and audio point there. */
  origin: string
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
  /** By the MID inside a file name: media MIDs and trial MIDs. */
  songByFile: Map<string, Song>
  chartById: Map<number, Chart>
  playlistById: Map<string, Playlist>
  songsBySinger: Map<Singer, Song[]>
  albumsBySinger: Map<Singer, Album[]>
  mvByVid: Map<string, Mv>
}
