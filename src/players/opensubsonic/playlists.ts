/** Playlists of the account, its lists of songs, charts, and recommendations. They cannot be changed here. */
import { Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import type { ChartHead } from '../../../schemas/charts.ts'
import type { Song } from '../../../schemas/song.ts'
import { getRanks } from '../../endpoints/charts/getRanks.ts'
import { getRadioLists, getRadioSongs } from '../../endpoints/radio/radioSongs.ts'
import { getSongListDetail } from '../../endpoints/playlists/getSongListDetail.ts'
import { getDailyRecommend, getPersonalRecommend, personalStation } from '../../endpoints/recommend/recommended.ts'
import { uniqueBy } from '../../endpoints/shared/rows.ts'
import { getUserPlaylists } from '../../endpoints/user/ownLists.ts'
import { RelayError } from '../../common/errors.ts'
import type { Call } from '../call.ts'
import { isTolerable, noteMissing } from './subsonicErrors.ts'
import { readId, type ListName } from './ids.ts'
import { method, noInput, id, type MethodContext, type AnyMethod } from './method.ts'
import { lengthOf, playable, secondsOf, type Fields, type PlaylistFacts } from './records.ts'
import { songsByNumber } from './songRows.ts'
import { mayUseLogin } from './users.ts'
import { playlistOfSongs } from './variants.ts'

/** Personal answers that players request repeatedly, so they are cached per account. */
const ownPlaylists = { ...getUserPlaylists, cache: 'lively' as const }
const daily = { ...getDailyRecommend, cache: 'lively' as const }
const radar = { ...getPersonalRecommend, cache: 'lively' as const }

/** The folder of the liked songs in every account. */
const likedFolder = 201
export const listNames: Readonly<Record<ListName, string>> = {
  liked: '我喜欢 Liked songs',
  daily: '每日推荐 Daily songs',
  radar: '猜你喜欢 For you'
}
/** Number of songs in the daily list and in one round of the radio, used until they are read. */
export const usualSongs = { daily: 30, radar: 10 } as const
/** Playlists in one answer; playlists and songs on a page of the endpoints; songs of a list in one answer. */
const mostPlaylists = 1000
const pagePlaylists = 100
const pageSongs = 1000
const mostSongs = 5000
const chartSongs = 100
/** Songs of a station in one answer, as many as the endpoint returns at once. */
const songsOfStation = 30

/** Owner of all playlists that the account did not create. */
const provider = 'QQ Music'

/** Returns all playlists without their songs. Parts that fail are left out, unless all fail. Throws RelayError. */
async function playlistsOfUser (context: MethodContext): Promise<Fields[]> {
  const { user, call, library, log, records } = context
  const uin = user.identity.credential?.uin
  const recommended = (['daily', 'radar'] as const).map((list) =>
    ({ id: `li-${list}`, name: listNames[list], owner: provider, songCount: usualSongs[list] })
  )
  const isAllowed = mayUseLogin(user.identity)
  const settled = await Promise.allSettled([
    ...isAllowed ? [likedList(context)] : [],
    ...uin === undefined ? [] : [madeBy(uin, user.name, call)],
    ...isAllowed ? [collected(library)] : [],
    chartsOf(call),
    stationLists(call)
  ])
  const failures = settled.flatMap((part) => part.status === 'rejected' ? [part.reason as unknown] : [])
  const [worst] = [
    ...failures.filter((error) => !isTolerable(error)),
    ...failures.length === settled.length ? failures : []
  ]
  if (worst !== undefined) throw worst
  for (const err of failures) log.warn({ err }, 'a part of the playlists is missing')
  const [liked = [], ...others] = settled.map((part) => part.status === 'fulfilled' ? part.value : [])
  const lists = uniqueBy([...liked, ...isAllowed ? recommended : [], ...others.flat()], ({ id }) => id)
  return (await Promise.all(asked(lists, context))).map(records.playlist)
}

async function likedList ({ user, library }: MethodContext): Promise<PlaylistFacts[]> {
  return [{
    id: 'li-liked',
    name: listNames.liked,
    owner: user.name,
    ...await library.length()
  }]
}

/** Playlists that getPlaylists reads to say how long they are, how many at once, and songs of one. */
const mostAsked = 10
const askedAtOnce = 3
const mostAskedSongs = 300

/** Returns playlists with what only their songs tell. Of a list that is too much, the length is estimated. */
function asked (lists: readonly PlaylistFacts[], { call }: MethodContext): (PlaylistFacts | Promise<PlaylistFacts>)[] {
  const atOnce = pLimit(askedAtOnce)
  let count = 0
  return lists.map((list) => {
    const { kind, own } = readId(list.id, 'pl', 'ch', 'li', 'ra')
    if (kind !== 'pl' || list.songCount > mostAskedSongs || ++count > mostAsked) return list
    return atOnce(async () => await call(playlistOfSongs, { disstid: own, limit: pageSongs })).then(
      ({ changed, songs: rows }): PlaylistFacts => {
        return { ...list, ...lengthOf(playable(rows)), at: changed }
      },
      (error: unknown) => {
        if (error instanceof RelayError) return list
        throw error
      }
    )
  })
}

async function collected ({ favourites }: Pick<MethodContext['library'], 'favourites'>): Promise<PlaylistFacts[]> {
  return (await favourites.playlists()).map(({ dissid, dissname, creator, songnum }) =>
    ({ id: `pl-${dissid}`, name: dissname, owner: creator, songCount: songnum })
  )
}

async function madeBy (uin: string, owner: string, call: Call): Promise<PlaylistFacts[]> {
  const found: PlaylistFacts[] = []
  for (let offset = 0; offset < mostPlaylists; offset += pagePlaylists) {
    const { playlists, total } = await call(ownPlaylists, { uin, offset, limit: pagePlaylists })
    found.push(...playlists.filter(({ dissid, dirid }) => Number(dissid) > 0 && dirid !== likedFolder)
      .map(({ dissid, dissname, songnum }) => ({ id: `pl-${dissid}`, name: dissname, owner, songCount: songnum })))
    if (offset + pagePlaylists >= total) break
  }
  return found
}

/** The list of charts lacks the number of songs. Until a chart is opened, it shows the number of requested songs. */
async function chartsOf (call: Call): Promise<PlaylistFacts[]> {
  const { topLists = [] } = await call(getRanks, { limit: 1 })
  return topLists.map(({ id, name, period }) => ({
    id: `ch-${id}`,
    name,
    owner: provider,
    songCount: chartSongs,
    at: period
  }))
}

/** Returns the radio stations, the personal one left out: it is a list of the account. */
async function stationsOf (
  call: Call
): Promise<readonly { readonly radioId: number, readonly radioName: string }[]> {
  const { groups } = await call(getRadioLists, {})
  return uniqueBy(groups.flatMap(({ radios }) => radios), ({ radioId }) => radioId).filter(({ radioId }) =>
    radioId !== personalStation
  )
}

const stationLists = async (call: Call): Promise<PlaylistFacts[]> =>
  (await stationsOf(call)).map(({ radioId, radioName: name }) => ({
    id: `ra-${radioId}`,
    name,
    owner: provider,
    songCount: songsOfStation
  }))

/** Returns a playlist with its songs. Throws NOT_FOUND. */
export async function playlistWithSongs (id: string, context: MethodContext): Promise<Fields> {
  const { kind, own } = readId(id, 'pl', 'ch', 'li', 'ra')
  const { songs, inLibrary = false, ...facts } = await (kind === 'pl'
    ? ofPlaylist(own, context)
    : kind === 'ch' ? ofChart(Number(own), context)
    : kind === 'ra' ? ofStation(Number(own), context) : ofAccount(own as ListName, context))
  const entry = await context.records.songs(songs, inLibrary)
  return { ...context.records.playlist({ ...facts, id, songCount: entry.length, seconds: secondsOf(entry) }), entry }
}

type WithSongs = Omit<PlaylistFacts, 'id' | 'songCount'> & {
  readonly songs: readonly Song[],
  readonly inLibrary?: boolean
}

async function ofAccount (list: ListName, context: MethodContext): Promise<WithSongs> {
  const isLiked = list === 'liked'
  if (isLiked) await context.work.alone()
  return {
    name: listNames[list],
    owner: isLiked ? context.user.name : provider,
    songs: await songsOfList(list, context),
    inLibrary: isLiked
  }
}

async function ofStation (radioId: number, { call }: MethodContext): Promise<WithSongs> {
  const station = (await stationsOf(call)).find((each) => each.radioId === radioId)
  if (station === undefined) throw new RelayError('NOT_FOUND', `id: there is no radio station ${radioId}.`)
  return {
    name: station.radioName,
    owner: provider,
    songs: (await call(getRadioSongs, { radioId, limit: songsOfStation })).songs
  }
}

/** Returns the songs of a list of the account. Throws LOGIN_REQUIRED without a login. */
export async function songsOfList (
  list: ListName,
  { call, library }: Pick<MethodContext, 'call' | 'library'>
): Promise<readonly Song[]> {
  switch (list) {
    case 'daily': return (await call(daily, {})).songs
    case 'radar': return (await call(radar, {})).songs
    case 'liked': return await library.songs(0, mostSongs)
  }
}

async function ofPlaylist (disstid: string, { user, call, work, log }: MethodContext): Promise<WithSongs> {
  const uin = user.identity.credential?.uin
  // Players compare the owner with their user. The playlist itself contains only the creator's nickname.
  const [made, head] = await Promise.all([
    uin === undefined ? [] : madeBy(uin, user.name, call).catch((error: unknown) => {
      noteMissing(error, log, 'the owner of a playlist is shown as its creator')
      return []
    }),
    call(playlistOfSongs, { disstid, limit: pageSongs })
  ])
  if (head.songnum > pageSongs) await work.alone()
  const songs = [...head.songs]
  for (let offset = pageSongs; offset < Math.min(head.songnum, mostSongs); offset += pageSongs) {
    songs.push(...(await call(playlistOfSongs, { disstid, offset, limit: pageSongs })).songs)
  }
  return {
    name: head.dissname,
    owner: made.some(({ id }) => id === `pl-${disstid}`) ? user.name : head.creator,
    comment: head.desc,
    at: head.changed,
    songs
  }
}

/** The songs of a chart have no MID. Their numbers lead to the MID and all other fields. */
async function ofChart (topId: number, { call }: MethodContext): Promise<WithSongs> {
  const { topList, songInfoList } = await call(getRanks, { topId, limit: chartSongs })
  const songs = await songsByNumber(songInfoList.flatMap(({ songId }) => songId > 0 ? [songId] : []), call)
  return { ...factsOf(topList), owner: provider, songs }
}

const factsOf = ({ name, intro, updateTime }: ChartHead): { name: string, comment: string, at: string } => ({
  name,
  comment: intro,
  at: updateTime
})

/** Returns the address of the picture of a playlist or chart. "" if it has none. */
export async function playlistPicture (id: string, call: Call): Promise<string> {
  const { kind, own } = readId(id, 'pl', 'ch')
  if (kind === 'pl') return (await call(getSongListDetail, { disstid: own, limit: 1 })).imgurl
  const { topLists = [] } = await call(getRanks, { limit: 1 })
  return topLists.find((chart) => chart.id === Number(own))?.picUrl
    ?? (await call(getRanks, { topId: Number(own), limit: 1 })).topList.picUrl
}

export const playlistMethods = {
  getPlaylists: method({
    summary: 'The account\'s liked songs, its own and collected playlists, recommended songs, and all charts and radio stations of the provider. All are read-only.',
    missing: 'Charts, stations and recommendations show their usual number of songs and an estimated length; so do long playlists.',
    input: noInput,
    run: async (_input, context) => ({ playlists: { playlist: await playlistsOfUser(context) } })
  }),
  getPlaylist: method({
    summary: 'A playlist with its songs, at most 5,000; of a chart the first 100; of a station 30, other ones each time.',
    input: Type.Object({ id: id('a playlist, a chart, a station or a list of the account') }),
    isLong: true,
    run: async ({ id }, context) => ({ playlist: await playlistWithSongs(id, context) })
  }),
  getInternetRadioStations: method({
    summary: 'The radio stations of the provider. The address of a station is one endless MP3 stream, which plays with the login of the user.',
    missing: 'The personal station is the playlist `li-radar`. Without a login behind the user, the list is empty while `ACCESS_TOKEN` is set.',
    input: noInput,

    async run (_input, { call, stationAddress, log }) {
      const stations = await stationsOf(call).catch((error: unknown) => {
        // Players request the stations at the start and treat an error as a broken server.
        noteMissing(error, log, 'the radio stations are missing')
        return []
      })
      return {
        internetRadioStations: {
          internetRadioStation: stations.flatMap(({ radioId, radioName: name }) => {
            const streamUrl = stationAddress(radioId)
            return streamUrl === undefined ? [] : [{ id: `ra-${radioId}`, name, streamUrl }]
          })
        }
      }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-users long-playlists opensubsonic-account opensubsonic-methods
