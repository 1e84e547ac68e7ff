import { method, noInput } from '../method.ts'

export const scrobble = method({ summary: 'Accepted and ignored: nothing is reported to anybody.', input: noInput, run: () => ({}) })
