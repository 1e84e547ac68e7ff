import { aboutAlbum, albumInfoInput } from '../albums.ts'
import { method } from '../method.ts'

export const getAlbumInfo = method({
  summary: 'About an album: text and pictures, for clients that browse folders.',
  input: albumInfoInput,
  run: async ({ id }, { call }) => ({ albumInfo: await aboutAlbum(id, call) })
})
