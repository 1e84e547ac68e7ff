/** Methods that would change something. The relay writes nothing at the provider and stores no data of its own. */
import { Refused, failureCodes } from '../failures.ts'
import { method, noInput, type BodyMethod } from '../method.ts'

const refused = (reason: string): BodyMethod => method({
  summary: `Refused: ${reason}`,
  input: noInput,
  run: () => { throw new Refused(failureCodes.notAllowed, reason) }
})

const likes = refused('This relay changes nothing at the provider: like songs and follow singers in the provider\'s own app, and they show up here.')
const playlists = refused('This relay changes nothing at the provider: change playlists in the provider\'s own app, and they show up here.')
const ownData = refused('This relay stores no data of its own: no queues, bookmarks, shares, messages or podcasts.')
const users = refused('Accounts are changed on the relay\'s own machine: music-relay accounts --help.')
const played = refused('This relay has no player of its own, and converts nothing.')

export const refusedWrites = {
  star: likes,
  unstar: likes,
  setRating: likes,
  createPlaylist: playlists,
  updatePlaylist: playlists,
  deletePlaylist: playlists,
  savePlayQueue: ownData,
  savePlayQueueByIndex: ownData,
  createBookmark: ownData,
  deleteBookmark: ownData,
  createShare: ownData,
  updateShare: ownData,
  deleteShare: ownData,
  addChatMessage: ownData,
  createPodcastChannel: ownData,
  deletePodcastChannel: ownData,
  deletePodcastEpisode: ownData,
  downloadPodcastEpisode: ownData,
  refreshPodcasts: ownData,
  createInternetRadioStation: ownData,
  updateInternetRadioStation: ownData,
  deleteInternetRadioStation: ownData,
  startScan: refused('Nothing is scanned here: the library is read from the provider on request.'),
  getUsers: users,
  createUser: users,
  updateUser: users,
  deleteUser: users,
  changePassword: users,
  jukeboxControl: played
} as const
