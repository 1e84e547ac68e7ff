import { method } from '../method.ts'
import { similarInput, similarTo } from '../similar.ts'

export const getSimilarSongs2 = method({
  summary: 'Songs like a song or like an album; for a singer, songs of the singer and of similar ones.',
  input: similarInput,
  run: async (input, context) => ({ similarSongs2: { song: await similarTo(input, context) } })
})
