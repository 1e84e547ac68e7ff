/** An audio file that is being received, as returned by `stream`. */
export interface AudioStream {
  /** 206: the part that `options.range` requests. 200: the whole file. */
  readonly status: 200 | 206
  /** `content-type`, and `content-length`, `content-range`, `accept-ranges`, `etag` and `last-modified` if known. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, also as an async iterable. Read them to the end, or cancel. The connection stays open until then. */
  readonly body: ReadableStream<Uint8Array>
}
