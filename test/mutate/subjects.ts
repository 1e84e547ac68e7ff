/** The files to mutate, each with the tests that must notice a mistake in it, the quickest one first. */
export interface Subject {
  readonly name: string
  readonly files: Readonly<Record<string, readonly string[]>>
}

export const subjects: readonly Subject[] = [
  {
    name: 'readers',
    files: {
      'src/upstream/reader/read.ts': ['reading', 'drift'],
      'src/upstream/reader/readAnswer.ts': ['reading', 'drift'],
      'src/upstream/protocol/requests.ts': ['cookie-rules', 'signature'],
      'src/upstream/reader/text.ts': ['reading'],
      'src/upstream/reader/body.ts': ['reading'],
      'src/endpoints/shared/song.ts': ['reading'],
      'src/endpoints/shared/songDetail.ts': ['reading', 'songs'],
      'src/endpoints/shared/fields.ts': ['reading'],
      'src/endpoints/shared/pages.ts': ['reading', 'singer-works']
    }
  },
  {
    name: 'identity',
    files: {
      'src/upstream/protocol/cookies.ts': ['cookie-rules', 'user'],
      'src/core/identity.ts': ['cookie-rules', 'user', 'safety', 'account-requests'],
      'src/upstream/protocol/credentials.ts': ['cookie-rules', 'user'],
      'src/plugins/authenticate.ts': ['safety', 'bad-input', 'cookies', 'login-keep'],
      'src/endpoints/shared/sessionCheck.ts': ['user', 'recommend']
    }
  },
  {
    name: 'login steps',
    files: {
      'src/upstream/login/alt.ts': ['login-alt'],
      'src/upstream/login/main.ts': ['login-main'],
      'src/upstream/login/singleFlight.ts': ['login-rules', 'login-alt'],
      'src/upstream/login/logins.ts': ['login-alt', 'login-main', 'fairness'],
      'src/common/ttlMap.ts': ['login-rules'],
      'src/upstream/login/scan.ts': ['login-rules', 'cli-login'],
      'src/upstream/login/session.ts': ['login-answers'],
      'src/upstream/login/steps.ts': ['login-rules', 'login-alt', 'login-main'],
      'src/upstream/login/answers.ts': ['login-answers'],
      'src/upstream/login/requests.ts': ['login-answers', 'login-main']
    }
  },
  {
    name: 'cache',
    files: {
      'src/cache/memory.ts': ['cache-rules', 'cache'],
      'src/cache/key.ts': ['cache-rules', 'cache'],
      'src/core/execute.ts': ['account', 'cache', 'chains', 'user', 'wire', 'account-requests', 'song-facts', 'cookies']
    }
  },
  {
    name: 'accounts',
    files: {
      'src/accounts/accounts.ts': ['accounts', 'renewal', 'account', 'account-requests', 'accounts-seen'],
      'src/accounts/files.ts': ['accounts', 'renewal'],
      'src/accounts/keys.ts': ['accounts', 'account-requests'],
      'src/accounts/refusal.ts': ['accounts', 'accounts-seen'],
      'src/accounts/seal.ts': ['accounts'],
      'src/accounts/status.ts': ['accounts-seen'],
      'src/accounts/store.ts': ['accounts', 'renewal', 'accounts-seen'],
      'src/accounts/upkeep.ts': ['accounts', 'accounts-seen'],
      'src/accounts/watch.ts': ['accounts-seen']
    }
  },
  {
    name: 'renewal',
    files: {
      'src/accounts/record.ts': ['renewal', 'accounts'],
      'src/accounts/renewer.ts': ['renewal', 'accounts'],
      'src/upstream/login/renewal.ts': ['renewal'],
      'src/upstream/login/renewalRequests.ts': ['renewal']
    }
  },
  {
    name: 'streams',
    files: {
      'src/players/call.ts': ['opensubsonic', 'meting'],
      'src/plugins/delivery.ts': ['stream', 'song-facts'],
      'src/plugins/m3u.ts': ['m3u'],
      'src/upstream/http/audio.ts': ['stream'],
      'src/upstream/protocol/audioRoots.ts': ['stream', 'play'],
      'src/endpoints/music/stream.ts': ['stream'],
      'src/endpoints/discover/cover.ts': ['stream'],
      'src/endpoints/shared/play.ts': ['play-reasons', 'play', 'song-facts'],
      'src/endpoints/shared/qualities.ts': ['play', 'play-reasons']
    }
  },
  {
    name: 'OpenSubsonic',
    files: {
      'src/players/opensubsonic/albumLists.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/albums.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/answers.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/failures.ts': ['opensubsonic'],
      'src/players/opensubsonic/favourites.ts': ['opensubsonic'],
      'src/players/opensubsonic/ids.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/library.ts': ['opensubsonic', 'opensubsonic-users', 'opensubsonic-library'],
      'src/players/opensubsonic/links.ts': ['opensubsonic-links'],
      'src/players/opensubsonic/lyrics.ts': ['opensubsonic', 'opensubsonic-schema'],
      'src/players/opensubsonic/method.ts': ['opensubsonic'],
      'src/players/opensubsonic/methods/download.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getAvatar.ts': ['opensubsonic', 'opensubsonic-users', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getCoverArt.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/methods/getGenres.ts': ['opensubsonic', 'opensubsonic-users', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getInternetRadioStations.ts': ['opensubsonic-account'],
      'src/players/opensubsonic/methods/getLicense.ts': ['opensubsonic-account'],
      'src/players/opensubsonic/methods/getLyrics.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getLyricsBySongId.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getMusicDirectory.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/methods/getOpenSubsonicExtensions.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getRandomSongs.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getSongsByGenre.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/getTopSongs.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/methods/getUser.ts': ['opensubsonic', 'opensubsonic-users', 'opensubsonic-xml'],
      'src/players/opensubsonic/methods/stream.ts': ['opensubsonic', 'opensubsonic-xml'],
      'src/players/opensubsonic/opensubsonic.ts': ['opensubsonic', 'opensubsonic-xml', 'opensubsonic-users', 'opensubsonic-account'],
      'src/players/opensubsonic/playlists.ts': ['opensubsonic', 'opensubsonic-users', 'opensubsonic-ids'],
      'src/players/opensubsonic/recommendations.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/records.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/searches.ts': ['opensubsonic', 'opensubsonic-links'],
      'src/players/opensubsonic/similar.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/singers.ts': ['opensubsonic', 'opensubsonic-ids'],
      'src/players/opensubsonic/songs.ts': ['opensubsonic'],
      'src/players/opensubsonic/starred.ts': ['opensubsonic'],
      'src/players/opensubsonic/users.ts': ['opensubsonic-users']
    }
  }
]
