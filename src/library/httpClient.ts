/**
 * The HTTP client: the relay's functions over HTTP, with the same names, inputs, records and errors as `createRelay`.
 * At run time it needs only `fetch`. build/client.ts bundles it into one file for browsers.
 */
import { errorCodes } from '../../schemas/errors.ts'
import type { AudioStream, CallOptions } from '../common/callOptions.ts'
import { InvalidInput, NotPlayable, RelayError, RelayUnreachable, UpstreamError } from '../common/errors.ts'
import { kinds } from '../common/kinds.ts'
import type { ErrorCode, PlayReason, AudioAddress } from '../common/schemaTypes.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { resolveIdentity } from '../relay/identity.ts'
import { createInputValidator, isAbsent } from '../relay/validate.ts'
import { bindFunctions } from './functions.ts'
import type { Relay } from './types.ts'

export type { CallOptions } from '../common/callOptions.ts'
export type * from '../common/schemaTypes.ts'
export type * from './types.ts'
export type { AudioStream } from '../common/callOptions.ts'
export { InvalidInput, NotPlayable, RelayError, RelayUnreachable, UpstreamError } from '../common/errors.ts'

/** Options of `createClient`. */
export interface ClientOptions {
  /** The `accessToken` of the relay, if it has one. */
  readonly accessToken?: string
}

/**
 * Returns the functions of the relay at `baseUrl`, such as `http://localhost:3200` or `https://host.example/music`.
 *
 * Input is validated before anything is sent. A cookie is sent in a header, never in a URL. The client has no deadline
 * of its own: the relay has one, and `signal` can set a shorter one. Calls throw the errors of `createRelay`, and
 * RelayUnreachable if no relay responds. `close()` aborts all calls.
 * @throws {InvalidInput} An option is wrong.
 * @example
 * const relay = createClient('http://localhost:3200')
 * const { lyric } = await relay.getLyric({ songmid: '00DemoSong0001' })
 */
export function createClient (baseUrl: string, { accessToken = '' }: ClientOptions = {}): Relay {
  const base = checkBase(baseUrl)
  if (!/^[\x21-\x7e]*$/.test(accessToken)) throw new InvalidInput('accessToken: must be printable ASCII text without spaces.')
  const inputs = createInputValidator()
  const calls = new Set<AbortController>()

  async function send (
    name: string,
    endpoint: AnyEndpoint,
    input: unknown,
    { cookie, signal, range }: CallOptions
  ): Promise<unknown> {
    inputs.fromValues(endpoint.input, input)
    const given = givenOf(endpoint, input as Readonly<Record<string, unknown>>)
    const headers = new Headers({ accept: 'application/json' })
    if (accessToken !== '') headers.set('authorization', `Bearer ${accessToken}`)
    const sent = cookie === undefined ? undefined : cookieHeader(cookie)
    if (sent !== undefined) headers.set('x-custom-cookie', sent)
    if (endpoint.method === 'POST') headers.set('content-type', 'application/json')
    const call = new AbortController()
    const leave = (): void => { call.abort() }
    calls.add(call)
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted === true) leave()
    const request = async (more: Readonly<Record<string, string>>): Promise<Response> =>
      await fetch(`${base}${endpoint.path}${endpoint.method === 'GET' ? searchOf(given) : ''}`, {
        method: endpoint.method,
        headers: { ...Object.fromEntries(headers), ...more },
        signal: call.signal,
        // A redirect could send the cookie to another host.
        redirect: 'manual',
        ...(endpoint.method === 'POST' ? { body: JSON.stringify(given) } : {})
      })
    const read = async (answer: Response): Promise<unknown> =>
      recordOf(name, endpoint, answer, await answer.text(), base)
    const done = (): void => {
      signal?.removeEventListener('abort', leave)
      calls.delete(call)
    }
    try {
      if (endpoint.envelope.delivers === 'audio') {
        return await receiveAudio({ request, read, signal: call.signal, range, done })
      }
      const record = await read(await request({}))
      done()
      return record
    } catch (error) {
      done()
      if (error instanceof RelayError) throw error
      if (call.signal.aborted) throw new UpstreamError('left', kinds.left, { call: name })
      throw new RelayUnreachable(
        'UPSTREAM_UNREACHABLE',
        `No relay can be reached at ${base}${reasonOf(error)}: is it running, and is the address right?`,
        error
      )
    }
  }

  return { ...bindFunctions(send), close: async () => { for (const call of calls) call.abort() } }
}

