import { Type } from '@sinclair/typebox'
import { id, mediaMethod } from '../method.ts'
import { usualRate } from '../records.ts'
import { stream } from './stream.ts'

export const download = mediaMethod({
  summary: 'The MP3 file whose size the records say: players compare it with what they load. stream gives the best one.',
  input: Type.Object({ id: id('a song') }),
  send: async ({ id }, context) => await stream.send({ id, maxBitRate: usualRate }, context)
})
