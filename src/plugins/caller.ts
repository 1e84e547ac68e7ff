/** Converts a request to the caller of an endpoint. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAbort, type AbortSignalLike } from '../common/abort.ts'
import { anonymousIdentity } from '../core/identity.ts'
import type { Caller } from '../core/execute.ts'
import type { UpstreamReport } from '../upstream/caller.ts'

/** Returns the caller of a request. Its upstream requests are added to the log of the request. */
export function callerOf (request: FastifyRequest): Omit<Caller, 'signal'> & { onUpstreamRequest (report: UpstreamReport): void } {
  return {
    identity: request.identity ?? anonymousIdentity,
    client: request.client,
    onUpstreamRequest: (report: UpstreamReport) => { (request.upstreamReports ??= []).push(report) }
  }
}

/** Returns the names of the upstream calls behind the answer. Empty if there were none, or only login steps. */
export function sourceOf ({ upstreamReports }: FastifyRequest): string {
  return [...new Set(upstreamReports?.flatMap(({ answered = [] }) => answered))].join(', ')
}

/**
 * Returns a signal that aborts if the connection closes before the answer is sent. (The framework's signal aborts every POST
 * once its body is read.)
 */
export function disconnectSignal (reply: FastifyReply): AbortSignalLike {
  const { signal, abort } = createAbort()
  // The connection may have closed while the client was counted in the shared store. There is no further close event.
  if (reply.raw.destroyed) abort(undefined)
  reply.raw.once('close', () => { if (!reply.raw.writableFinished) abort(undefined) })
  return signal
}
