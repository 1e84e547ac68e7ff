/** Sends players the audio of a song, like /stream. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Quality } from '../../schemas/music.ts'
import type { AnyEndpoint } from '../core/endpoint.ts'
import type { Runtime } from '../core/runtime.ts'
import { stream } from '../endpoints/music/stream.ts'
import { delivererOf } from '../plugins/delivery.ts'
import { validated } from './call.ts'

/** Sends the audio of a song for the request. Throws NOT_PLAYABLE, with reason and hint, if it cannot be played. */
export type SendAudio = (song: { readonly songmid: string, readonly quality?: Quality }, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function audioOf (runtime: Runtime): SendAudio {
  const deliver = delivererOf(stream as unknown as AnyEndpoint, runtime)
  return async (song, request, reply) => await deliver(request, reply, validated(() => runtime.validator.fromValues(stream.input, song)))
}
