import { method, noInput } from '../method.ts'
import { singerOf } from '../records.ts'
import { singersByInitial } from '../singers.ts'

export const getArtists = method({
  summary: 'The singers of liked songs by their initials, Chinese ones by Pinyin.',
  input: noInput,

  async run (_input, { library }) {
    const index = [...singersByInitial(await library.index())].map(([name, singers]) => ({
      name,
      artist: singers.map((singer) => singerOf(singer, singer.albums))
    }))
    return { artists: { ignoredArticles: '', index } }
  }
})
