/** An audio file that is being received: the result of `stream`. */
export interface AudioStream {
  /** 206: the part that `options.range` asks for. 200: the whole file. */
  readonly status: 200 | 206
  /** `content-type`, and `content-length`, `content-range`, `accept-ranges`, `etag`, `last-modified` as far as they are known. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, also as an async iterable. Read them to the end, or cancel: the connection stays open until then. */
  readonly body: ReadableStream<Uint8Array>
}
