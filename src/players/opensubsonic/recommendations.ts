/** Songs that the provider recommends to an account, which stand where other servers have genres and chance. */
import type { Song } from '../../../schemas/song.ts'
import type { MethodContext } from './method.ts'
import { listNames, songsOfList, usualSongs } from './playlists.ts'

/** The two kinds, as genres, with the number of songs that each usually has. */
export const recommendations = (['daily', 'radar'] as const).map((list) => ({ list, name: listNames[list], songs: usualSongs[list] }))

/** Returns the songs of one kind, or of both. Without a login there are none. */
export async function recommendedTo ({ user, call, library }: MethodContext, genre?: string): Promise<readonly Song[]> {
  if (user.identity.credential === undefined) return []
  const kinds = recommendations.filter(({ name }) => genre === undefined || name === genre)
  const found = await Promise.all(kinds.map(async ({ list }) => await songsOfList(list, { call, library })))
  const byMid = new Map(found.flat().filter(({ mid }) => mid !== '').map((song) => [song.mid, song]))
  return [...byMid.values()]
}
