/** Endpoints whose answer is not JSON but a redirect, or the audio at its target. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AbortSignalLike } from '../common/abort.ts'
import { RangeNotSatisfiable, RelayError } from '../common/errors.ts'
import type { AudioAddress } from '../common/schemaTypes.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { bodyTextOf, bytesRead, execute, workOf } from '../relay/run.ts'
import type { Runtime } from '../relay/runtime.ts'
import { audioCall, type AudioAnswer } from '../upstream/http/audio.ts'
import { answerTimeOf, optionsFor, disconnectSignal, sourceOf, withDeadline } from './asking.ts'
import type { Caller } from './caller.ts'
import { addVary, privateJson } from './headers.ts'

/** Seconds for which a redirect to a picture may be cached. Such addresses do not change. */
const pictureSeconds = 86_400

/** Returns the handler. `input`: validated input, usually the query that the framework has validated. `caller`: derived. */
export function delivererOf (endpoint: AnyEndpoint, runtime: Runtime) {
  const longest = answerTimeOf(endpoint, runtime)
  const isAudio = endpoint.envelope.delivers === 'audio'
  const passesOn = isAudio && runtime.settings.stream === 'relay'
  const lasting = `${runtime.answers.isPublic ? 'public' : 'private'}, max-age=${pictureSeconds}`

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    input: unknown = request.query,
    caller: Caller = request.caller
  ): Promise<FastifyReply> => {
    const asRecord = acceptsJsonOnly(request)
    const asStream = passesOn && !asRecord
    if (asStream) holdStream(request, reply, caller)
    const signal = disconnectSignal(reply)
    const record = await withDeadline(
      runtime.timers,
      longest,
      execute(endpoint, input, { ...optionsFor(reply, caller), signal }, runtime)
    ) as { readonly url: string }
    const answer = asStream ? await openAudio(request, reply, record as AudioAddress, signal, runtime) : undefined
    const source = sourceOf(request)
    if (source !== '') void reply.header('x-relay-source', source)
    addVary(reply, 'accept')
    if (asRecord) {
      const text = await bodyTextOf(
        endpoint,
        record,
        runtime,
        workOf(caller.client, runtime),
        bytesRead(request.upstreamReports)
      )
      return await reply.headers(privateJson).send(text)
    }
    if (answer === undefined && !isAudio) return await sendPicture(request, reply, record.url, lasting)
    if (answer === undefined) {
      // Some devices ask for the type with HEAD, and do not follow the redirect.
      void reply.header('content-type', (record as AudioAddress).type)
      return await reply.code(302).headers({ 'location': record.url, 'cache-control': 'no-store' }).send()
    }
    // A player that skips a song does not read the rest.
    reply.raw.once('close', () => { if (!reply.raw.writableFinished) request.server.logLeft(request, reply) })
    return await reply.code(answer.status).headers({ ...answer.headers, 'cache-control': 'no-store' }).send(answer.body)
  }
}

/** Largest picture that the relay passes on, in bytes. The largest of the provider have some hundred kilobytes. */
const mostPictureBytes = 4 * 1024 * 1024

/**
 * Sends a picture: a redirect, or with the setting `stream` relay the picture itself, which pages of other origins may
 * then read. What cannot be passed on, or not now, is a redirect, too.
 */
export async function sendPicture (
  request: FastifyRequest,
  reply: FastifyReply,
  url: string,
  cacheControl: string
): Promise<FastifyReply> {
  const { server, server: { runtime: { settings, upstream: { audioFiles } } } } = request
  void reply.header('cache-control', cacheControl)
  const asked = {
    url,
    type: 'image/jpeg',
    isPicture: true,
    method: request.method === 'HEAD' ? 'HEAD' : 'GET'
  } as const
  const passedOn = async (): ReturnType<typeof audioFiles.open> => {
    server.shed(request.calledAs ?? request.caller)
    return await audioFiles.open(asked, disconnectSignal(reply))
  }
  const answer = settings.stream !== 'relay' ? undefined : await passedOn().catch((error: unknown) => {
    if (!(error instanceof RelayError)) throw error
  })
  if (answer === undefined) {
    // Soon the relay passes it on again: a page of another origin could not read what is behind a kept redirect.
    if (settings.stream === 'relay') void reply.header('cache-control', 'no-store')
    return await reply.code(302).header('location', url).send()
  }
  const { 'accept-ranges': _, ...headers } = answer.headers
  if (Number(headers['content-length'] ?? Infinity) > mostPictureBytes) {
    answer.body.on('error', () => {}).destroy()
    return await reply.code(302).header('location', url).send()
  }
  return await reply.headers(headers).send(answer.body)
}

/** Whether the caller accepts only JSON, as programs do. Players and browsers accept audio, pictures or everything. */
function acceptsJsonOnly ({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\bapplication\/json\b/i.test(accept) && !/\*\/\*|\b(?:audio|image)\//i.test(accept)
}

/**
 * Counts the stream to its client until its answer has ended. Throws OVERLOADED. A stream that is paused or read too
 * slowly is closed for a client below its share.
 */
export function holdStream (
  { raw: { socket }, server }: FastifyRequest,
  { raw }: FastifyReply,
  { client }: Pick<Caller, 'client'>
): void {
  const { streams } = server.runtime.ledger
  if (streams.isFull(client) && !streams.isOverdrawn(client)) server.closeSlow()
  if (!streams.take(client)) {
    throw new RelayError(
      'OVERLOADED',
      'The relay passes on as many songs as it can, or as this client may have; stop another player, or try again in 5 s.',
      { retryAfter: 5 }
    )
  }
  let held = true
  const end = (): void => {
    if (held) streams.give(client)
    held = false
  }
  raw.once('close', end)
  if (raw.destroyed) end()
  const connection = server.connections.get(socket)
  if (connection !== undefined) connection.endStream = end
}

/**
 * Opens the file with the ranges that the player requests, at the first address that has it, and reports each request
 * like an upstream call.
 */
async function openAudio (
  request: FastifyRequest,
  reply: FastifyReply,
  record: AudioAddress,
  signal: AbortSignalLike,
  { upstream: { audioFiles, counters } }: Runtime
): Promise<AudioAnswer> {
  const { method, headers: { range, 'if-range': ifRange } } = request
  const asked = {
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    range,
    ifRange: typeof ifRange === 'string' ? ifRange : undefined
  } as const
  try {
    return await audioFiles.openFirst([record, ...record.others], asked, signal, (outcome, ms) => {
      counters.count(audioCall, outcome)
      const answered = outcome === 'ok' ? { answered: [audioCall] } : {}
      optionsFor(reply).onUpstreamRequest({ calls: [audioCall], outcome, ms, ...answered })
    })
  } catch (error) {
    if (error instanceof RangeNotSatisfiable && error.size !== undefined) {
      void reply.header('content-range', `bytes */${error.size}`)
    }
    throw error
  }
}

// @mutate streams: stream song-facts covers
