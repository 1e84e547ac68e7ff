import { aboutAlbum, albumInfoInput } from '../albums.ts'
import { method } from '../method.ts'

export const getAlbumInfo2 = method({
  summary: 'About an album: text and pictures.',
  input: albumInfoInput,
  run: async ({ id }, { call }) => ({ albumInfo: await aboutAlbum(id, call) })
})
