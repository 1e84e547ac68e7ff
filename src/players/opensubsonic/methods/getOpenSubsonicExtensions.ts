import { openMethod } from '../method.ts'

/** With names outside the standard, clients stopped requesting lyrics. */
const extensions = ['formPost', 'songLyrics', 'apiKeyAuthentication']

export const getOpenSubsonicExtensions = openMethod({
  summary: 'The supported extensions of Subsonic: formPost, songLyrics and apiKeyAuthentication. Needs no user.',
  run: () => ({ openSubsonicExtensions: extensions.map((name) => ({ name, versions: [1] })) })
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
