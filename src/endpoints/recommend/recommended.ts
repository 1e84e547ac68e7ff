/**
 * What the provider recommends: the home feed, the radar, the personal station. The feed has shelves of cards, chosen
 * for the account if there is one. Recorded 2024-03 with a login, 2026-08 without.
 */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import {
  DailyRecommend, GetDailyRecommendQuery, GetPersonalRecommendQuery, PersonalRecommend
} from '../../../schemas/recommend.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  UpstreamError, endpoint, maybe, need, noteMissing, optional, pictureOf, statusBody, textOf, upstreamEmpty,
  type Answer, type ClassicCall, type CommKind, type MusicuCall, type RelayError, type Upstream
} from '../kit.ts'
import { sessionCheck } from '../shared/accountCalls.ts'
import { readCounted, type CountedRows } from '../shared/pages.ts'
import {
  folderRequest, playlistRequest, requirePlaylists, siblingPlaylistRequest, squarePlaylists
} from '../shared/playlistCalls.ts'
import { readSongRow, readWrappedSong } from '../shared/song.ts'
import type { Credential } from '../../upstream/wire/credentials.ts'
import { ownWords } from '../../upstream/wire/requests.ts'

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
function feedChain<T> (read: ReadCards<T>): MusicuCall<T>[] {
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
const playlistJump = 10014

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

/** The call for a page, counted from 1. It answers without a valid session, so a login needs a session check. */
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

// The station with songs for an account. Requires a login: code 1000 without one (2026-08, 2026-10).

export const personalStation = 99

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

// Today's songs for an account: a folder that every account has (2026-11). Without it, the first page of the Mac client
// or a card of the home feed names a playlist, which is then loaded; then the light program's call. Feed recorded
// 2024-03, page 2026-08.

/** Folder number of the daily songs in every account. */
const dailyFolder = 202

/** Titles of the playlist: "thirty a day", "shared with you today". */
const titles = ['每日30首', '今日私享']

/** Returns the id of the daily playlist. Some cards lack it (0), and the personal station is no playlist card. */
function dailyOf (cards: readonly Answer[], call: string): string {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump)
  const card = lists.find((each) => titles.includes(maybe.text(each, 'title') ?? '')) ??
    lists.find((each) => maybe.text(each, 'extra_info.moduleID')?.startsWith('recforyou') === true)
  const dissid = card === undefined ? '0' : need.id(card, 'id')
  if (Number(dissid) === 0) throw upstreamEmpty(call, 'a daily playlist')
  return dissid
}

const macPage: ClassicCall<string> = {
  name: 'daily.page',
  request: { path: '/node/musicmac/v6/index.html', query: {}, as: 'text' },
  read (answer) {
    const item = need.text(answer, '').split('playlist__item').find((part) =>
      titles.some((title) => part.includes(title))
    )
    const dissid = /data-rid=["']?(\d{1,19})\b/.exec(item ?? '')?.[1]
    if (dissid === undefined) throw upstreamEmpty(answer.call, 'a daily playlist')
    return dissid
  }
}

const folderOf = (uin: string): MusicuCall<DailyRecommend> => ({
  name: 'daily.folder',
  request: folderRequest(dailyFolder, uin),
  read: (answer) => ({ dissid: dissidOf(answer), ...readDaily(answer) })
})

function dissidOf (answer: Answer): string {
  const id = maybe.id(answer, 'dirinfo.id') ?? '0'
  return Number(id) === 0 ? '' : id
}

/** The light program's call for the same folder (2026-11), whose answer was never seen whole. */
const lightDaily: MusicuCall<DailyRecommend> = {
  name: 'daily.light',
  request: {
    module: ownWords.lightDailyModule,
    method: 'GetDaily30',
    param: {
      disstid: 0,
      dirid: dailyFolder,
      onlysonglist: 0,
      song_begin: 0,
      song_num: 2_147_483_647,
      userinfo: 1,
      pic_dpi: 800,
      orderlist: 1
    },
    comm: 'lite'
  },
  optionalFields: ['dirinfo.*'],
  read: (answer) => ({ dissid: dissidOf(answer), ...readDaily(answer) })
}

type Daily = Pick<DailyRecommend, 'dissname' | 'songs' | 'skipped'>

const songsOf = (disstid: string): readonly [MusicuCall<Daily>, MusicuCall<Daily>] => {
  const whole = { begin: 0, num: 100 }
  return [
    { name: 'daily.songs', request: playlistRequest({ disstid }, whole), read: readDaily },
    { name: 'daily.songs.sibling', request: siblingPlaylistRequest({ disstid }, whole), read: readDaily }
  ]
}

function readDaily (answer: Answer): Daily {
  const { rows: songs, skipped } = readCounted(answer, ['songlist'], readSongRow)
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'the songs of the daily playlist')
  return { dissname: textOf(answer, 'dirinfo.title'), songs, skipped }
}

