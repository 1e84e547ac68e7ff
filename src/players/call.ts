/** Calls endpoints for a player's request: cached, limited, charged and logged like a request for the endpoint. */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AbortSignalLike } from '../common/abort.ts'
import { InvalidInput, RelayError } from '../common/errors.ts'
import type { Work } from '../common/turns.ts'
import type { AnyEndpoint, Endpoint } from '../relay/endpoint.ts'
import { execute, executeCached, keyFor, tooLarge, workOf } from '../relay/run.ts'
import type { Pages } from '../relay/finished.ts'
import type { Runtime } from '../relay/runtime.ts'
import { answerTimeOf, optionsFor, disconnectSignal, withDeadline } from '../edge/asking.ts'
import type { Caller } from '../edge/caller.ts'
import { delivererOf } from '../edge/delivery.ts'

/** Returns the record of an endpoint. Throws RelayError: refused input names `id`, the players' parameter. */
export type Call = <I extends TObject, R extends TSchema>(
  endpoint: Endpoint<I, R>,
  input: Static<I>
) => Promise<Static<R>>

/** Returns the work for a caller: charged to its client, and ended with the answer. */
export function answerWorkOf ({ client }: Caller, reply: FastifyReply): Work {
  const work = workOf(client, reply.server.runtime)
  reply.raw.once('close', work.end)
  return {
    ...work,
    async alone () {
      await work.alone()
      if (!reply.raw.destroyed) return
      work.end()
      throw new RelayError('UPSTREAM_TIMEOUT', 'The caller has left.')
    }
  }
}

/**
 * Returns a function that calls endpoints for this caller. `pages`: notes the cache entries that it returns.
 * `isShared`: others may wait for what it returns, so the calls go on when the caller disconnects.
 */
export function callsOf (
  reply: FastifyReply,
  as: Pick<Caller, 'identity' | 'client'>,
  { work, pages, isShared = false }: {
    readonly work: Work
    readonly pages?: Pages | undefined
    readonly isShared?: boolean
  }
): Call {
  const { server: { runtime }, request } = reply
  let signal: AbortSignalLike | undefined
  let read = 0
  return async <I extends TObject, R extends TSchema>(typed: Endpoint<I, R>, given: Static<I>): Promise<Static<R>> => {
    const endpoint = typed as unknown as AnyEndpoint
    const input = validated(() => runtime.validator.fromValues(endpoint.input, given))
    const options = optionsFor(reply, as)
    const longest = answerTimeOf(endpoint, runtime)
    try {
      const found = executeCached(endpoint, input, options, runtime)
      if (found === undefined) {
        pages?.spoil()
        if (!isShared) signal ??= disconnectSignal(reply)
        return await withDeadline(
          runtime.timers,
          longest,
          execute(endpoint, input, { ...options, signal }, runtime)
        ) as Static<R>
      }
      const { state, entry } = found instanceof Promise ? await withDeadline(runtime.timers, longest, found) : found
      request.cacheState = state
      // What is made of the pages has a budget before it is made.
      read += entry.body.length
      if (read > 2 * runtime.answers.limits.largestAnswerBytes) throw tooLarge(runtime.answers.limits)
      pages?.add(keyFor(endpoint, input, options, runtime), entry)
      // Before the work: several pages may arrive in one turn.
      const turn = work.did(entry.body.length)
      if (turn !== undefined) await turn
      return endpoint.envelope.unwrap(JSON.parse(entry.body.toString())) as Static<R>
    } catch (error) {
      pages?.spoil()
      throw error
    }
  }
}

/** Runs a validation. Its error names the parameter `id`. */
export function validated (validate: () => unknown): unknown {
  try {
    return validate()
  } catch (error) {
    throw error instanceof InvalidInput ? new InvalidInput(error.message.replace(/^\w+:/, 'id:'), error.kind) : error
  }
}

// Sends players the audio of a song, like /stream.

/** Sends the audio that an endpoint finds for this input. Throws NOT_PLAYABLE, with reason and hint. */
export type SendAudio<I extends TObject> = (
  input: Static<I>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller
) => Promise<FastifyReply>

export function audioOf<I extends TObject, R extends TSchema> (
  endpoint: Endpoint<I, R>,
  runtime: Runtime
): SendAudio<I> {
  const deliver = delivererOf(endpoint as unknown as AnyEndpoint, runtime)
  return async (song, request, reply, caller) =>
    await deliver(request, reply, validated(() => runtime.validator.fromValues(endpoint.input, song)), caller)
}

// @mutate streams: opensubsonic meting
