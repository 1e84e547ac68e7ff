import { albumListInput, albumListMissing, albumListSummary, albumsOfList } from '../albumLists.ts'
import { method } from '../method.ts'

export const getAlbumList2 = method({
  summary: albumListSummary,
  missing: albumListMissing,
  input: albumListInput,
  run: async (input, context) => ({ albumList2: { album: await albumsOfList(input, context) } })
})
