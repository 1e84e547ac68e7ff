import { method, noInput } from '../method.ts'
import { recommendations } from '../recommendations.ts'
import { mayUseLogin } from '../users.ts'

export const getGenres = method({
  summary: 'The two kinds of recommendations. Needs an account with a login, or a key that may use it.',
  missing: 'Genres of songs are unknown.',
  input: noInput,
  run: (_input, { user }) => ({
    genres: { genre: !mayUseLogin(user.identity) ? [] : recommendations.map(({ name, songs }) => ({ songCount: songs, albumCount: 0, value: name })) }
  })
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-users opensubsonic-methods
