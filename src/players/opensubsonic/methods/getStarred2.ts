import { method, noInput } from '../method.ts'
import { songOf } from '../records.ts'
import type { Fields } from '../records.ts'
import type { Library } from '../library.ts'

/** Songs in one answer: the interface has no pages here. */
const most = 10_000

export const starredSummary = 'The liked songs, the latest first, at most 10,000.'
export const starredMissing = 'Albums and singers are not among them. When a song was liked is not known: its day of publication stands in.'

/** Returns the liked songs. */
export const starredOf = async (library: Library): Promise<Fields[]> => (await library.songs(0, most)).map((song) => songOf(song, { albumKind: 'la', liked: true }))

export const getStarred2 = method({
  summary: starredSummary,
  missing: starredMissing,
  input: noInput,
  run: async (_input, { library }) => ({ starred2: { song: await starredOf(library) } })
})
