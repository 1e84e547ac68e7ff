/** Checks which upstream hosts are reachable, and through which proxy, by opening a connection to each. Sends no request. */
import type { Socket } from 'node:net'
// With the file's name: see agents.ts.
import { buildConnector } from 'undici/index.js'
import type { UpstreamError } from '../../common/errors.ts'
import { connectOf } from './connector.ts'
import { networkError } from './failures.ts'
import { hosts, streamRoot, withoutBrackets } from './origins.ts'
import type { TransportOptions } from './transport.ts'

/** The reachability of one host. */
export interface HostReach {
  /** Name of the host, with its port if it is not the default one. */
  readonly host: string
  /** The proxy that is used: scheme, host and port. Absent: none. */
  readonly proxy?: string
  readonly answers: boolean
  /** `ok`, or the class of the failure, such as `connect` or `proxy_refused`. */
  readonly outcome: string
  /** The failure in one sentence. Absent if the host is reachable. */
  readonly reason?: string
  /** Duration in milliseconds, including the TLS handshake if there is one. */
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