/** Returns origin and path prefix without a final slash. Refuses other parts, which would be lost or exposed. */
function checkBase (text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== ''
    || url.search !== '' || url.hash !== ''
  ) {
    throw new InvalidInput('baseUrl: must be an http or https address such as http://localhost:3200, without name, query and fragment.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Returns the endpoint's parameters that the caller set. The relay adds the defaults. */
function givenOf (
  { input: { properties } }: AnyEndpoint,
  input: Readonly<Record<string, unknown>>
): Record<string, unknown> {
  return Object.fromEntries(Object.keys(properties).flatMap((key) =>
    Object.hasOwn(input, key) && !isAbsent(input[key]) ? [[key, input[key]]] : []
  ))
}

function searchOf (given: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(given).map(([key, value]): [string, string] => [key, String(value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/**
 * Returns the cookie as a header can have it; undefined if the relay could not use it. What a header cannot have, such
 * as line breaks, is left out here: an error of `Headers` quotes it.
 */
function cookieHeader (cookie: string): string | undefined {
  const { source, cookies } = resolveIdentity({ query: cookie }, { fallbackMode: true, useGlobalCookie: false })
  if (source === 'none') return undefined
  if (/^[\x20-\x7e]*$/.test(cookie)) return cookie
  // Without one, the relay could use the account of somebody else.
  return cookies.map(([name, value]) => `${name}=${value}`).join('; ') || 'provider_key=none'
}

function recordOf (
  name: string,
  endpoint: AnyEndpoint,
  { status, headers, type }: Response,
  text: string,
  base: string
): unknown {
  // Browsers hide the status of a redirect.
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    throw new RelayUnreachable(
      'UPSTREAM_UNREADABLE',
      `${base} leads elsewhere${status === 0 ? '' : ` (HTTP ${status})`}: give the final address, so that no cookie is sent to another.`
    )
  }
  const body = parsed(text)
  const { code, error, reason, hint } = (body ?? {}) as {
    code?: unknown,
    error?: unknown,
    reason?: PlayReason,
    hint?: string
  }
  if (code === 'NOT_PLAYABLE' && typeof reason === 'string') throw new NotPlayable(reason, hint ?? '')
  if (status >= 400 && typeof error === 'string' && isErrorCode(code)) {
    throw errorOf(name, code, error, headers.get('retry-after'), status)
  }
  const record = status === 200 && typeof body === 'object' ? endpoint.envelope.unwrap(body) : undefined
  if (typeof record !== 'object' || record === null) {
    throw new RelayUnreachable(
      'UPSTREAM_UNREADABLE',
      `What answers at ${base} is not such a relay (HTTP ${status}): check the address, what stands between, and the versions of both.`
    )
  }
  return record
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code)

/** Rebuilds the error of the relay. The failed upstream call is not in the response: `call` is the endpoint. */
function errorOf (name: string, code: ErrorCode, message: string, wait: string | null, status: number): RelayError {
  if (code === 'INVALID_INPUT') return new InvalidInput(message)
  const retryAfter = wait !== null && /^\d{1,9}$/.test(wait) ? { retryAfter: Number(wait) } : {}
  // A bug of the relay is no failure of a call.
  const { fault } = Object.values(kinds).find((each) => each.code === code && code !== 'INTERNAL') ?? {}
  if (fault === undefined) return new RelayError(code, message, retryAfter)
  const row = { code, fault, says: message, verdict: 'unreachable', outcome: 'remote' } as const
  return new UpstreamError('remote', row, { message, call: name, ...retryAfter, status })
}

/** Returns text such as ` (ECONNREFUSED)`. Only the code is shown, because the message may quote the request. */
function reasonOf (error: unknown): string {
  const code = ((error as { cause?: { code?: unknown } }).cause)?.code
  return typeof code === 'string' ? ` (${code})` : ''
}

// Audio for the HTTP client: from the relay itself, or from the target of its redirect.

/** How to send requests to the relay. */
interface AudioSource {
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
async function receiveAudio ({ request, read, signal, range, done }: AudioSource): Promise<AudioStream> {
  const part: Record<string, string> = range === undefined ? {} : { range }
  let answer = await request({ accept: 'audio/*', ...part })
  if (isRedirect(answer)) {
    answer = await openFirst(await read(await request({})) as AudioAddress, part, signal)
  } else if (!answer.ok || answer.headers.get('content-type')?.startsWith('audio/') !== true) {
    await read(answer)
  }
  return {
    status: answer.status as 200 | 206,
    headers:
      Object.fromEntries(named.flatMap((name) =>
        answer.headers.has(name) ? [[name, answer.headers.get(name) as string]] : []
      )),
    body: endingWith(answer.body as ReadableStream<Uint8Array>, done)
  }
}

/**
 * Opens the file at the first address that has it. The addresses are those of other hosts, which get neither cookie nor
 * token. Throws RelayError, the one of the first address.
 */
async function openFirst (
  { url: first, others }: AudioAddress,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal
): Promise<Response> {
  let failure: RelayError | undefined
  for (const url of [first, ...others.map((other) => other.url)].slice(0, mostAddresses)) {
    try {
      const answer = await fetch(url, { headers, signal, referrerPolicy: 'no-referrer' })
      if (answer.ok) return answer
      await answer.body?.cancel()
      const refused = `The upstream refused the file (HTTP ${answer.status}).`
      if (answer.status === 416) throw new RelayError('RANGE_NOT_SATISFIABLE', refused)
      failure ??= new RelayError('UPSTREAM_REFUSED', refused)
    } catch (error) {
      if (error instanceof RelayError || signal.aborted) throw error
      failure ??= new RelayError(
        'UPSTREAM_UNREACHABLE',
        `The host of the file cannot be reached${reasonOf(error)}. Try again later, or request another quality.`
      )
    }
  }
  throw failure as RelayError
}

/** Maximum addresses that are tried for one file, as many as the relay itself tries. */
const mostAddresses = 6

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
