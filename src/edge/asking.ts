/** What a handler needs to call an endpoint for a request: the options of its run, its deadline, and its upstream requests. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAbort, type AbortSignalLike } from '../common/abort.ts'
import { RelayError } from '../common/errors.ts'
import type { Timers } from '../common/timers.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import type { RunOptions } from '../relay/run.ts'
import type { Runtime } from '../relay/runtime.ts'
import type { UpstreamReport } from '../upstream/send.ts'
import { upstreamLimits } from '../upstream/client.ts'
import { loginLimits } from '../upstream/login/logins.ts'
import type { Caller } from './caller.ts'
import { addWarning } from './headers.ts'

const refusedWarning = (isWithoutLogin: boolean): string =>
  `the upstream rejects the cookie, which is expired or invalid${
    isWithoutLogin ? ': this is the answer without a login' : ''
  }; log in again`

/**
 * Returns the options of a run for the caller, or for one derived from it. Its upstream requests are logged. `reload`:
 * skips the cache.
 */
export function optionsFor (
  reply: FastifyReply,
  { identity, client }: Pick<Caller, 'identity' | 'client'> = reply.request.caller,
  reload = false
): Omit<RunOptions, 'signal'> & { onUpstreamRequest (report: UpstreamReport): void } {
  return {
    identity,
    client,
    reload,
    onLoginRefused: (isWithoutLogin) => { addWarning(reply, refusedWarning(isWithoutLogin)) },
    onUpstreamRequest: (report: UpstreamReport) => { (reply.request.upstreamReports ??= []).push(report) }
  }
}

/** Returns the names of the upstream calls behind the answer. Empty if there were none, or only login steps. */
export function sourceOf ({ upstreamReports }: FastifyRequest): string {
  return [...new Set(upstreamReports?.flatMap(({ answered = [] }) => answered))].join(', ')
}

/**
 * Returns a signal that aborts if the connection closes before the answer is sent. (The framework's signal aborts every
 * POST once its body is read.)
 */
export function disconnectSignal (reply: FastifyReply): AbortSignalLike {
  const { signal, abort } = createAbort()
  // The connection may have closed while the client was counted in the shared store. There is no further close event.
  if (reply.raw.destroyed) abort(undefined)
  reply.raw.once('close', () => { if (!reply.raw.writableFinished) abort(undefined) })
  return signal
}

/**
 * Whether the caller requests a reload. `fetch` adds `no-cache` by itself to every request with If-None-Match, so it is
 * ignored there.
 */
export function isReload ({ headers }: FastifyRequest): boolean {
  const cacheControl = headers['cache-control']
  return cacheControl !== undefined && headers['if-none-match'] === undefined && /\bno-cache\b/i.test(cacheControl)
}

/** Returns the maximum time for the answer of an endpoint, in milliseconds, including all waits. */
export function answerTimeOf (
  { loginStep }: Pick<AnyEndpoint, 'loginStep'>,
  { settings, tuning }: Pick<Runtime, 'settings' | 'tuning'>
): number {
  const spare = 1000 // inner deadlines expire first, because their errors are more precise
  const {
    upstreamQueueMs = upstreamLimits.upstreamQueueMs,
    loginDeadlineMs = loginLimits.loginDeadlineMs,
    pollDeadlineMs = loginLimits.pollDeadlineMs
  } = tuning
  if (loginStep === undefined) return settings.deadlineMs + upstreamQueueMs + spare
  return Math.max(loginDeadlineMs, loginStep === 'check' ? pollDeadlineMs + 3000 : 0) + spare
}

/**
 * Returns the result of `work`, or throws UPSTREAM_TIMEOUT after `ms` milliseconds. `work` is not aborted. (The
 * framework's timer cannot be used, because it ends for every POST when its body is read.)
 */
export async function withDeadline<T> ({ setTimeout, clearTimeout }: Timers, ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => { reject(new RelayError('UPSTREAM_TIMEOUT', 'The answer did not come in time; try again.')) }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
