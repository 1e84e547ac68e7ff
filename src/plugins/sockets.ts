/** Limits of a connection: timeouts and size of headers. */
import type { Runtime } from '../core/runtime.ts'

/** Maximum size of request line and headers, in bytes. */
export const maxHeaderSize = 16 * 1024

/** Returns the Fastify options that limit connections. Times are in milliseconds, sizes in bytes. */
export function socketLimits ({ settings, tuning }: Pick<Runtime, 'settings' | 'tuning'>) {
  return {
    trustProxy: settings.trustProxy.length > 0 && settings.trustProxy,
    requestTimeout: tuning.clientRequestTimeoutMs,
    keepAliveTimeout: tuning.clientKeepAliveMs,
    http: {
      requestTimeout: tuning.clientRequestTimeoutMs,
      headersTimeout: tuning.clientHeadersTimeoutMs,
      connectionsCheckingInterval: tuning.clientCheckMs,
      maxHeaderSize,
      requireHostHeader: false
    }
  }
}
