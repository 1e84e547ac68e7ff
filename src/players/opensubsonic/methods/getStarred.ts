import { method, noInput } from '../method.ts'
import { albumFolderOf } from '../records.ts'
import { starredMissing, starredOf, starredSummary } from '../starred.ts'

export const getStarred = method({
  summary: `${starredSummary} For clients that browse folders.`,
  missing: starredMissing,
  input: noInput,

  async run (_input, context) {
    const { artist, album, song } = await starredOf(context)
    return { starred: { artist: artist.map(({ id, name, starred }) => ({ id, name, starred })), album: album.map(albumFolderOf), song } }
  }
})
