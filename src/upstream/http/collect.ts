/**
 * Sends one request and collects its answer, over the lowest interface of the HTTP client: `request` makes a stream of the body
 * and listens to the signal, which together cost more than everything else of an upstream call (docs/performance.md).
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AbortSignalLike } from '../../common/abort.ts'
import type { UpstreamError } from '../../common/errors.ts'
import { BodyBytes } from './bodyBytes.ts'
import { networkError, tooManyBytes } from './failures.ts'
import type { AnswerHead } from './failures.ts'

/** Charges somebody for bytes that will be kept. False: they may not be. A negative number gives bytes back. */
export type Charge = (bytes: number) => boolean

/** What a host answered. `bytes` are empty if the body was not read. */
export interface WireAnswer extends AnswerHead { readonly bytes: Uint8Array }

/** How an answer is read. */
export interface CollectOptions {
  /** Label for errors. */
  readonly call: string
  /** Ends the request, wherever it is. */
  readonly signal: AbortSignalLike
  /** Whether the body is read. The connection of a body that nobody reads is closed: one that drips would hold it for ever. */
  readonly wantsBody: (head: AnswerHead) => boolean
  /** Is told of all bytes before they are kept. */
  readonly charge: Charge
  /** The pool ends an answer that is larger. Bytes. */
  readonly maxAnswerBytes: number
}

/** Returns the answer with any status. Throws UpstreamError for a failure of the network, after an abort, or if no more bytes may be held. */
export async function collect (pool: Dispatcher, request: Dispatcher.DispatchOptions, options: CollectOptions): Promise<WireAnswer> {
  return await new Promise((resolve, reject) => {
    if (options.signal.aborted) return void reject(networkError(undefined, options.call, 'request', options.signal))
    pool.dispatch(request, new Collector(options, resolve, reject))
  })
}

/** Collects the parts of one answer. After the first end, nothing that arrives matters any more. */
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

  /** The request leaves the queue of its pool. A retry by the client itself calls this again. */
  onRequestStart (controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) this.#close()
  }

  onResponseStart (_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#ended) return
    this.#status = status
    this.#headers = headers
    // Bun decompresses nothing that lies in memory that can grow.
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

/** Why the client ends a request: nobody reads this, the answer was given already. */
const closed = new Error('closed')
