/** What the links of the Meting API lead to: audio, picture, lyric. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyEndpoint } from '../../core/endpoint.ts'
import type { Identity } from '../../core/identity.ts'
import type { Runtime } from '../../core/runtime.ts'
import { getImageUrl } from '../../endpoints/discover/getImageUrl.ts'
import { getLyric } from '../../endpoints/music/getLyric.ts'
import { stream } from '../../endpoints/music/stream.ts'
import { delivererOf } from '../../plugins/delivery.ts'
import type { Lyric } from '../../../schemas/music.ts'
import { validated } from '../call.ts'
import type { Call } from '../call.ts'

/**
 * Answers with the audio of a song, as /stream does. `identity`: on whose account it plays, whoever asks. Throws
 * NOT_PLAYABLE, with reason and hint, if it cannot be played.
 */
export function audioOf (runtime: Runtime) {
  const deliver = delivererOf(stream as unknown as AnyEndpoint, runtime)
  return async (songmid: string, identity: Identity, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    request.identity = identity
    return await deliver(request, reply, validated(() => runtime.validator.fromValues(stream.input, { songmid })))
  }
}

/** Returns the address of a picture of 300 x 300 pixels. */
export async function pictureOf (id: string, call: Call): Promise<string> {
  return (await call(getImageUrl, { id, size: '300x300' })).imageUrl
}

/** Returns the lyric as LRC, with each line's translation in parentheses behind it; "" when there is none. */
export async function lrcOf (songmid: string, call: Call): Promise<string> {
  const { lyric, parsed } = await call(getLyric, { songmid, isFormat: 1 })
  return merged(lyric, parsed)
}

function merged (lyric: string, parsed: Lyric['parsed']): string {
  const translations = new Map((parsed?.lines ?? []).flatMap(({ time, trans }) => trans === undefined ? [] : [[time, trans] as const]))
  return lyric.split('\n').map((line) => {
    const translation = translations.get(startOf(line))
    return translation === undefined ? line : `${line.trimEnd()} (${translation})`
  }).join('\n')
}

/** Returns when a line begins, in milliseconds; NaN for a line without a time. */
function startOf (line: string): number {
  const [, minutes, seconds, fraction = ''] = /^\[(\d{2,9}):(\d{2})(?:\.(\d{2,3}))?\]\s*\S/.exec(line) ?? []
  return (Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))
}
