/** What the upstream is told about the caller of one request, and what the caller is told about its exchanges. */
import type { AbortSignalLike } from '../common/abort.ts'
import type { Client } from '../common/ledger.ts'
import type { Credential } from './protocol/credentials.ts'
import type { UpstreamObserver } from './reader/observer.ts'

/** Report of one request to the upstream, for logs. `ms`: milliseconds. */
export interface Exchange {
  readonly calls: readonly string[]
  /** `ok` if any of the calls was answered, else the outcome of the first. */
  readonly outcome: string
  readonly ms: number
  /** Names of the calls with a usable answer. */
  readonly answered?: readonly string[]
}

/** The caller of one request. */
export interface UpstreamCaller {
  readonly credential?: Credential | undefined
  /** Who is charged for the work, and takes turns with others. Undefined: nobody, only what all hold together is limited. */
  readonly client?: Client | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignalLike | undefined
  readonly observer?: UpstreamObserver | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}
