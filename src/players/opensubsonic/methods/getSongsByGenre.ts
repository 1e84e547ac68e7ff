import { Type } from '@sinclair/typebox'
import { count, method, offset } from '../method.ts'
import { recommendedTo } from '../recommendations.ts'
import { songOf } from '../records.ts'

export const getSongsByGenre = method({
  summary: 'Recommended songs of one kind; getGenres lists the kinds.',
  input: Type.Object({ genre: Type.String({ maxLength: 200, description: 'A name of getGenres.' }), count: count(10), offset: offset() }),

  async run ({ genre, count, offset }, context) {
    const songs = await recommendedTo(context, genre)
    return { songsByGenre: { song: songs.slice(offset, offset + count).map((song) => songOf(song, context.library)) } }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
