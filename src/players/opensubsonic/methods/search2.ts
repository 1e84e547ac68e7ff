import { method } from '../method.ts'
import { albumFolderOf, singerFolderOf } from '../records.ts'
import { find, searchInput, searchMissing } from '../searches.ts'

export const search2 = method({
  summary: 'The same as search3, for clients that browse folders.',
  missing: searchMissing,
  input: searchInput,

  async run (input, context) {
    const { singers, albums, songs } = await find(input, context)
    return { searchResult2: { artist: singers.map(singerFolderOf), album: albums.map(albumFolderOf), song: songs } }
  }
})
