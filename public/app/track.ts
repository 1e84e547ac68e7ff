/** A song as rows, the queue and the bar know it. */
import type { Song } from '../../schemas/song.ts'

export interface Named {
  readonly name: string
  readonly mid: string
}

export interface Track {
  /** '' if unknown. */
  readonly mid: string
  readonly id: number
  readonly name: string
  /** Their MIDs are '' in lists that have names only. */
  readonly singers: readonly Named[]
  readonly album?: Named | undefined
  /** Id of the picture; '' if unknown. */
  readonly cover: string
  /** Length; 0 if unknown. */
  readonly seconds: number
  readonly paid: boolean
  readonly vid: string
  readonly disc: number
  readonly number: number
  /** Whether singers and album are those of the song's record, so that nothing more is to be asked. */
  readonly whole: boolean
}

export const trackOf = (
  { mid, id, title, name, singer, album, interval, pay, mv, disc = 1, track = 0 }: Song
): Track => ({
  mid,
  id,
  name: title || name,
  singers: singer.map((each) => ({ name: each.name, mid: each.mid })),
  whole: true,
  album: album.name === '' ? undefined : { name: album.name, mid: album.mid },
  cover: album.pmid || album.mid,
  seconds: interval,
  paid: pay.pay_play === 1,
  vid: mv.vid,
  disc,
  number: track
})

/** A row of a list that has names only. `singer`: names as the upstream joins them. */
export const partOf = (
  { mid, id, name, singer, album, cover = '', seconds = 0, vid = '' }: {
    mid: string,
    id: number,
    name: string,
    singer: string,
    album?: Named,
    cover?: string,
    seconds?: number,
    vid?: string
  }
): Track => ({
  mid,
  id,
  name,
  singers: singer === '' ? [] : [{ name: singer, mid: '' }],
  album,
  cover,
  seconds,
  vid,
  paid: false,
  disc: 1,
  number: 0,
  whole: false
})

export const singersOf = ({ singers }: Pick<Track, 'singers'>): string => singers.map(({ name }) => name).join(', ')

/** A deleted song has no name, and cannot be played. */
export const isThere = ({ name }: Track): boolean => name !== ''

export const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
