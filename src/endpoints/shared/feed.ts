/**
 * The home feed: shelves of cards, chosen for the account if there is one. Recorded 2024-03 with a login, 2026-08
 * without.
 */
import { maybe } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import type { MusicuCall } from '../../upstream/calls.ts'

/**
 * Returns the newer and the older variant of one call. The `comm` block decides which shelves are sent; only this one
 * has "for you".
 */
export function feedChain<T> (read: (cards: readonly Answer[], call: string) => T): MusicuCall<T>[] {
  const feedOf = (name: string, module: string): MusicuCall<T> => ({
    name,
    request: { module, method: 'get_recommend_feed', param: { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 }, comm: 'feed' },
    optionalFields: ['v_shelf[].v_niche[].v_card[].extra_info.moduleID'],
    read: (answer) => read(cardsOf(answer), answer.call)
  })
  return [feedOf('feed', 'music.recommend.RecommendFeed'), feedOf('feed.older', 'recommend.RecommendFeedServer')]
}

function cardsOf (answer: Answer): Answer[] {
  return maybe.list(answer, 'v_shelf', (shelf) => maybe.list(shelf, 'v_niche', (niche) => maybe.list(niche, 'v_card', (card) => card)).flat()).flat()
}

/** The `jumptype` of a card that leads to a playlist. */
export const playlistJump = 10014
