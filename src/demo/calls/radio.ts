import { randomFrom, seedOf } from '../catalogue/random.ts'
import type { Catalogue, Song } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { stationIds } from './discover.ts'
import { lives } from './folders.ts'
import { mistyped, numberOf } from './params.ts'

/** Returns `count` different random songs. The same seed text always gives the same songs. */
export function drawn (songs: readonly Song[], word: string, count: number): Song[] {
  const random = randomFrom(seedOf(word))
  const chosen = new Set<Song>()
  while (chosen.size < Math.min(count, songs.length)) chosen.add(random.pick(songs))
  return [...chosen]
}

/** Number of the personal station. */
const personal = 99

/** Songs of a station. Station 400 always plays the same twelve. */
const programme = ({ songs }: Catalogue, id: number): Song[] => drawn(songs, `station ${id}`, id === 400 ? 12 : 60)

/**
 * Number of songs in one answer of the older call, and of the personal station (2026-09: five, even when ten or twenty
 * are requested).
 */
const few = 5

/** Counts the earlier requests for a station: each answer has other songs. */
function turnOf (id: string, { turns }: CallContext): number {
  const round = turns.get(id) ?? 0
  turns.set(id, round + 1)
  return round
}

const kinds = {
  id: 'number',
  num: 'number',
  from: 'number',
  scene: 'number',
  firstplay: 'number',
  song_ids: 'numbers'
} as const

/** The personal station requires a login. It has no end and no cursor: other songs each time, some of them repeated. */
function personalRadio (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const { catalogue, identity } = context
  if (!lives(identity)) return { code: 1000, data: { tracks: null } }
  const songs = drawn(
    catalogue.songs,
    `radio ${identity.uin} ${turnOf(`radio ${identity.uin}`, context)}`,
    Math.min(few, numberOf(param, 'num', few))
  )
  const extras = songs.map(() => ({ reason: '', rectag: { RecReasonTemplate: '', RecReasons: [], RecType: 1 } }))
  return { code: 0, data: { tracks: songs.map(newSong), extras } }
}

/** The older call serves every station, including the personal one, for callers with a login. It wraps its tracks. */
function olderRadio (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const { catalogue, identity } = context
  if (!lives(identity)) return { code: 1000, data: { tracks: null } }
  const id = numberOf(param, 'id', 0)
  const whose = id === personal ? `radio ${identity.uin}` : `station ${id}`
  const songs = id === personal ? catalogue.songs : stationIds.has(id) ? programme(catalogue, id) : []
  return {
    code: 0,
    data: { tracks: drawn(songs, `${whose} ${turnOf(whose, context)}`, few).map((song) => ({ track: newSong(song) })) }
  }
}

/** Requires no login. The personal station and unknown ones have no songs here. */
function stationSongs (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const id = numberOf(param, 'id', 0)
  if (id === personal || !stationIds.has(id)) return { code: 0, data: { track_list: null } }
  const songs = drawn(
    programme(context.catalogue, id),
    `station ${id} ${turnOf(`station ${id}`, context)}`,
    Math.min(30, numberOf(param, 'num', 10))
  )
  return { code: 0, data: { track_list: songs.map(newSong) } }
}

export const radioCalls: MusicuTable = {
  'music.radioProxy.MbTrackRadioSvr/get_radio_track': personalRadio,
  'mb_track_radio_svr/get_radio_track': olderRadio,
  'pf.radiosvr/GetRadiosonglist': stationSongs
}
