import { method, noInput } from '../method.ts'

export const ping = method({ summary: 'Whether the relay answers and the user is right.', input: noInput, run: () => ({}) })
