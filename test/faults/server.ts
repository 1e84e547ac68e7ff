/**
 * An upstream that fails on purpose. It speaks HTTP over raw sockets, because an HTTP library cannot produce the broken
 * answers of a real network. Without a fault it answers like the demo upstream.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { buildDemoUpstream } from '../../src/demo/upstream.ts'
import { enter } from '../../src/demo/hostHandlers.ts'

/** An answer of the demo, not compressed and not chunked. `location`: where it redirects to. */
interface Healthy {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly location?: string | undefined
}

export interface Received { readonly calls: readonly string[], readonly headers: Readonly<Record<string, string>> }

/** One request, and the socket to which a fault may write anything. */
export interface Exchange {
  readonly socket: Socket
  readonly calls: readonly string[]
  /** Keys of the calls in a gateway body (`req_0` …). Empty on a classic path. */
  readonly keys: readonly string[]
  /** The demo's answer to this request, or to its text after `changed`. */
  healthy (changed?: (text: string) => string): Promise<Healthy>
  /** Sends a correct answer. With `length: false`, `headers` must contain the length. */
  answer (
    body: string | Uint8Array, how?: { status?: number, headers?: readonly string[], type?: string, length?: boolean }
  ): void
  /** Sends raw bytes. */
  write (bytes: string | Uint8Array): void
}

/** Answers a request in a faulty way. It may also leave the socket open without an answer. */
export type Fault = (exchange: Exchange) => void | Promise<void>

export interface FaultServer {
  readonly origin: string
  readonly received: Received[]
  /** Number of requests that contain this call. */
  asked (call: string): number
  /**
   * Every request gets the fault from now on. `times` limits their number, `call` limits it to requests with that call.
   */
  fail (fault: Fault, when?: { times?: number, call?: string }): void
  /** Removes the faults and clears the counters. */
  heal (): void
  /** Resolves once at most `count` connections are open. Rejects after `ms`. */
  until (count: number, ms: number): Promise<void>
  /** Most bytes sent to a single connection. */
  mostSent (): number
  close (): Promise<void>
}

/** A demo that does not listen and answers in this process. Several servers can share one. */
export interface Demo {
  ask (request: { method: string, path: string, headers: Record<string, string>, text: string }): Promise<Healthy>
}

export function demoInProcess (): Demo {
  const { app } = buildDemoUpstream({ now: () => 1_790_000_000_000 })
  return {
    async ask ({ method, path, headers, text }) {
      const { 'accept-encoding': _, 'content-length': __, connection: ___, ...rest } = headers
      const { statusCode, headers: answered, body } =
        await app.inject({ method: method as 'GET', url: path, headers: rest, payload: text })
      return {
        status: statusCode, type: String(answered['content-type'] ?? 'text/plain'), body, location: answered.location
      }
    }
  }
}

export async function startFaultServer (demo: Demo): Promise<FaultServer> {
  const sockets = new Set<Socket>()
  const received: Received[] = []
  let rules: { fault: Fault, left: number, call: string | undefined }[] = []
  let mostSent = 0
  let closed = (): void => {}

  function faultFor (calls: readonly string[]): Fault | undefined {
    const rule = rules.find(({ left, call }) => left > 0 && (call === undefined || calls.includes(call)))
    if (rule === undefined) return undefined
    rule.left--
    return rule.fault
  }

  async function serve (socket: Socket, request: Incoming): Promise<void> {
    const { calls, keys } = contentOf(request)
    received.push({ calls, headers: request.headers })
    const healthy: Exchange['healthy'] = async (changed = (text) => text) =>
      await demo.ask({ ...request, text: changed(request.text) })
    const write = (bytes: string | Uint8Array): void => { if (socket.writable) socket.write(bytes) }
    const answer: Exchange['answer'] = (
      body, { status = 200, headers = [], type = 'application/json; charset=utf-8', length = true } = {}
    ) => {
      const bytes = Buffer.from(body as string)
      const lines = [`HTTP/1.1 ${status} Said`, ...type === '' ? [] : [`content-type: ${type}`], ...length ? [`content-length: ${bytes.length}`] : [], ...headers]
      write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]))
    }
    const exchange: Exchange = { socket, calls, keys, healthy, answer, write }
    await (faultFor(calls) ?? well)(exchange)
  }

  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // the client may disconnect in any way
    socket.on('close', () => {
      sockets.delete(socket)
      mostSent = Math.max(mostSent, socket.bytesWritten)
      closed()
    })
    const requests = requestReader((request) => {
      serve(socket, request).catch((error: unknown) => { socket.destroy(error as Error) })
    })
    socket.on('data', requests)
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    asked: (call) => received.filter(({ calls }) => calls.includes(call)).length,
    fail (fault, { times = Infinity, call } = {}) { rules.push({ fault, left: times, call }) },
    heal () {
      rules = []
      received.length = 0
    },
    until: async (count, ms) => {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => { reject(new Error(`${sockets.size} connections are still open after ${ms} ms`)) }, ms)
        closed = () => {
          if (sockets.size > count) return
          clearTimeout(late)
          resolve()
        }
        closed()
      })
    },
    mostSent: () => Math.max(mostSent, ...[...sockets].map((socket) => socket.bytesWritten)),
    close: async () => {
      const done = new Promise<void>((resolve) => { server.close(() => { resolve() }) })
      for (const socket of sockets) socket.destroy()
      await done
    }
  }
}

/** Sends the demo's answer unchanged. */
export const well: Fault = async ({ healthy, answer }) => {
  const { status, type, body, location } = await healthy()
  answer(body, { status, type, headers: location === undefined ? [] : [`location: ${location}`] })
}

interface Incoming {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly text: string
}

/** Parses the requests of one connection. The relay's client always sends a length, never chunks. */
function requestReader (found: (request: Incoming) => void): (chunk: Uint8Array) => void {
  let bytes = Buffer.alloc(0)
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return
      const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
      )
      const stop = end + 4 + Number(headers['content-length'] ?? 0)
      if (bytes.length < stop) return
      const [method = '', path = ''] = start.split(' ')
      const text = bytes.subarray(end + 4, stop).toString('utf8')
      bytes = bytes.subarray(stop)
      found({ method, path, headers, text })
    }
  }
}

/** The calls of a request by their upstream names: `module/method`, or the classic path. */
function contentOf ({ method, path, headers, text }: Incoming): { calls: string[], keys: string[] } {
  const url = new URL(path, 'http://demo.invalid')
  const { calls, body } = enter({
    host: headers['host'] ?? '', method, path: url.pathname, query: Object.fromEntries(url.searchParams), headers, text
  })
  const keys = typeof body === 'object' && body !== null ? Object.keys(body).filter((key) => key !== 'comm') : []
  return { calls, keys }
}
