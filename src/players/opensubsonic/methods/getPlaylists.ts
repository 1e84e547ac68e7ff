import { method, noInput } from '../method.ts'
import { playlistsOfUser } from '../playlists.ts'

export const getPlaylists = method({
  summary: 'The account\'s liked songs, its own playlists, those that it collected, the songs recommended to it, and all charts of the provider. All can be read only.',
  missing: 'Charts and recommendations say here how many songs they usually have.',
  input: noInput,
  run: async (_input, context) => ({ playlists: { playlist: await playlistsOfUser(context) } })
})