/** True if the calls are at fault, not the caller, the host or the time. */
const isRefused = (error: RelayError): boolean => error instanceof UpstreamError && error.fault === 'call'

async function dailyPlaylist (uin: string, upstream: Upstream): Promise<DailyRecommend | undefined> {
  const found = await optional(
    upstream.firstOf<DailyRecommend | string>([
      sessionCheck(folderOf(uin)),
      macPage,
      ...feedChain(dailyOf),
      lightDaily
    ]),
    isRefused
  )
  if (typeof found !== 'string') return found
  const [first, sibling] = songsOf(found)
  const daily = await optional(upstream.firstOf([sessionCheck(first), sibling]), isRefused)
  return daily === undefined ? undefined : { dissid: found, ...daily }
}

export const getDailyRecommend = endpoint({
  method: 'GET',
  path: '/getDailyRecommend',
  tag: 'recommend',
  summary: 'Today\'s songs for an account',
  summaryInChinese: '每日推荐歌曲',
  description: 'The playlist that the upstream makes for the account every day. If there is none, the songs come from the personal radio station, and dissid is "". An expired cookie is COOKIE_REJECTED.',
  example: {},
  probe: ({ accounts }) => accounts.map(() => ({})),
  input: GetDailyRecommendQuery,
  record: DailyRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, { upstream, credential }) {
    const { uin } = credential as Credential // `login: 'required'` guarantees it
    return await dailyPlaylist(uin, upstream)
      ?? await upstream.firstOf(personalRadio(({ rows: songs, skipped }) => ({
        dissid: '',
        dissname: '',
        songs,
        skipped
      })))
  }
})

// Recommendations for an account. The call for songs also answers without a valid session, so a session check is sent
// with it: otherwise an expired cookie would return general songs as personal ones. Recorded 2026-08.

/** Cards of the feed. The fallback is rows of the square, which is public. */
const playlistChain: readonly MusicuCall<CountedRows<PlaylistSummary>>[] = [...feedChain(playlistsIn), squarePlaylists]

export const getPersonalRecommend = endpoint({
  method: 'GET',
  path: '/getPersonalRecommend',
  tag: 'recommend',
  summary: 'Songs and playlists recommended to an account',
  summaryInChinese: '个性化推荐的歌曲和歌单',
  description: 'The upstream\'s radar songs (if they fail, those of the personal radio station), and the playlists of the account\'s home feed. An expired cookie is COOKIE_REJECTED.',
  example: {},
  probe: ({ accounts }) => accounts.map(() => ({})),
  input: GetPersonalRecommendQuery,
  record: PersonalRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, context) {
    const { upstream } = context
    const [found, playlists] = await Promise.all([
      upstream.firstOf([
        sessionCheck(radarSongs(1, (found) => found)),
        ...personalRadio(({ rows: songs, skipped }) => ({ songs, skipped, hasMore: true }))
      ]),
      optional(
        upstream.firstOf(playlistChain),
        (error) => noteMissing(context, error, 'songs are recommended without playlists')
      )
    ])
    return { ...found, playlists: playlists?.rows ?? [], skipped: found.skipped + (playlists?.skipped ?? 0) }
  }
})
