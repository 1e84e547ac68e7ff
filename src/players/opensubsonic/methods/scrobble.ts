import { method, noInput } from '../method.ts'

export const scrobble = method({ summary: 'Accepted and dropped: nothing is reported to anybody.', input: noInput, run: () => ({}) })
