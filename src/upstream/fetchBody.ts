/** Sends one request and reads the body of its answer, for the calls of one request and for those that share a POST. */
import type { AbortSignalLike } from '../common/abort.ts'
import { release } from '../common/release.ts'
import type { Charge } from './http/collect.ts'
import type { Transport } from './http/transport.ts'
import type { WireRequest } from './protocol/requests.ts'
import { readBody } from './reader/body.ts'

/** How a body is fetched. `measured` is told its bytes and the milliseconds, whether or not it can be read. */
interface FetchOptions {
  readonly call: string
  readonly as: 'json' | 'text' | 'redirect'
  readonly signal: AbortSignalLike
  readonly charge: Charge
  readonly measured?: ((bytes: number, ms: number) => void) | undefined
}

/** Sends a request, and returns the text or the JSON object of its answer, or where it leads. Throws UpstreamError. */
export async function fetchBody (transport: Transport, request: WireRequest, { call, as, signal, charge, measured }: FetchOptions): Promise<unknown> {
  const started = performance.now()
  const { status, bytes, contentType, location } = await transport.exchange(request, call, signal, charge)
  try {
    measured?.(bytes.length, performance.now() - started)
    return as === 'redirect' ? { status, location: location ?? '' } : readBody(bytes, contentType, as, call)
  } finally {
    release(bytes)
  }
}
