import { method, noInput } from '../method.ts'

export const scrobble = method({ summary: 'Taken and forgotten: nothing is reported to anybody.', input: noInput, run: () => ({}) })
