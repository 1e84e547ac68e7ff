/** Lists that the provider or the relay does not have. Clients request them at the start and treat an error as a broken server. */
import type { Body } from '../answers.ts'
import { method, noInput, type BodyMethod } from '../method.ts'

const empty = (what: string, body: Body): BodyMethod => method({ summary: `Empty: there are no ${what}.`, input: noInput, run: () => body })

/** The standard requires a time, even for a queue that was never stored. */
const never = '1970-01-01T00:00:00.000Z'

export const emptyLists = {
  getNowPlaying: empty('players that report what they play', { nowPlaying: { entry: [] } }),
  getPodcasts: empty('podcasts', { podcasts: { channel: [] } }),
  getNewestPodcasts: empty('podcasts', { newestPodcasts: { episode: [] } }),
  getBookmarks: empty('bookmarks', { bookmarks: { bookmark: [] } }),
  getPlayQueue: method({
    summary: 'Empty: there are no stored queues.',
    input: noInput,
    run: (_input, { user: { name: username } }) => ({ playQueue: { username, changed: never, changedBy: '', entry: [] } })
  }),
  getPlayQueueByIndex: method({
    summary: 'Empty: there are no stored queues.',
    input: noInput,
    run: (_input, { user: { name: username } }) => ({ playQueueByIndex: { username, changed: never, changedBy: '', entry: [] } })
  }),
  getShares: empty('shares', { shares: { share: [] } }),
  getVideos: empty('videos', { videos: {} }),
  getChatMessages: empty('messages', { chatMessages: { chatMessage: [] } })
} as const
