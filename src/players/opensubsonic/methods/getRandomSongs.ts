import { Type } from '@sinclair/typebox'
import { shuffled, upTo } from '../albumLists.ts'
import { count, method } from '../method.ts'
import { recommendedTo } from '../recommendations.ts'
import { songOf } from '../records.ts'

/** Maximum number of songs in one answer. */
const most = 500

export const getRandomSongs = method({
  summary: 'Songs that the provider recommends today, mixed with liked ones from a random place in the library.',
  missing: 'genre, fromYear and toYear are ignored.',
  input: Type.Object({ size: count(10) }),

  async run ({ size: wanted }, context) {
    const size = Math.min(wanted, most)
    const from = upTo(Math.max(0, await context.library.total() - size))
    const [recommended, liked] = await Promise.all([recommendedTo(context), context.library.songs(from, size)])
    const byMid = new Map([...liked, ...recommended].filter(({ mid }) => mid !== '').map((song) => [song.mid, song]))
    return { randomSongs: { song: shuffled([...byMid.values()]).slice(0, size).map((song) => songOf(song, context.library)) } }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
