/** What the provider or the relay does not have: clients ask for it at the start, and take an error for a broken server. */
import type { Body } from '../answers.ts'
import { method, noInput } from '../method.ts'
import type { BodyMethod } from '../method.ts'

const empty = (what: string, body: Body): BodyMethod => method({ summary: `Empty: there are no ${what}.`, input: noInput, run: () => body })

export const emptyLists = {
  getNowPlaying: empty('players that report what they play', { nowPlaying: { entry: [] } }),
  getPodcasts: empty('podcasts', { podcasts: { channel: [] } }),
  getNewestPodcasts: empty('podcasts', { newestPodcasts: { episode: [] } }),
  getInternetRadioStations: empty('radio stations with an address', { internetRadioStations: { internetRadioStation: [] } }),
  getBookmarks: empty('bookmarks', { bookmarks: { bookmark: [] } }),
  getPlayQueue: empty('stored queues', {}),
  getPlayQueueByIndex: empty('stored queues', {}),
  getShares: empty('shares', { shares: { share: [] } }),
  getVideos: empty('videos', { videos: {} }),
  getChatMessages: empty('messages', { chatMessages: { chatMessage: [] } })
} as const
