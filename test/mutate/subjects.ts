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
      'src/upstream/protocol/requests.ts': ['cookie-rules'],
      'src/upstream/reader/text.ts': ['reading'],
      'src/upstream/reader/body.ts': ['reading'],
      'src/endpoints/shared/song.ts': ['reading'],
      'src/endpoints/shared/songDetail.ts': ['reading', 'songs'],
      'src/endpoints/shared/fields.ts': ['reading'],
      'src/endpoints/shared/pages.ts': ['reading', 'singer-works']
    }
  },
  {
    name: 'cookie rules',
    files: {
      'src/upstream/protocol/cookies.ts': ['cookie-rules', 'user'],
      'src/core/identity.ts': ['cookie-rules', 'user', 'safety'],
      'src/upstream/protocol/credentials.ts': ['cookie-rules', 'user'],
      'src/plugins/authenticate.ts': ['safety', 'bad-input', 'cookies'],
      'src/endpoints/shared/sessionCheck.ts': ['user', 'recommend']
    }
  },
  {
    name: 'login steps',
    files: {
      'src/upstream/login/alt.ts': ['login-alt'],
      'src/upstream/login/main.ts': ['login-main'],
      'src/upstream/login/singleFlight.ts': ['login-rules', 'login-alt'],
      'src/upstream/login/logins.ts': ['login-alt', 'login-main'],
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
      'src/cache/key.ts': ['cache'],
      'src/core/execute.ts': ['cache', 'chains', 'user', 'wire']
    }
  }
]
