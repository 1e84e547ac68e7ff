/**
 * What the upstream recommends to an account. Songs are answered to anybody, so the question whose cookie it is goes
 * along: a dead one shall not pass for a taste. Recorded 2026-08.
 */
import { statusBody } from '../../../schemas/envelopes.ts'
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { GetPersonalRecommendQuery, PersonalRecommend } from '../../../schemas/recommend.ts'
import { endpoint } from '../../endpoint.ts'
import type { Context } from '../../endpoint.ts'
import { RelayError, upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'
import { feedChain, playlistJump } from '../shared/feed.ts'
import { withGoodCookie } from '../shared/goodCookie.ts'
import { personalRadio } from '../shared/personalRadio.ts'
import { readSong } from '../shared/song.ts'
import { someOf, squarePlaylists } from '../shared/square.ts'
import { pictureOf, textOf } from '../shared/texts.ts'

type Songs = Pick<PersonalRecommend, 'songs' | 'hasMore'>

const radar: MusicuCall<Songs> = {
  name: 'recommend.songs',
  ask: { module: 'music.recommend.TrackRelationServer', method: 'GetRadarSong', param: { Page: 1, ReqType: 0, FavSongs: [], EntranceSongs: [] } },
  read: readRadar
}

function readRadar (answer: Answer): Songs {
  const songs = maybe.list(answer, 'VecSongs', (row) => readSong(need.at(row, 'Track', 'track')))
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'songs')
  return { songs, hasMore: maybe.flag(answer, 'HasMore') ?? false }
}

/** Cards of the feed, or rows of the square that everybody sees. */
const playlistChain: readonly MusicuCall<PlaylistSummary[]>[] = [...feedChain(playlistsOf), squarePlaylists]

function playlistsOf (cards: readonly Answer[], call: string): PlaylistSummary[] {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump && maybe.int(card, 'type') === 500).map((card) => ({
    dissid: maybe.id(card, 'id') ?? '',
    dissname: textOf(card, 'title'),
    creator: '',
    listen_num: maybe.int(card, 'cnt') ?? 0,
    imgurl: pictureOf(card, 'cover')
  }))
  return someOf(lists.filter(({ dissid, dissname }) => dissid !== '' && dissname !== ''), call)
}

/** Playlists come beside the songs: when they cannot be had, there are none. */
async function playlistsBeside ({ upstream, log }: Context): Promise<PlaylistSummary[]> {
  try {
    return await upstream.firstOf(playlistChain)
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    log.debug({ reason: error.code }, 'songs are recommended without playlists')
    return []
  }
}

export const getPersonalRecommend = endpoint({
  method: 'GET',
  path: '/getPersonalRecommend',
  tag: 'recommend',
  summary: 'Songs and playlists recommended to an account',
  description: 'The upstream\'s radar songs, or the personal radio station\'s when those cannot be had, and the playlists of the account\'s home feed. An expired cookie is COOKIE_REJECTED.',
  example: {},
  input: GetPersonalRecommendQuery,
  record: PersonalRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, context) {
    const { upstream } = context
    const [found, playlists] = await Promise.all([
      withGoodCookie(upstream, radar, async (rest) => ({ songs: await rest.firstOf(personalRadio), hasMore: true })),
      playlistsBeside(context)
    ])
    return { ...found, playlists }
  }
})
