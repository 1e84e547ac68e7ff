/**
 * Opens the connections to the upstream. The TLS session of each host is cached, so that the next connection to it
 * needs no full handshake, and one connection can be opened ahead. (The HTTP client's own sessions live as long as
 * their pool, which is replaced every minute, and the garbage collector may remove them earlier.)
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
// Import the file: see transport.ts.
import { buildConnector } from 'undici/index.js'
import { ProxyFailure, type Egress, type EgressProxy } from './egress.ts'
import { withoutBrackets } from './origins.ts'

/**
 * How long a connection that was opened ahead waits for its first request, in milliseconds. The upstream closes idle
 * ones later.
 */
const longestWait = 25_000

/** Opens connections for all pools of one purpose. */
export interface Connector {
  /** For the option `connect` of a pool. */
  readonly connect: buildConnector.connector
  /**
   * Opens a connection to an origin ahead, unless one is waiting already. Failures are not reported: the next request
   * fails in the same way.
   */
  warm (origin: string): void
  /** Closes the waiting connections. */
  close (): void
}

/**
 * A connection that was opened ahead. `socket`: set once it is open. `taker`: a request that arrived earlier than that.
 */
interface Waiting {
  socket?: Socket
  timer?: NodeJS.Timeout
  taker?: buildConnector.Callback
  readonly leave: () => void
}

/**
 * Returns the option `connect` of a pool without TLS sessions of its own. `timeout`: for opening a connection, in
 * milliseconds; through a proxy, for the tunnel to the upstream, and again for the TLS handshake.
 */
export function connectOf (
  timeout: number,
  egress: Egress | undefined
): buildConnector.connector | buildConnector.BuildOptions {
  return egress === undefined ? { timeout } : through(egress, buildConnector({ timeout }), timeout)
}

/** Opens connections like `connect`, through the proxies of their hosts. */
function through (egress: Egress, connect: buildConnector.connector, timeout: number): buildConnector.connector {
  return (options, callback) => {
    const proxy = egress.proxyFor(options.hostname)
    if (proxy === undefined) connect(options, callback)
    else {void openThrough(proxy, options, connect, timeout).then((socket) => {
        callback(null, socket)
      }, (error: Error) => {
        callback(error, null)
      })}
  }
}

async function openThrough (
  proxy: EgressProxy,
  options: buildConnector.Options,
  connect: buildConnector.connector,
  timeout: number
): Promise<Socket> {
  const { openTunnel, isCertificateError } = await import('./tunnel.ts')
  const isTls = options.protocol === 'https:'
  const tunnel = await openTunnel(proxy, {
    hostname: options.hostname,
    port: Number(options.port) || (isTls ? 443 : 80)
  }, timeout)
  if (!isTls) {
    // The pool would treat early bytes as the end of an idle connection, and open one connection after the other.
    if (
      tunnel.destroyed || !tunnel.readable || tunnel.readableLength > 0
    ) { throw new ProxyFailure(tunnel.readableLength > 0 ? 'protocol' : 'closed') }
    return tunnel
  }
  return await new Promise((resolve, reject) => {
    connect({ ...options, httpSocket: tunnel }, (error, socket) => {
      if (error === null) return void resolve(socket)
      tunnel.destroy()
      const { code = '' } = error as NodeJS.ErrnoException
      reject(new ProxyFailure(code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout'
        : isCertificateError(code) ? 'tls' : 'closed'))
    })
  })
}

/** Creates a connector. `timeout`: see `connectOf`. `egress`: the proxies, if there are any. */
export function createConnector (timeout: number, egress?: Egress): Connector {
  /** The last TLS session of each host. Limited by the number of upstream hosts. */
  const sessions = new Map<string, Buffer>()
  const waiting = new Map<string, Waiting>()
  let closed = false

  const open: buildConnector.connector = (options, callback) => {
    const { host = options.hostname } = options
    const session = sessions.get(host)
    const direct = buildConnector({ timeout, maxCachedSessions: 0, ...(session === undefined ? {} : { session }) })
    const connect = egress === undefined ? direct : through(egress, direct, timeout)
    connect(options, (...opened) => {
      const [, socket] = opened
      if (socket instanceof TLSSocket) {
        const store = (latest: Buffer | undefined): void => { if (latest !== undefined) sessions.set(host, latest) }
        // Before TLS 1.3 the session is available at once; since then it arrives with the first answer.
        store(socket.getSession())
        socket.on('session', store)
      }
      callback(...opened)
    })
  }

  return {
    connect (options, callback) {
      const entry = waiting.get(`${options.protocol}//${options.host ?? ''}`)
      const { socket } = entry ?? {}
      if (entry !== undefined && entry.taker === undefined && socket === undefined) entry.taker = callback
      else if (entry === undefined || socket === undefined) open(options, callback)
      else {
        entry.leave()
        // The pool does not expect the callback to run synchronously: its request would wait for the next one.
        if (socket.readable && socket.writable) queueMicrotask(() => { callback(null, socket) })
        else open(options, callback)
      }
    },
    warm (origin) {
      if (waiting.has(origin) || closed) return
      const { hostname, host, protocol, port } = new URL(origin)
      const leave = (): void => {
        clearTimeout(entry.timer)
        waiting.delete(origin)
        entry.socket?.off('close', leave)
      }
      const entry: Waiting = { leave }
      waiting.set(origin, entry)
      open({ hostname: withoutBrackets(hostname), host, protocol, port }, (...opened) => {
        const [error, socket] = opened
        if (entry.taker !== undefined || error !== null || closed) {
          leave()
          if (entry.taker !== undefined) entry.taker(...opened)
          else socket?.destroy()
          return
        }
        entry.socket = socket
        entry.timer = setTimeout(() => { socket.destroy() }, longestWait).unref()
        socket.once('close', leave)
      })
    },
    close () {
      closed = true
      for (const { socket } of waiting.values()) socket?.destroy()
    }
  }
}
