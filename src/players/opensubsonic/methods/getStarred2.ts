import { method, noInput } from '../method.ts'
import { starredMissing, starredOf, starredSummary } from '../starred.ts'

export const getStarred2 = method({
  summary: starredSummary,
  missing: starredMissing,
  input: noInput,
  run: async (_input, context) => ({ starred2: { ...await starredOf(context) } })
})
