/**
 * Sends one request and collects its answer over the lowest interface of the HTTP client: `request` creates a stream for the
 * body and a listener for the signal, which together cost more than the rest of an upstream call (docs/performance.md).
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AbortSignalLike } from '../../common/abort.ts'
import type { UpstreamError } from '../../common/errors.ts'
import { BodyBytes } from './bodyBytes.ts'
import { networkError, tooManyBytes, type AnswerHead } from './failures.ts'

/** Charges a client for bytes before they are stored. Returns false if the limit is reached. A negative number gives bytes back. */
export type Charge = (bytes: number) => boolean

/** The answer of a host. `bytes` is empty if the body was not read. */
export interface WireAnswer extends AnswerHead { readonly bytes: Uint8Array }

/** How an answer is read. */
export interface CollectOptions {
  /** Label for errors. */
  readonly call: string
  /** Ends the request, wherever it is. */
  readonly signal: AbortSignalLike
  /** Whether the body is read. The connection of an unread body is closed: a body that drips would block it for ever. */
  readonly wantsBody: (head: AnswerHead) => boolean
  /** Called with all bytes before they are stored. */
  readonly charge: Charge
  /** Maximum size of an answer; the pool aborts larger ones. Bytes. */
  readonly maxAnswerBytes: number
}

/** Returns the answer with any status. Throws UpstreamError for a network failure, after an abort, or when the byte limit is reached. */
export async function collect (pool: Dispatcher, request: Dispatcher.DispatchOptions, options: CollectOptions): Promise<WireAnswer> {
  return await new Promise((resolve, reject) => {
    if (options.signal.aborted) return void reject(networkError(undefined, options.call, 'request', options.signal))
    pool.dispatch(request, new Collector(options, resolve, reject))
  })
}

/** Collects the parts of one answer. After its end, later events are ignored. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #options: CollectOptions
  readonly #resolve: (answer: WireAnswer) => void
  readonly #reject: (error: UpstreamError) => void
  #body = new BodyBytes(0)
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #ended = false

  constructor (options: CollectOptions, resolve: (answer: WireAnswer) => void, reject: (error: UpstreamError) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    options.signal.addEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => {
    this.#fail(undefined)
    this.#close()
  }

  /** Called when the request leaves the queue of its pool, and again for a retry by the HTTP client. */
  onRequestStart (controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) this.#close()
  }

  onResponseStart (_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#ended) return
    this.#status = status
    this.#headers = headers
    // Bun cannot decompress data in resizable memory.
    this.#body = new BodyBytes(headers['content-encoding'] === undefined ? this.#options.maxAnswerBytes : 0)
    if (this.#options.wantsBody({ status, headers })) return
    this.#finish()
    this.#close()
  }

  onResponseData (_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return
    if (this.#options.charge(chunk.length)) return void this.#body.add(chunk)
    this.#end()
    this.#body.drop()
    this.#reject(tooManyBytes(this.#options.call))
    this.#close()
  }

  onResponseEnd (): void {
    if (!this.#ended) this.#finish()
  }

  onResponseError (_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#ended) this.#fail(error)
  }

  #finish (): void {
    this.#end()
    this.#resolve({ status: this.#status, headers: this.#headers, bytes: this.#body.take() })
  }

  #fail (error: Error | undefined): void {
    this.#end()
    this.#body.drop()
    this.#reject(networkError(error, this.#options.call, this.#status === 0 ? 'request' : 'body', this.#options.signal))
  }

  #end (): void {
    this.#ended = true
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }

  /** Closes the connection, if the request has one. */
  #close (): void { this.#controller?.abort(closed) }
}

/** The reason given when the relay aborts a request. It is never read, because the answer was already given. */
const closed = new Error('closed')
