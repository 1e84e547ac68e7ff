import { Type } from '@sinclair/typebox'
import { id, mediaMethod } from '../method.ts'
import { usualRate } from '../records.ts'
import { stream } from './stream.ts'

export const download = mediaMethod({
  summary: 'The MP3 file with the size in the records, because players compare the sizes. stream returns the best file.',
  input: Type.Object({ id: id('a song') }),
  send: async ({ id }, context) => await stream.send({ id, maxBitRate: usualRate }, context)
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
