import { method, noInput } from '../method.ts'

export const ping = method({ summary: 'Checks that the relay answers and that the user is valid.', input: noInput, run: () => ({}) })
