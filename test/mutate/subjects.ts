/** What is mutated: each file with the tests that must notice a fault in it, the quickest that knows the file first. */
export interface Subject {
  readonly name: string
  readonly files: Readonly<Record<string, readonly string[]>>
}

export const subjects: readonly Subject[] = [
  {
    name: 'readers',
    files: {
      'src/provider/read.ts': ['reading', 'drift'],
      'src/provider/readAnswer.ts': ['reading', 'drift'],
      'src/provider/wire.ts': ['cookie-rules'],
      'src/provider/text.ts': ['reading'],
      'src/provider/body.ts': ['reading'],
      'src/endpoints/shared/song.ts': ['reading'],
      'src/endpoints/shared/songDetail.ts': ['reading', 'songs'],
      'src/endpoints/shared/texts.ts': ['reading'],
      'src/endpoints/shared/pages.ts': ['reading', 'singer-works']
    }
  },
  {
    name: 'cookie rules',
    files: {
      'src/cookies.ts': ['cookie-rules', 'user'],
      'src/provider/credentials.ts': ['cookie-rules', 'user'],
      'src/http/credential.ts': ['safety', 'bad-input', 'cookies'],
      'src/endpoints/shared/goodCookie.ts': ['user', 'recommend']
    }
  },
  {
    name: 'login steps',
    files: {
      'src/login/alt.ts': ['login-alt'],
      'src/login/main.ts': ['login-main'],
      'src/login/flights.ts': ['login-rules', 'login-alt'],
      'src/login/logins.ts': ['login-alt', 'login-main'],
      'src/login/memory.ts': ['login-rules'],
      'src/login/scan.ts': ['login-rules', 'cli-login'],
      'src/login/session.ts': ['login-answers'],
      'src/login/steps.ts': ['login-rules', 'login-alt', 'login-main'],
      'src/provider/loginRead.ts': ['login-answers'],
      'src/provider/loginWire.ts': ['login-answers', 'login-main']
    }
  },
  {
    name: 'cache',
    files: {
      'src/cache.ts': ['cache-rules', 'cache'],
      'src/perform.ts': ['cache', 'chains', 'user', 'wire']
    }
  }
]
