import { albumListInput, albumListMissing, albumListSummary, albumsOfList } from '../albumLists.ts'
import { method } from '../method.ts'
import { albumFolderOf } from '../records.ts'

export const getAlbumList = method({
  summary: `${albumListSummary} For clients that browse folders.`,
  missing: albumListMissing,
  input: albumListInput,
  run: async (input, context) => ({ albumList: { album: (await albumsOfList(input, context)).map(albumFolderOf) } })
})
