import { method, noInput } from '../method.ts'
import { playlistsOfUser } from '../playlists.ts'

export const getPlaylists = method({
  summary: 'The account\'s liked songs, its own and collected playlists, recommended songs, and all charts of the provider. All are read-only.',
  missing: 'Charts and recommendations show their usual number of songs.',
  input: noInput,
  run: async (_input, context) => ({ playlists: { playlist: await playlistsOfUser(context) } })
})
