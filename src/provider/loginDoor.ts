/**
 * Sends the requests of a login. Unlike other answers these are read with status, redirect address and cookies.
 * No redirect is ever followed, nothing is asked twice, and answers are small.
 */
import { parseCookie } from 'undici'
import type { Dispatcher } from 'undici'
import { UpstreamError } from '../errors.ts'
import { createAgents } from './agents.ts'
import type { Agents } from './agents.ts'
import { startDeadline } from './deadline.ts'
import type { LoginCall } from './loginWire.ts'
import { addressed, decompress, headerOf, networkError } from './transport.ts'
import type { TransportOptions } from './transport.ts'

export interface LoginAnswer {
  readonly call: string
  readonly status: number
  readonly contentType: string | undefined
  /** Where the answer redirects to, as text. */
  readonly location: string | undefined
  readonly cookies: ReadonlyMap<string, string>
  /** Empty for calls that need the headers only. */
  readonly bytes: Uint8Array
}

export interface LoginDoor {
  /** Throws UpstreamError with the outcome `deadline`, `client_gone` or what the network did. Any HTTP status is an answer. */
  send (call: LoginCall, limits: { readonly deadlineMs: number, readonly signal?: AbortSignal | undefined }): Promise<LoginAnswer>
  /** The same on the connections of the long polls, so that they and everything else do not wait for each other. */
  hold: LoginDoor['send']
  /** Destroys what is in flight. */
  close (): Promise<void>
}

/** Pages of a login and QR pictures are some tens of kilobytes. */
const maxBytes = 256 * 1024

export function createLoginDoor (options: Omit<TransportOptions, 'maxAnswerBytes' | 'headersTimeoutMs'> & { readonly pollConnections: number }): LoginDoor {
  // How long the first byte may take is the deadline's business: a long poll has another one than a hop.
  const shared = { connect: { timeout: options.connectTimeoutMs }, maxResponseSize: maxBytes, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: options.bodyTimeoutMs }
  const hops = createAgents({ ...shared, connections: options.upstreamConnections }, options.now)
  const polls = createAgents({ ...shared, connections: options.pollConnections }, options.now)

  const sender = (agents: Agents): LoginDoor['send'] => async ({ name, request, headersOnly }, { deadlineMs, signal }) => {
    const deadline = startDeadline(deadlineMs, signal)
    let stage: 'request' | 'body' = 'request'
    try {
      const answer = await agents.current().request({ ...addressed(request, options.upstreamOrigin), signal: deadline.signal })
      stage = 'body'
      return { call: name, status: answer.statusCode, contentType: headerOf(answer, 'content-type'), location: headerOf(answer, 'location'), cookies: cookiesOf(answer.headers), bytes: await bytesOf(answer, headersOnly === true, name) }
    } catch (error) {
      throw error instanceof UpstreamError ? error : networkError(error, name, stage, deadline.signal)
    } finally {
      deadline.end()
    }
  }

  return { send: sender(hops), hold: sender(polls), close: async () => { await Promise.all([hops.close(), polls.close()]) } }
}

async function bytesOf (answer: Dispatcher.ResponseData, skip: boolean, call: string): Promise<Uint8Array> {
  if (skip) {
    void answer.body.dump({ limit: maxBytes }).catch(() => {}) // frees the connection; nothing of it is wanted
    return new Uint8Array()
  }
  return await decompress(new Uint8Array(await answer.body.arrayBuffer()), headerOf(answer, 'content-encoding'), maxBytes, call)
}

/** What a browser would keep: the last value of a name, without empty, expired and unprintable ones (deletions come first upstream). */
function cookiesOf (headers: Dispatcher.ResponseData['headers']): ReadonlyMap<string, string> {
  const lines = headers['set-cookie'] ?? []
  const kept = new Map<string, string>()
  for (const line of Array.isArray(lines) ? lines : [lines]) {
    // Values come as they are: decoding them would change what is sent back.
    const { name = '', value = '', expires, maxAge } = parseCookie(line) ?? {}
    const dead = (maxAge ?? 1) <= 0 || (maxAge === undefined && expires !== undefined && Number(expires) <= Date.now())
    if (!dead && name !== '' && isCookieValue(value)) kept.set(name, value)
  }
  return kept
}

/** Characters that a Cookie header may hold between two semicolons. */
export function isCookieValue (value: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,4096}$/.test(value)
}
