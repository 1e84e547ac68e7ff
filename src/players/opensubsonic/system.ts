/** What is about the relay itself, and the names of the methods that only refuse, or are empty. */
import type { Body } from './formats.ts'
import { Refused, failureCodes, noteMissing } from './subsonicErrors.ts'
import { method, noInput, openMethod, type AnyMethod, type BodyMethod } from './method.ts'
import { mayUseLogin } from './users.ts'
import { accountState } from './variants.ts'

const refused = (reason: string): BodyMethod => method({
  summary: `Refused: ${reason}`,
  input: noInput,
  run: () => { throw new Refused(failureCodes.notAllowed, reason) }
})

const under = <N extends string>(refusal: BodyMethod, ...names: readonly N[]): Readonly<Record<N, BodyMethod>> =>
  Object.fromEntries(names.map((name) => [name, refusal])) as Record<N, BodyMethod>

/** Methods that would change something. The relay writes nothing at the provider and stores no data of its own. */
export const refusedWrites = {
  ...under(
    refused('This relay changes nothing at the provider: like songs and follow singers in the provider\'s own app, and they show up here.'),
    'star', 'unstar', 'setRating'
  ),
  ...under(
    refused('This relay changes nothing at the provider: change playlists in the provider\'s own app, and they show up here.'),
    'createPlaylist', 'updatePlaylist', 'deletePlaylist'
  ),
  ...under(
    refused('This relay stores no shares, messages, podcasts or radio stations.'),
    'createShare', 'updateShare', 'deleteShare',
    'addChatMessage', 'createPodcastChannel', 'deletePodcastChannel', 'deletePodcastEpisode', 'downloadPodcastEpisode',
    'refreshPodcasts', 'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation'
  ),
  startScan: refused('Nothing is scanned here: the library is read from the provider on request.'),
  ...under(
    refused('Accounts are changed on the relay\'s own machine: music-relay accounts --help.'),
    'getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword'
  ),
  jukeboxControl: refused('This relay has no player of its own, and converts nothing.')
} satisfies Readonly<Record<string, AnyMethod>>

const empty = (what: string, body: Body): BodyMethod => method({
  summary: `Empty: there are no ${what}.`,
  input: noInput,
  run: () => body
})

/** Lists that do not exist here. Clients ask for them at the start and treat an error as a broken server. */
export const emptyLists = {
  getNowPlaying: empty('players that report what they play', { nowPlaying: { entry: [] } }),
  getPodcasts: empty('podcasts', { podcasts: { channel: [] } }),
  getNewestPodcasts: empty('podcasts', { newestPodcasts: { episode: [] } }),
  getBookmarks: empty('bookmarks', { bookmarks: { bookmark: [] } }),
  getShares: empty('shares', { shares: { share: [] } }),
  getVideos: empty('videos', { videos: {} }),
  getChatMessages: empty('messages', { chatMessages: { chatMessage: [] } })
} satisfies Readonly<Record<string, AnyMethod>>

/** Returns the last second of a day in China. */
const endOf = (day: string): string => new Date(`${day}T23:59:59+08:00`).toISOString()

/** With names outside the standard, clients stopped requesting lyrics. */
const extensions: Readonly<Record<string, readonly number[]>> = {
  formPost: [1],
  songLyrics: [1, 2],
  apiKeyAuthentication: [1],
  topSongsByArtistId: [1],
  indexBasedQueue: [1],
  sonicSimilarity: [1]
}

export const systemMethods = {
  ping: method({ summary: 'Checks that the relay answers and that the user is valid.', input: noInput, run: () => ({}) }),
  getLicense: method({
    summary: 'The login and the subscription of the account: `valid` is false if the provider no longer accepts the login, and `licenseExpires` is the end of the larger subscription.',
    missing: 'Without a login, or if the provider does not answer, `valid` is true.',
    input: noInput,

    async run (_input, { user: { identity }, call, log }) {
      if (!mayUseLogin(identity)) return { license: { valid: true } }
      try {
        const { alive, vip } = await call(accountState, {})
        return {
          license: { valid: alive, ...vip === null || vip.until === '' ? {} : { licenseExpires: endOf(vip.until) } }
        }
      } catch (error) {
        noteMissing(error, log, 'the state of the account is not known')
        return { license: { valid: true } }
      }
    }
  }),
  getOpenSubsonicExtensions: openMethod({
    summary: `The supported extensions of Subsonic: ${Object.keys(extensions).join(', ')}. Needs no user.`,
    run: () => ({ openSubsonicExtensions: Object.entries(extensions).map(([name, versions]) => ({ name, versions })) })
  }),
  getMusicFolders: method({
    summary: 'One folder: the library.',
    input: noInput,
    run: () => ({ musicFolders: { musicFolder: [{ id: 1, name: 'Library' }] } })
  }),
  getScanStatus: method({
    summary: 'The number of liked songs. Nothing is ever scanned.',
    input: noInput,
    run: async (_input, { library }) => ({ scanStatus: { scanning: false, count: await library.total() } })
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic-account opensubsonic opensubsonic-methods
