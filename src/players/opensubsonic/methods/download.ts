import { Type } from '@sinclair/typebox'
import { id, mediaMethod } from '../method.ts'
import { stream } from './stream.ts'

export const download = mediaMethod({
  summary: 'The same as stream without a limit.',
  input: Type.Object({ id: id('a song') }),
  send: async ({ id }, context) => await stream.send({ id, maxBitRate: 0 }, context)
})
