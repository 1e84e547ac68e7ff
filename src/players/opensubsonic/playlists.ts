/** Playlists: the account's own and collected ones, its lists of songs, the charts, and recommendations. They cannot be changed here. */
import { Type } from '@sinclair/typebox'
import type { ChartHead } from '../../../schemas/charts.ts'
import type { Song } from '../../../schemas/song.ts'
import { getRanks } from '../../endpoints/charts/getRanks.ts'
import { getRadioLists } from '../../endpoints/discover/getRadioLists.ts'
import { getSongListDetail } from '../../endpoints/playlists/getSongListDetail.ts'
import { getRadioSongs } from '../../endpoints/radio/getRadioSongs.ts'
import { getDailyRecommend } from '../../endpoints/recommend/getDailyRecommend.ts'
import { getPersonalRecommend } from '../../endpoints/recommend/getPersonalRecommend.ts'
import { personalStation } from '../../endpoints/shared/recommended.ts'
import { uniqueBy } from '../../endpoints/shared/rows.ts'
import { getUserPlaylists } from '../../endpoints/user/getUserPlaylists.ts'
import type { Call } from '../call.ts'
import { isTolerable, noteMissing } from './failures.ts'
import { readId, type ListName } from './ids.ts'
import { method, noInput, id, type MethodContext, type AnyMethod } from './method.ts'
import { listedSongOf, playable, playlistOf, secondsOf, songOf, type Fields } from './records.ts'
import { songsByNumber } from './rows.ts'
import { mayUseLogin } from './users.ts'

/** Personal answers that players request repeatedly, so they are cached per account. */
const ownPlaylists = { ...getUserPlaylists, cache: 'lively' as const }
const daily = { ...getDailyRecommend, cache: 'lively' as const }
const radar = { ...getPersonalRecommend, cache: 'lively' as const }

/** The folder of the liked songs in every account. */
const likedFolder = 201
/** Names of the lists of an account. */
export const listNames: Readonly<Record<ListName, string>> = { liked: '我喜欢 Liked songs', daily: '每日推荐 Daily songs', radar: '猜你喜欢 For you' }
/** Number of songs in the daily list and in one round of the radio, used until they are read. */
export const usualSongs = { daily: 30, radar: 10 } as const
/** Playlists of an account in one answer; playlists and songs on a page of the endpoints; songs of a playlist or chart in one answer. */
const mostPlaylists = 1000
const pagePlaylists = 100
const pageSongs = 1000
const mostSongs = 5000
const chartSongs = 100

/** Owner of all playlists that the account did not create. */
const provider = 'QQ Music'

/** Returns all playlists without their songs. Parts that fail are left out, unless all fail. Throws RelayError. */
async function playlistsOfUser ({ user, call, library, log }: MethodContext): Promise<Fields[]> {
  const uin = user.identity.credential?.uin
  const recommended = (['daily', 'radar'] as const).map((list) =>
    playlistOf({ id: `li-${list}`, name: listNames[list], owner: provider, songCount: usualSongs[list] })
  )
  const isAllowed = mayUseLogin(user.identity)
  const settled = await Promise.allSettled([
    ...isAllowed ? [library.total().then((songCount) => [playlistOf({ id: 'li-liked', name: listNames.liked, owner: user.name, songCount })])] : [],
    ...uin === undefined ? [] : [madeBy(uin, user.name, call)],
    ...isAllowed ? [collected(library)] : [],
    chartsOf(call)
  ])
  const failures = settled.flatMap((part) => part.status === 'rejected' ? [part.reason as unknown] : [])
  const [worst] = [...failures.filter((error) => !isTolerable(error)), ...failures.length === settled.length ? failures : []]
  if (worst !== undefined) throw worst
  for (const err of failures) log.warn({ err }, 'a part of the playlists is missing')
  const [liked = [], ...others] = settled.map((part) => part.status === 'fulfilled' ? part.value : [])
  return uniqueBy([...liked, ...isAllowed ? recommended : [], ...others.flat()], ({ id }) => String(id))
}

async function collected ({ favourites }: Pick<MethodContext['library'], 'favourites'>): Promise<Fields[]> {
  return (await favourites.playlists()).map(({ dissid, dissname, creator, songnum }) =>
    playlistOf({ id: `pl-${dissid}`, name: dissname, owner: creator, songCount: songnum })
  )
}

async function madeBy (uin: string, owner: string, call: Call): Promise<Fields[]> {
  const found: Fields[] = []
  for (let offset = 0; offset < mostPlaylists; offset += pagePlaylists) {
    const { playlists, total } = await call(ownPlaylists, { uin, offset, limit: pagePlaylists })
    found.push(
      ...playlists.filter(({ dissid, dirid }) => Number(dissid) > 0 && dirid !== likedFolder).map(({ dissid, dissname, songnum }) =>
        playlistOf({ id: `pl-${dissid}`, name: dissname, owner, songCount: songnum })
      )
    )
    if (offset + pagePlaylists >= total) break
  }
  return found
}

/** The list of charts lacks the number of songs. Until a chart is opened, it shows the number of requested songs. */
async function chartsOf (call: Call): Promise<Fields[]> {
  const { topLists = [] } = await call(getRanks, { limit: 1 })
  return topLists.map(({ id, name, period }) => playlistOf({ id: `ch-${id}`, name, owner: provider, songCount: chartSongs, day: period }))
}

