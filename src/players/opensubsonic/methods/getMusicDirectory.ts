import { Type } from '@sinclair/typebox'
import { albumWithSongs } from '../albums.ts'
import { readId } from '../ids.ts'
import { id, method } from '../method.ts'
import { albumFolderOf } from '../records.ts'
import { albumsOfSinger, nameOf } from '../singers.ts'

export const getMusicDirectory = method({
  summary: 'A singer with the albums, or an album with its songs, for clients that browse folders.',
  input: Type.Object({ id: id('a singer or an album') }),

  async run ({ id }, context) {
    const { kind, own } = readId(id, 'ar', 'al', 'la')
    if (kind === 'ar') {
      const [name, albums] = await Promise.all([nameOf(own, context.call), albumsOfSinger(own, context.call)])
      return { directory: { id, name, child: albums.map(albumFolderOf) } }
    }
    const { album: { name, artistId }, songs } = await albumWithSongs(id, context)
    return { directory: { id, parent: artistId, name, child: songs } }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
