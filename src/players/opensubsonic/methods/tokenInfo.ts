import { method, noInput } from '../method.ts'

export const tokenInfo = method({ summary: 'The user of an API key.', input: noInput, run: (_input, { user }) => ({ tokenInfo: { username: user.name } }) })
