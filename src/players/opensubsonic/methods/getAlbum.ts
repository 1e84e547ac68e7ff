import { Type } from '@sinclair/typebox'
import { albumWithSongs } from '../albums.ts'
import { id, method } from '../method.ts'

export const getAlbum = method({
  summary: 'An album with its songs. Albums of the library have only the liked songs; the whole album is in the list of its singer, and in search.',
  input: Type.Object({ id: id('an album') }),

  async run ({ id }, context) {
    const { album, songs } = await albumWithSongs(id, context)
    return { album: { ...album, song: songs } }
  }
})
