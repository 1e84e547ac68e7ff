import { method } from '../method.ts'
import { singerOf } from '../records.ts'
import { find, searchInput, searchMissing } from '../searches.ts'

export const search3 = method({
  summary: 'With words: the whole catalogue of the provider. Without words: the library page by page, so that clients can copy it.',
  missing: searchMissing,
  input: searchInput,

  async run (input, context) {
    const { singers, albums, songs } = await find(input, context)
    return { searchResult3: { artist: singers.map((singer) => singerOf(singer, singer.albums)), album: albums, song: songs } }
  }
})
