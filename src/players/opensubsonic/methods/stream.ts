import { Type } from '@sinclair/typebox'
import type { Quality } from '../../../../schemas/music.ts'
import { readId } from '../ids.ts'
import { id, mediaMethod } from '../method.ts'

/** Returns the best MP3 or AAC file within a limit of the client, in kbit/s. 0: no limit. No file below 96 exists for every song. */
export function qualityWithin (maxBitRate: number): Quality {
  if (maxBitRate === 0 || maxBitRate > 320) return 'best'
  if (maxBitRate === 320) return '320'
  return maxBitRate >= 128 ? '128' : 'm4a'
}

export const stream = mediaMethod({
  summary:
    'The audio of a song, in the best quality that the account may play, as /stream gives it: a redirect, or the bytes with the setting stream=relay.',
  missing:
    'Nothing is converted: maxBitRate chooses among the files that the song has (320, 128, about 96 kbit/s); format and timeOffset are ignored.',
  input: Type.Object({
    id: id('a song'),
    maxBitRate: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'kbit/s; 0 or left out: no limit.' }))
  }),

  async send ({ id, maxBitRate = 0 }, { user, request, reply, sendAudio }) {
    // A copy of a library may use up the upstream calls of the account, so audio is charged to a separate budget.
    if (request.client !== undefined) request.client = request.server.clientNamed(`audio of ${user.account}`)
    return await sendAudio({ songmid: readId(id, 'so').own, quality: qualityWithin(maxBitRate) }, request, reply)
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
