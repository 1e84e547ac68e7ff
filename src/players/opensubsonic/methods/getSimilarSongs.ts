import { method } from '../method.ts'
import { similarInput, similarTo } from '../similar.ts'

export const getSimilarSongs = method({
  summary: 'Songs similar to a song or an album; for a singer, songs of the singer and of similar singers.',
  input: similarInput,
  run: async (input, context) => ({ similarSongs: { song: await similarTo(input, context) } })
})
