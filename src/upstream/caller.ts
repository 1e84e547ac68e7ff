/** The caller of one request to the upstream, and the reports about what was sent. */
import type { AbortSignalLike } from '../common/abort.ts'
import type { Client } from '../common/ledger.ts'
import type { Credential } from './wire/credentials.ts'
import type { UpstreamObserver } from './read/observer.ts'

/** Report of one request to the upstream, for logs. `ms`: milliseconds. */
export interface UpstreamReport {
  readonly calls: readonly string[]
  /** `ok` if any of the calls was answered, else the outcome of the first. */
  readonly outcome: string
  readonly ms: number
  /** Names of the calls with a usable answer. */
  readonly answered?: readonly string[]
  /** Bytes that were read, compressed and not. */
  readonly bytes?: number
}

/** The caller of one request. */
export interface UpstreamCaller {
  readonly credential?: Credential | undefined
  /**
   * The client that is charged for the work and takes turns with others. Undefined: only the limits for all clients
   * together apply.
   */
  readonly client?: Client | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignalLike | undefined
  readonly observer?: UpstreamObserver | undefined
  readonly onUpstreamRequest?: ((report: UpstreamReport) => void) | undefined
}
