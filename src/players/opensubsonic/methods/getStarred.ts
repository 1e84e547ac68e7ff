import { method, noInput } from '../method.ts'
import { starredMissing, starredOf, starredSummary } from './getStarred2.ts'

export const getStarred = method({
  summary: starredSummary,
  missing: starredMissing,
  input: noInput,
  run: async (_input, { library }) => ({ starred: { song: await starredOf(library) } })
})
