/** Options of a single call, besides its input. */
export interface CallOptions {
  /** Cookie of the caller's account, as returned by the relay's login or set by the provider. */
  readonly cookie?: string
  /** Aborts the call, which fails with `UPSTREAM_TIMEOUT`. Use `AbortSignal.timeout(ms)` for a deadline. */
  readonly signal?: AbortSignal
  /** Part of the file, such as `bytes=0-65535`. Only `stream` supports it. */
  readonly range?: string
}

/** An audio file that is being received, as returned by `stream`. */
export interface AudioStream {
  /** 206: the part that `options.range` requests. 200: the whole file. */
  readonly status: 200 | 206
  /** `content-type`, and `content-length`, `content-range`, `accept-ranges`, `etag` and `last-modified` if known. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, also as an async iterable. Read them to the end, or cancel. The connection stays open until then. */
  readonly body: ReadableStream<Uint8Array>
}
