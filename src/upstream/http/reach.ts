/** Opens a connection to each host of the upstream, to see which ones answer, and through which proxy. Sends no request. */
import type { Socket } from 'node:net'
// With the file's name: see agents.ts.
import { buildConnector } from 'undici/index.js'
import type { UpstreamError } from '../../common/errors.ts'
import { connectOf } from './connector.ts'
import { networkError } from './failures.ts'
import { hosts, streamRoot, withoutBrackets } from './origins.ts'
import type { TransportOptions } from './transport.ts'

/** Whether a host answers. */
export interface HostReach {
  /** Name of the host, with a port that is not the usual one. */
  readonly host: string
  /** The proxy on the way: scheme, host and port. Absent: none. */
  readonly proxy?: string
  readonly answers: boolean
  /** `ok`, or the class of the failure, such as `connect` or `proxy_refused`. */
  readonly outcome: string
  /** What failed, one sentence. Absent if it answers. */
  readonly reason?: string
  /** Duration in milliseconds, until TLS was agreed on where there is TLS. */
  readonly ms: number
}

/** Returns a report on each host that the relay may contact, or on the origin that replaces them. Never throws. */
export async function reachHosts (
  { upstreamOrigin, egress, connectTimeoutMs }: Pick<TransportOptions, 'upstreamOrigin' | 'egress' | 'connectTimeoutMs'>
): Promise<HostReach[]> {
  const origins = upstreamOrigin === undefined
    ? [...Object.values(hosts).map((host) => `https://${host}`), new URL(streamRoot).origin]
    : [upstreamOrigin]
  const way = connectOf(connectTimeoutMs, egress)
  const connect = typeof way === 'function' ? way : buildConnector(way)
  return await Promise.all(origins.map(async (origin): Promise<HostReach> => {
    const { hostname, host, protocol, port } = new URL(origin)
    const proxy = egress?.proxyFor(hostname)?.shown
    const begun = performance.now()
    const error = await new Promise<Error | null>((resolve) => {
      connect({ hostname: withoutBrackets(hostname), host, protocol, port }, (failed, socket: Socket | null) => {
        socket?.on('error', () => {}).destroy()
        resolve(failed)
      })
    })
    const failure: UpstreamError | undefined = error === null ? undefined : networkError(error, 'connection', 'request', { aborted: false, reason: undefined })
    return {
      host,
      ...proxy === undefined ? {} : { proxy },
      answers: failure === undefined,
      outcome: failure?.outcome ?? 'ok',
      ...failure === undefined ? {} : { reason: failure.message },
      ms: Math.round(performance.now() - begun)
    }
  }))
}
