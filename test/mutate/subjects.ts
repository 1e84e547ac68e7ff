/** What is mutated, and the tests that must notice, quickest first. */
export interface Subject {
  readonly name: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

export const subjects: readonly Subject[] = [
  {
    name: 'readers',
    files: ['src/provider/read.ts', 'src/provider/readAnswer.ts', 'src/provider/wire.ts', 'src/provider/text.ts', 'src/provider/body.ts', 'src/endpoints/shared/song.ts', 'src/endpoints/shared/songDetail.ts', 'src/endpoints/shared/texts.ts', 'src/endpoints/shared/pages.ts'],
    tests: ['wire', 'songs', 'charts', 'albums', 'playlists', 'singers', 'singer-works', 'discover', 'search', 'faults-classic', 'drift', 'fields']
  },
  {
    name: 'cookie rules',
    files: ['src/cookies.ts', 'src/provider/credentials.ts', 'src/http/credential.ts', 'src/endpoints/shared/goodCookie.ts'],
    tests: ['wire', 'safety', 'user', 'recommend', 'config', 'bad-input', 'cookies']
  },
  {
    name: 'login steps',
    files: ['src/login/alt.ts', 'src/login/main.ts', 'src/login/flights.ts', 'src/login/logins.ts', 'src/login/memory.ts', 'src/login/scan.ts', 'src/login/session.ts', 'src/login/steps.ts', 'src/provider/loginRead.ts', 'src/provider/loginWire.ts'],
    tests: ['login-main', 'login-alt', 'faults-around']
  },
  {
    name: 'cache',
    files: ['src/cache.ts', 'src/perform.ts'],
    tests: ['cache', 'cache-stale', 'chains', 'cookies']
  }
]
