/**
 * The home feed: shelves of cards, chosen for the account if there is one. Recorded 2024-03 with a login, 2026-08
 * without.
 */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import type { CommKind, MusicuCall } from '../../upstream/calls.ts'
import { pictureOf, textOf } from './fields.ts'
import { requirePlaylists } from './square.ts'

type ReadCards<T> = (cards: readonly Answer[], call: string) => T

/** Returns the feed call of one module. The `comm` block decides which shelves are sent. */
export function feedOf<T> (name: string, module: string, comm: CommKind, read: ReadCards<T>): MusicuCall<T> {
  return {
    name,
    request: { module, method: 'get_recommend_feed', param: { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 }, comm },
    optionalFields: ['v_shelf[].v_niche[].v_card[].extra_info.moduleID'],
    read: (answer) => read(cardsOf(answer), answer.call)
  }
}

/** Returns the newer and the older variant of one call, with the `comm` block that has the shelf "for you". */
export function feedChain<T> (read: ReadCards<T>): MusicuCall<T>[] {
  return [feedOf('feed', 'music.recommend.RecommendFeed', 'feed', read), feedOf('feed.older', 'recommend.RecommendFeedServer', 'feed', read)]
}

function cardsOf (answer: Answer): Answer[] {
  return maybe.list(answer, 'v_shelf', (shelf) => maybe.list(shelf, 'v_niche', (niche) => maybe.list(niche, 'v_card', (card) => card)).flat()).flat()
}

/** The `jumptype` of a card that leads to a playlist. */
export const playlistJump = 10014

/** Reads the playlists among the cards. They have no creator. Throws UPSTREAM_EMPTY if there is none. */
export function playlistsIn (cards: readonly Answer[], call: string): PlaylistSummary[] {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump && maybe.int(card, 'type') === 500).map((card) => ({
    dissid: maybe.id(card, 'id') ?? '',
    dissname: textOf(card, 'title'),
    creator: '',
    listen_num: maybe.int(card, 'cnt') ?? 0,
    imgurl: pictureOf(card, 'cover')
  }))
  return requirePlaylists(lists.filter(({ dissid, dissname }) => dissid !== '' && dissname !== ''), call)
}
