/** Options of a single call, besides its input. */
export interface CallOptions {
  /** Cookie of the caller's account, as returned by the relay's login or set by the provider. */
  readonly cookie?: string
  /** Aborts the call, which fails with `UPSTREAM_TIMEOUT`. Use `AbortSignal.timeout(ms)` for a deadline. */
  readonly signal?: AbortSignal
  /** Part of the file, such as `bytes=0-65535`. Only `stream` supports it. */
  readonly range?: string
}
