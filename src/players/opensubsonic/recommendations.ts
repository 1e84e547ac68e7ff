/** Songs that the provider recommends to an account. They take the place of genres and random songs on other servers. */
import type { Song } from '../../../schemas/song.ts'
import type { MethodContext } from './method.ts'
import { listNames, songsOfList, usualSongs } from './playlists.ts'

/** The two kinds as genres, with the usual number of songs of each. */
export const recommendations = (['daily', 'radar'] as const).map((list) => ({ list, name: listNames[list], songs: usualSongs[list] }))

/** Returns the songs of one kind, or of both. Empty without a login. */
export async function recommendedTo ({ user, call, library }: MethodContext, genre?: string): Promise<readonly Song[]> {
  if (user.identity.credential === undefined) return []
  const kinds = recommendations.filter(({ name }) => genre === undefined || name === genre)
  const found = await Promise.all(kinds.map(async ({ list }) => await songsOfList(list, { call, library })))
  const byMid = new Map(found.flat().filter(({ mid }) => mid !== '').map((song) => [song.mid, song]))
  return [...byMid.values()]
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