/** Returns a playlist with its songs. Throws NOT_FOUND. */
export async function playlistWithSongs (id: string, context: MethodContext): Promise<Fields> {
  const { kind, own } = readId(id, 'pl', 'ch', 'li')
  if (kind === 'pl') return await ofPlaylist(id, own, context)
  if (kind === 'ch') return await ofChart(id, Number(own), context)
  const list = own as ListName
  if (list === 'liked') await context.work.alone()
  const songs = await songsOfList(list, context)
  const entry = await context.work.rows(playable(songs), (song) => songOf(song, context.library, { inLibrary: list === 'liked' }))
  return {
    ...playlistOf({
      id,
      name: listNames[list],
      owner: list === 'liked' ? context.user.name : provider,
      songCount: entry.length,
      seconds: secondsOf(entry)
    }),
    entry
  }
}

/** Returns the songs of a list of the account. Throws LOGIN_REQUIRED without a login. */
export async function songsOfList (list: ListName, { call, library }: Pick<MethodContext, 'call' | 'library'>): Promise<readonly Song[]> {
  switch (list) {
    case 'daily': return (await call(daily, {})).songs
    case 'radar': return (await call(radar, {})).songs
    case 'liked': return await library.songs(0, mostSongs)
  }
}

async function ofPlaylist (id: string, disstid: string, { user, call, library, work }: MethodContext): Promise<Fields> {
  const uin = user.identity.credential?.uin
  // Players compare the owner with their user. The playlist itself contains only the creator's nickname.
  const [made, head] = await Promise.all([
    uin === undefined ? [] : madeBy(uin, user.name, call).catch(() => []),
    call(getSongListDetail, { disstid, limit: pageSongs })
  ])
  if (head.songnum > pageSongs) await work.alone()
  const rows = [...head.songlist]
  for (let offset = pageSongs; offset < Math.min(head.songnum, mostSongs); offset += pageSongs) {
    rows.push(...(await call(getSongListDetail, { disstid, offset, limit: pageSongs })).songlist)
  }
  const playables = rows.filter(({ songmid, unplayable }) => songmid !== '' && unplayable !== true)
  const entry = await work.rows(playables, (song) => listedSongOf(song, library))
  return {
    ...playlistOf({
      id,
      name: head.dissname,
      owner: made.some((own) => own['id'] === id)
        ? user.name
        : head.creator,
      comment: head.desc,
      songCount: entry.length,
      seconds: secondsOf(entry)
    }),
    entry
  }
}

/** The songs of a chart have no MID. Their numbers lead to the MID and all other fields. */
async function ofChart (id: string, topId: number, { call, library }: MethodContext): Promise<Fields> {
  const { topList, songInfoList } = await call(getRanks, { topId, limit: chartSongs })
  const songs = await songsByNumber(songInfoList.flatMap(({ songId }) => songId > 0 ? [songId] : []), call)
  const entry = playable(songs).map((song) => songOf(song, library))
  return { ...playlistOf({ ...factsOf(topList), id, owner: provider, songCount: entry.length, seconds: secondsOf(entry) }), entry }
}

const factsOf = ({ name, intro, updateTime }: ChartHead): { name: string, comment: string, day: string } => ({ name, comment: intro, day: updateTime })

/** Returns the address of the picture of a playlist or chart. "" if it has none. */
export async function playlistPicture (id: string, call: Call): Promise<string> {
  const { kind, own } = readId(id, 'pl', 'ch')
  if (kind === 'pl') return (await call(getSongListDetail, { disstid: own, limit: 1 })).imgurl
  const { topLists = [] } = await call(getRanks, { limit: 1 })
  return topLists.find((chart) => chart.id === Number(own))?.picUrl ?? (await call(getRanks, { topId: Number(own), limit: 1 })).topList.picUrl
}

/** Maximum number of songs that the endpoint returns at once. */
const songsOfStation = 30

/** The methods of playlists and stations. */
export const playlistMethods = {
  getPlaylists: method({
    summary: 'The account\'s liked songs, its own and collected playlists, recommended songs, and all charts of the provider. All are read-only.',
    missing: 'Charts and recommendations show their usual number of songs.',
    input: noInput,
    run: async (_input, context) => ({ playlists: { playlist: await playlistsOfUser(context) } })
  }),
  getPlaylist: method({
    summary: 'A playlist with its songs, at most 5,000; of a chart the first 100.',
    missing: 'Songs of playlists have no year and no exact size, because the provider\'s list has none.',
    input: Type.Object({ id: id('a playlist, a chart or a list of the account') }),
    isLong: true,
    run: async ({ id }, context) => ({ playlist: await playlistWithSongs(id, context) })
  }),
  getInternetRadioStations: method({
    summary: 'The radio stations of the provider. The address of a station is an M3U list of songs, with other songs each time.',
    missing: 'A player without M3U support cannot play them. The lists are open to anybody with the address, and play without the login of the user. Empty while `ACCESS_TOKEN` is set, because players cannot send it. The personal station is the playlist `li-radar`.',
    input: noInput,

    async run (_input, { call, openOrigin, log }) {
      if (openOrigin === undefined) return { internetRadioStations: { internetRadioStation: [] } }
      const { groups } = await call(getRadioLists, {}).catch((error: unknown) => {
        // Players request the stations at the start and treat an error as a broken server.
        noteMissing(error, log, 'the radio stations are missing')
        return { groups: [] }
      })
      const stations = uniqueBy(groups.flatMap(({ radios }) => radios), ({ radioId }) => radioId).filter(({ radioId }) => radioId !== personalStation)
      return {
        internetRadioStations: {
          internetRadioStation: stations.map(({ radioId, radioName: name }) => ({
            id: `ra-${radioId}`,
            name,
            streamUrl: `${openOrigin}${getRadioSongs.path}?radioId=${radioId}&limit=${songsOfStation}&format=m3u`
          }))
        }
      }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-users long-playlists opensubsonic-account opensubsonic-methods
