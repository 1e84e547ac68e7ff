/** Sends one request and reads the body of its answer, for single requests and shared POSTs. */
import type { AbortSignalLike } from '../common/abort.ts'
import { release } from '../common/release.ts'
import type { Charge } from './http/collect.ts'
import type { Transport } from './http/transport.ts'
import type { WireRequest } from './wire/requests.ts'
import { readBody } from './read/body.ts'

/** How a body is fetched. `measured` is called with its bytes and milliseconds, even if the body is unreadable. */
interface FetchOptions {
  readonly call: string
  readonly as: 'json' | 'text' | 'redirect'
  readonly signal: AbortSignalLike
  readonly charge: Charge
  readonly measured?: ((bytes: number, ms: number) => void) | undefined
}

/** Sends a request. Returns the text, the JSON object or the redirect of its answer. Throws UpstreamError. */
export async function fetchBody (
  transport: Transport,
  request: WireRequest,
  { call, as, signal, charge, measured }: FetchOptions
): Promise<unknown> {
  const started = performance.now()
  const { status, bytes, contentType, location } = await transport.request(request, call, signal, charge)
  try {
    measured?.(bytes.length, performance.now() - started)
    return as === 'redirect' ? { status, location: location ?? '' } : readBody(bytes, contentType, as, call)
  } finally {
    release(bytes)
  }
}
