/**
 * What the provider recommends: the home feed, the radar, the personal station. The feed has shelves of cards, chosen
 * for the account if there is one. Recorded 2024-03 with a login, 2026-08 without.
 */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import type { PersonalRecommend } from '../../../schemas/recommend.ts'
import type { Song } from '../../../schemas/song.ts'
import { maybe, pictureOf, textOf, upstreamEmpty, type Answer, type CommKind, type MusicuCall } from '../kit.ts'
import { readCounted, type CountedRows } from './pages.ts'
import { requirePlaylists } from './playlistCalls.ts'
import { readWrappedSong } from './song.ts'

type ReadCards<T> = (cards: readonly Answer[], call: string) => T

/** Returns the feed call of one module. The `comm` block decides which shelves are sent. */
export function feedOf<T> (name: string, module: string, comm: CommKind, read: ReadCards<T>): MusicuCall<T> {
  return {
    name,
    request: {
      module,
      method: 'get_recommend_feed',
      param: { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 },
      comm
    },
    optionalFields: ['v_shelf[].v_niche[].v_card[].extra_info.moduleID'],
    read: (answer) => read(cardsOf(answer), answer.call)
  }
}

/** Returns the newer and the older variant of one call, with the `comm` block that has the shelf "for you". */
export function feedChain<T> (read: ReadCards<T>): MusicuCall<T>[] {
  return [feedOf('feed', 'music.recommend.RecommendFeed', 'feed', read), feedOf('feed.older', 'recommend.RecommendFeedServer', 'feed', read)]
}

function cardsOf (answer: Answer): Answer[] {
  return maybe.list(
    answer,
    'v_shelf',
    (shelf) => maybe.list(shelf, 'v_niche', (niche) => maybe.list(niche, 'v_card', (card) => card)).flat()
  ).flat()
}

/** The `jumptype` of a card that leads to a playlist. */
export const playlistJump = 10014

/** Reads the playlists among the cards. They have no creator. Throws UPSTREAM_EMPTY if there is none. */
export function playlistsIn (cards: readonly Answer[], call: string): CountedRows<PlaylistSummary> {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump && maybe.int(card, 'type') === 500)
    .map((card) => ({
      dissid: maybe.id(card, 'id') ?? '',
      dissname: textOf(card, 'title'),
      creator: '',
      listen_num: maybe.int(card, 'cnt') ?? 0,
      imgurl: pictureOf(card, 'cover')
    }))
  const rows = lists.filter(({ dissid }) => dissid !== '')
  return requirePlaylists({ rows, skipped: lists.length - rows.length }, call)
}

// A page of the upstream's radar: ten songs, with or without a login. Recorded 2026-08.

type Songs = Pick<PersonalRecommend, 'songs' | 'hasMore' | 'skipped'>

/**
 * Returns the call for a page, counted from 1. It also answers without a valid session, so send a session check with it
 * for a login.
 */
export const radarSongs = <T>(page: number, read: (found: Songs) => T): MusicuCall<T> => ({
  name: 'recommend.songs',
  request: {
    module: 'music.recommend.TrackRelationServer',
    method: 'GetRadarSong',
    param: { Page: page, ReqType: 0, FavSongs: [], EntranceSongs: [] }
  },
  read (answer) {
    const { rows: songs, skipped } = readCounted(
      answer,
      ['VecSongs'],
      (row) => readWrappedSong(row, 'need', 'Track', 'track')
    )
    if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
    return read({ songs, skipped, hasMore: maybe.flag(answer, 'HasMore') ?? false })
  }
})

// The radio station with songs chosen for an account. Requires a login: code 1000 without one (measured 2026-08,
// 2026-10).

/** Number of the station. */
export const personalStation = 99

/** Returns the newer and the older call for station 99. */
export const personalRadio = <T>(read: (found: CountedRows<Song>) => T): MusicuCall<T>[] => [
  {
    name: 'radio.personal',
    request: {
      module: 'music.radioProxy.MbTrackRadioSvr',
      method: 'get_radio_track',
      param: { id: personalStation, num: 10, from: 0, scene: 0, song_ids: [] }
    },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(radioTracks(answer, 'tracks'))
  },
  {
    name: 'radio.personal.older',
    request: {
      module: 'mb_track_radio_svr',
      method: 'get_radio_track',
      param: { id: personalStation, firstplay: 1, num: 15 }
    },
    optionalFields: ['tracks[].track'],
    read: (answer) => read(radioTracks(answer, 'tracks'))
  }
]

/** Reads the songs of a station, a list of one of these names. A track is plain or inside a wrapper. */
export function radioTracks (answer: Answer, ...names: string[]): CountedRows<Song> {
  const found = readCounted(answer, names, (row) => readWrappedSong(row, 'maybe', 'track', 'Track'))
  if (found.rows.length === 0) throw upstreamEmpty(answer.call, 'songs')
  return found
}
