import { Type } from '@sinclair/typebox'
import { id, method } from '../method.ts'
import { playlistWithSongs } from '../playlists.ts'

export const getPlaylist = method({
  summary: 'A playlist with its songs, at most 5,000; of a chart the first 100.',
  missing: 'Songs of playlists have no year and no exact size, because the provider\'s list has none.',
  input: Type.Object({ id: id('a playlist, a chart or a list of the account') }),
  run: async ({ id }, context) => ({ playlist: await playlistWithSongs(id, context) })
})
