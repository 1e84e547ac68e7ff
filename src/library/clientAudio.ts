/** Audio for the HTTP client: from the relay itself, or from the target of its redirect. */
import type { AudioStream } from '../common/audioStream.ts'
import { RelayError } from '../common/errors.ts'
import type { AudioAddress } from '../common/types.ts'

/** How to send requests to the relay. */
export interface AudioSource {
  /** Requests the endpoint with these headers besides those of the caller. Redirects are not followed. */
  readonly request: (headers: Readonly<Record<string, string>>) => Promise<Response>
  /** Reads a JSON answer of the relay. Throws its error. */
  readonly read: (answer: Response) => Promise<unknown>
  readonly signal: AbortSignal
  readonly range: string | undefined
  /** Called once when the file has ended or the reader has cancelled. */
  readonly done: () => void
}

/** The headers of a result. Others describe the connection. */
const named = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified']

/** Browsers hide the status of a redirect. */
const isRedirect = ({ type, status }: Response): boolean => type === 'opaqueredirect' || (status >= 300 && status < 400)

/** Returns the file. `done` is not called if this throws. */
export async function receiveAudio ({ request, read, signal, range, done }: AudioSource): Promise<AudioStream> {
  const part: Record<string, string> = range === undefined ? {} : { range }
  let answer = await request({ accept: 'audio/*', ...part })
  if (isRedirect(answer)) {
    const { url } = await read(await request({})) as AudioAddress
    // The file is on another host, which gets neither cookie nor token.
    answer = await fetch(url, { headers: part, signal, referrerPolicy: 'no-referrer' })
    if (!answer.ok) {
      throw new RelayError(
        answer.status === 416 ? 'RANGE_NOT_SATISFIABLE' : 'UPSTREAM_REFUSED',
        `The upstream refused the file (HTTP ${answer.status}).`
      )
    }
  } else if (!answer.ok || answer.headers.get('content-type')?.startsWith('audio/') !== true) {
    await read(answer)
  }
  return {
    status: answer.status as 200 | 206,
    headers: Object.fromEntries(named.flatMap((name) => answer.headers.has(name) ? [[name, answer.headers.get(name) as string]] : [])),
    body: endingWith(answer.body as ReadableStream<Uint8Array>, done)
  }
}

/** Returns the same bytes. `done` is called at their end, or when the reader cancels. */
function endingWith (body: ReadableStream<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull (controller) {
      const { value } = await reader.read().catch((error: unknown) => {
        done()
        throw error
      })
      if (value !== undefined) return controller.enqueue(value)
      done()
      controller.close()
    },
    async cancel (reason) {
      done()
      await reader.cancel(reason)
    }
  })
}
