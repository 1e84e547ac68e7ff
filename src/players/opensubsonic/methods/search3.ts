import { method } from '../method.ts'
import { singerOf } from '../records.ts'
import { find, searchInput, searchMissing } from '../searches.ts'

export const search3 = method({
  summary: 'With words, the whole catalogue of the provider; without, the library page by page, by which clients copy it.',
  missing: searchMissing,
  input: searchInput,

  async run (input, context) {
    const { singers, albums, songs } = await find(input, context)
    return { searchResult3: { artist: singers.map((singer) => singerOf(singer, singer.albums)), album: albums, song: songs } }
  }
})
