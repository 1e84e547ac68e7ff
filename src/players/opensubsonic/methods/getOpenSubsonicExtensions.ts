import { openMethod } from '../method.ts'

/** Names outside of the standard made clients stop asking for lyrics. */
const extensions = ['formPost', 'songLyrics', 'apiKeyAuthentication']

export const getOpenSubsonicExtensions = openMethod({
  summary: 'The supported extensions of Subsonic: formPost, songLyrics and apiKeyAuthentication. Needs no user.',
  run: () => ({ openSubsonicExtensions: extensions.map((name) => ({ name, versions: [1] })) })
})
