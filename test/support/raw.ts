/** Raw sockets: sends bytes that no HTTP client would send. */
import { connect } from 'node:net'

/**
 * Whether the parser of this runtime refuses what standards refuse. That of Node 20.19 lets through raw bytes in an
 * address, a header without a name and a chunk that ends wrongly, and does not know QUERY.
 */
export const hasStrictParser = Number(process.versions['llhttp']?.split('.')[0] ?? 9) >= 9

/** Names of headers are in lower case. */
export interface RawAnswer { status: number, headers: ReadonlyMap<string, string>, text: string }

/** `closed`: whether the server closed the connection within the given time. `rest`: bytes after the last complete answer, "" in a healthy exchange. */
export interface Exchange { answers: RawAnswer[], closed: boolean, rest: string }

/**
 * Sends the bytes and reads until the server closes the connection. The client never closes first. With `head`, an
 * answer may lack the body that it announces.
 */
export async function exchange (
  address: string, bytes: string | Buffer,
  { patienceMs = 10_000, head = false }: { patienceMs?: number, head?: boolean } = {}
): Promise<Exchange> {
  const { hostname, port } = new URL(address)
  return await new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), allowHalfOpen: true }, () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes)
    })
    const settle = (closed: boolean) => (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ...parseAnswers(Buffer.concat(chunks), head), closed })
    }
    const timer = setTimeout(settle(false), patienceMs)
    socket.on('data', (chunk: Buffer) => { chunks.push(chunk) })
    // A reset also counts as a close. Bytes that the server did not read do not matter.
    socket.on('error', () => {})
    socket.once('end', settle(true))
    socket.once('close', settle(true))
  })
}

function parseAnswers (bytes: Buffer, head: boolean): Pick<Exchange, 'answers' | 'rest'> {
  const answers: RawAnswer[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const [first = '', ...lines] = bytes.toString('latin1', at, end === -1 ? undefined : end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? NaN)
    if (end === -1 || Number.isNaN(status)) break
    const headers = new Map(lines.map((line): [string, string] =>
      [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    // A request that cannot be parsed as HEAD is answered with a body.
    const bodyless = status < 200 || status === 204 || status === 304 || (head && bytes[end + 4] !== 0x7B)
    const length = bodyless ? 0 : Number(headers.get('content-length') ?? 0)
    if (end + 4 + length > bytes.length) break
    // 100 Continue is not the answer.
    if (status >= 200) answers.push({ status, headers, text: bytes.toString('utf8', end + 4, end + 4 + length) })
    at = end + 4 + length
  }
  return { answers, rest: bytes.toString('latin1', at) }
}

/** Text of a request with a Host header. */
export const requestText = (line: string, headers: readonly string[] = [], body = ''): string =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n${body}`
