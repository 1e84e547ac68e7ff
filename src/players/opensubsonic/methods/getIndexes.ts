import { method, noInput } from '../method.ts'
import { singerFolderOf } from '../records.ts'
import { singersByInitial } from '../singers.ts'

export const getIndexes = method({
  summary: 'The singers of liked songs by their initials, as folders.',
  missing: 'ifModifiedSince is ignored.',
  input: noInput,

  async run (_input, { library }) {
    const index = [...singersByInitial(await library.index())].map(([name, singers]) => ({ name, artist: singers.map(singerFolderOf) }))
    return { indexes: { ignoredArticles: '', lastModified: 0, index } }
  }
})
