import { method, noInput } from '../method.ts'

export const getLicense = method({ summary: 'Always valid.', input: noInput, run: () => ({ license: { valid: true } }) })
