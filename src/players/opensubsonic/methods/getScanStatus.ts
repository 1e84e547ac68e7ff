import { method, noInput } from '../method.ts'

export const getScanStatus = method({
  summary: 'The number of liked songs. Nothing is ever scanned.',
  input: noInput,
  run: async (_input, { library }) => ({ scanStatus: { scanning: false, count: await library.total() } })
})
