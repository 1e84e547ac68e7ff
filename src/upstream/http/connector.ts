/**
 * Opens the connections to the upstream. The TLS session of each host is kept, so that the next connection to it needs no whole
 * handshake, and one connection can be opened before it is needed. (The HTTP client's own sessions live as long as their pool, which is
 * replaced every minute, and the garbage collector may take them earlier.)
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
// With the file's name: see agents.ts.
import { buildConnector } from 'undici/index.js'

/** How long a connection that was opened ahead waits for its first request, in milliseconds. The upstream closes idle ones later. */
const longestWait = 25_000

/** Opens connections for all pools of one purpose. */
export interface Connector {
  /** For the option `connect` of a pool. */
  readonly connect: buildConnector.connector
  /** Opens a connection to an origin ahead, unless one waits already. A failure is not reported: the next request has it too. */
  warm (origin: string): void
  /** Closes the connections that wait. */
  close (): void
}

/** A connection that was opened ahead. `socket`: once it is open. `taker`: the request that came before. */
interface Waiting { socket?: Socket, timer?: NodeJS.Timeout, taker?: buildConnector.Callback, readonly leave: () => void }

/** Creates a connector. `timeout`: for opening a connection, in milliseconds. */
export function createConnector (timeout: number): Connector {
  /** The last TLS session of each host; there are as many as the upstream has hosts. */
  const sessions = new Map<string, Buffer>()
  const waiting = new Map<string, Waiting>()
  let closed = false

  const open: buildConnector.connector = (options, callback) => {
    const { host = options.hostname } = options
    const session = sessions.get(host)
    buildConnector({ timeout, maxCachedSessions: 0, ...(session === undefined ? {} : { session }) })(options, (...opened) => {
      const [, socket] = opened
      if (socket instanceof TLSSocket) {
        const keep = (latest: Buffer | undefined): void => { if (latest !== undefined) sessions.set(host, latest) }
        // Before TLS 1.3 the session is there at once; since then it comes with the first answer.
        keep(socket.getSession())
        socket.on('session', keep)
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
        // The pool does not expect its answer at once: its request would wait for the next one.
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
      open({ hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, protocol, port }, (...opened) => {
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
