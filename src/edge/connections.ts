/**
 * The connections of clients: how many each client may have, which one is closed to make room, when one is closed, and
 * the order of its requests. Background: docs/decisions.md#0010.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { Client } from '../common/ledger.ts'
import type { Runtime } from '../relay/runtime.ts'
import { framingOf, maxHeaderSize, refuseOddRequests } from './framing.ts'
import { oncePerSecond } from './log.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Open connections. Idle ones are in the order in which they became idle. */
    connections: ReadonlyMap<Socket, Connection>
    /**
     * Closes the connection whose player has paused its audio, or read it too slowly, for longest. Returns false if
     * none has.
     */
    closeSlow (): boolean
    /** Logs that a connection or file could not be opened, at most once a second. */
    openFailed (error: unknown): void
  }
}

export interface Connection {
  /** The client that is charged. Undefined if the address does not distinguish clients, such as that of a proxy. */
  readonly client: Client | undefined
  /** Number of its requests so far. */
  requests: number
  /** The answer in progress. Undefined while the connection is idle. */
  response: ServerResponse | undefined
  /** When it became idle, or when its client last read from the answer. Milliseconds of the relay's clock. */
  since: number
  /** Bytes of the answer in progress that the operating system has not accepted yet. */
  unsent: number
  /** Bytes of the answer in progress that are charged, and the charged client. */
  charged: number
  reader: Client | undefined
  /** Set while the answer is audio, which a player may pause. Releases its stream slot. */
  endStream: (() => void) | undefined
  /** Since when the player reads its audio below the floor, and how many bytes it had read then. */
  slow: { readonly since: number, readonly read: number }
  /** Requests that arrived while another one was in progress. */
  readonly waiting: Waiting[]
}

interface Waiting { readonly response: ServerResponse, readonly begin: () => void, readonly bytes: number }

/** Limits of a connection and of a stream. Tests use others. */
export const connectionLimits = {
  /**
   * Maximum time for which a player may pause reading its audio file. A paused player is no failure. If it continues
   * later, it requests the rest itself.
   */
  streamPauseMs: 600_000,
  /**
   * A stream that is read more slowly than this for that long gives way to a new one when all are taken. The floor is a
   * quarter of the lowest bit rate: such a player cannot play. Bytes per second, and milliseconds.
   */
  streamFloorBytes: 4096,
  streamSlowMs: 10_000,
  /**
   * Maximum number of requests on one connection. It is then closed, so that a load balancer can redistribute clients.
   */
  maxRequestsPerConnection: 1000,
  /**
   * Time for a client to send the headers. It is enough for a bad mobile network, but too short to hold a connection
   * open for free.
   */
  clientHeadersTimeoutMs: 10_000,
  /** Time for a client to send the whole request: five seconds more, for a body of at most 256 KiB. */
  clientRequestTimeoutMs: 15_000,
  /** Interval of the check for slow clients. Two seconds late does no harm, and each check visits all connections. */
  clientCheckMs: 2000,
  /**
   * Maximum time for which a client reads nothing of its answer. A phone that lost its network is back by then, or
   * gone.
   */
  clientSendMs: 30_000,
  /**
   * Keep-alive timeout of a client's connection. It is longer than the usual 60 s of proxies, so that the proxy closes
   * first.
   */
  clientKeepAliveMs: 65_000
}

/**
 * Memory of a waiting request, and of one name or value among its headers besides its text, in bytes (measured,
 * 2026-11).
 */
const waitingBytes = 6000
const headerBytes = 64

const plugin: FastifyPluginAsync = async (app) => {
  const { tuning, ledger, now, timers: { setInterval, clearInterval } } = app.runtime
  const {
    maxRequestsPerConnection,
    clientKeepAliveMs,
    clientHeadersTimeoutMs,
    clientSendMs,
    streamPauseMs,
    streamSlowMs,
    streamFloorBytes,
    clientCheckMs
  } = { ...connectionLimits, ...tuning }
  const connections = new Map<Socket, Connection>()
  refuseOddRequests(app)

  app.server.on('connection', (socket) => {
    const client = app.clientOfConnection(socket.remoteAddress)
    giveWay(client)
    // A client may have disconnected before its connection was accepted.
    if (socket.destroyed || !ledger.connections.take(client)) {
      socket.destroy()
      return
    }
    connections.set(socket, {
      client,
      requests: 0,
      response: undefined,
      since: now(),
      unsent: 0,
      charged: 0,
      reader: undefined,
      endStream: undefined,
      slow: { since: now(), read: 0 },
      waiting: []
    })
    socket.once('close', () => {
      remove(socket)
    })
  })

  /**
   * At the total limit, closes an idle connection of the largest client. For a client at its share, closes one of its
   * own.
   */
  function giveWay (client: Client | undefined): void {
    const { isFull, largest } = ledger.connections
    if (isFull(undefined) && !closeLongestIdle(largest())) closeLongestIdle()
    if (client !== undefined && isFull(client)) closeLongestIdle(client[0])
  }

  /** Returns whether a connection was closed. */
  function closeLongestIdle (address?: string): boolean {
    for (const [socket, { response, client }] of connections) {
      if (response !== undefined || (address !== undefined && client?.[0] !== address)) continue
      close(socket)
      return true
    }
    return false
  }

  /** Closes the connection with the most unread bytes of the largest client. Returns false if nothing is unread. */
  function closeUnread (): boolean {
    const address = ledger.unsentBytes.largest()
    let found: readonly [Socket, Connection] | undefined
    for (const entry of connections) {
      const [, { charged, reader }] = entry
      if (charged > (found?.[1].charged ?? 0) && reader?.[0] === address) found = entry
    }
    if (found === undefined) return false
    const [socket, connection] = found
    ledger.unsentBytes.refuse()
    ledger.unsentBytes.give(connection.reader, connection.charged)
    connection.charged = 0
    close(socket)
    return true
  }

  function closeSlow (): boolean {
    const before = now() - streamSlowMs
    let found: readonly [Socket, Connection] | undefined
    for (const entry of connections) {
      const [socket, connection] = entry
      if (connection.endStream === undefined) continue
      measure(socket, connection, now())
      if (connection.slow.since <= Math.min(before, found?.[1].slow.since ?? Infinity)) found = entry
    }
    if (found === undefined) return false
    const [socket, { endStream }] = found
    endStream?.()
    close(socket)
    return true
  }

  function close (socket: Socket): void {
    remove(socket)
    socket.destroy()
  }

  function remove (socket: Socket): void {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connections.delete(socket)
    ledger.connections.give(connection.client)
    for (const { bytes } of connection.waiting) ledger.waitingBytes.give(connection.client, bytes)
  }

  // Requests of a connection are handled one at a time: the next one starts after the answer to this one is sent.
  app.addHook('onRequest', (request, reply, done) => {
    const { socket, rawHeaders } = request.raw
    const connection = connections.get(socket)
    const begun = (): void => {
      const isLast = connection !== undefined && ++connection.requests >= maxRequestsPerConnection
      done(framingOf(request, reply, isLast))
    }
    if (connection === undefined) {
      // The request is injected, or it is the rest of the data from a closed connection.
      if (!socket.destroyed) begun()
    } else if (!socket.writable) {
      // An earlier answer was the last one.
    } else if (connection.response === undefined) {
      begin(socket, connection, reply.raw)
      begun()
    } else {
      const bytes = rawHeaders.reduce((sum, text) => sum + headerBytes + text.length, waitingBytes)
      // Most of a flood of requests would wait for nothing, because the connection ends before their turn.
      const isFlood = connection.waiting.length + 1 >= 2 * maxRequestsPerConnection
      if (!isFlood && ledger.waitingBytes.take(connection.client, bytes)) {
        connection.waiting.push({ response: reply.raw, begin: begun, bytes })
      } else close(socket)
    }
  })

  function begin (socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.response = response
    connection.slow = { since: now(), read: acceptedBytes(socket) }
    response.on('close', () => { end(socket, connection) })
  }

  function end (socket: Socket, connection: Connection): void {
    connection.response = undefined
    connection.since = now()
    connection.unsent = 0
    if (connection.charged > 0) ledger.unsentBytes.give(connection.reader, connection.charged)
    connection.charged = 0
    connection.endStream = undefined
    if (!connections.delete(socket)) return
    connections.set(socket, connection) // moved to the end, as the last one to become idle
    const next = connection.waiting.shift()
    if (next === undefined) return
    begin(socket, connection, next.response)
    // Requests of other connections run in between.
    setImmediate(() => {
      ledger.waitingBytes.give(connection.client, next.bytes)
      // The previous answer may have been the last one.
      if (socket.writable) next.begin()
    })
  }

  /** Notes whether the player reads fast enough. */
  function measure (socket: Socket, connection: Connection, time: number): void {
    const { slow } = connection
    const read = acceptedBytes(socket)
    // Without unsent bytes, the relay waits for the file's host and not for the player.
    if (
      unsentBytes(socket) === 0 || read - slow.read >= streamFloorBytes * (time - slow.since) / 1000
    ) { connection.slow = { since: time, read } }
  }

  /** Closes connections that are idle for too long, whatever arrives on them, and those whose clients do not read. */
  function check (): void {
    const time = now()
    for (const [socket, connection] of connections) {
      const { response, since, unsent, endStream } = connection
      if (response === undefined) {
        // The parser ends silent connections. This check is for bytes that are no request, and leaves time for a real
        // one.
        if (time - since > clientKeepAliveMs + clientHeadersTimeoutMs) close(socket)
        continue
      }
      connection.unsent = unsentBytes(socket)
      measure(socket, connection, time)
      if (connection.unsent === 0 || connection.unsent !== unsent) connection.since = time
      else if (time - since >= (endStream === undefined ? clientSendMs : streamPauseMs)) close(socket)
    }
  }

  // Answers are charged to their clients until they are read. Beyond the total, who has most unread gives way.
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload)
      : Buffer.isBuffer(payload) ? payload.length : 0
    const connection = connections.get(request.raw.socket)
    // Injected requests have no reader. The charge is returned when the answer has ended.
    if (connection !== undefined && connection.response === reply.raw) {
      const { client } = request.calledAs ?? request.caller
      ledger.unsentBytes.charge(client, bytes - connection.charged)
      connection.reader = client
      connection.charged = bytes
      while (ledger.unsentBytes.isFull(undefined) && closeUnread()) { /* one at a time */ }
    }
    done()
  })

  // The process keeps running when too many files are open to accept a connection or open a file.
  const sampled = oncePerSecond(now)
  app.decorate('openFailed', (error: unknown) => {
    const unlogged = sampled()
    if (unlogged === undefined) return
    app.log.warn(
      { err: error, ...(unlogged === 0 ? {} : { unlogged }) },
      'connections and files cannot be opened; if too many are open (EMFILE), raise the limit of open files (LimitNOFILE of systemd, ulimit -n) or lower MAX_CONNECTIONS'
    )
  })
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setInterval(check, clientCheckMs).unref()
    // Before, an error means that the server does not listen, and its caller gets the error.
    app.server.on('error', app.openFailed)
  })
  app.addHook('onClose', async () => { clearInterval(timer) })
  app.decorate('connections', connections)
  app.decorate('closeSlow', closeSlow)
}

/** Returns the bytes written to a connection that the operating system has not accepted yet. */
function unsentBytes (socket: Socket): number {
  // `writableLength` alone does not change while one large buffer is being sent.
  const { _handle: handle, writableLength } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return writableLength + (handle?.writeQueueSize ?? 0)
}

/** Returns the bytes of all answers on a connection that the operating system has accepted. */
function acceptedBytes (socket: Socket): number {
  // The public count includes bytes that are not sent yet.
  const { _handle: handle, _bytesDispatched: dispatched } = socket as Socket & {
    _handle?: { writeQueueSize?: number } | null,
    _bytesDispatched?: number
  }
  return dispatched === undefined ? socket.bytesWritten - socket.writableLength
    : dispatched - (handle?.writeQueueSize ?? 0)
}

export const connections = fp(plugin, { name: 'connections', dependencies: ['headers', 'log'] })

/** Returns the Fastify options that limit connections. Times are in milliseconds, sizes in bytes. */
export function socketLimits ({ settings, tuning }: Pick<Runtime, 'settings' | 'tuning'>) {
  const { clientRequestTimeoutMs, clientHeadersTimeoutMs, clientKeepAliveMs, clientCheckMs } = {
    ...connectionLimits,
    ...tuning
  }
  return {
    trustProxy: settings.trustProxy.length > 0 && settings.trustProxy,
    requestTimeout: clientRequestTimeoutMs,
    keepAliveTimeout: clientKeepAliveMs,
    http: {
      requestTimeout: clientRequestTimeoutMs,
      headersTimeout: clientHeadersTimeoutMs,
      connectionsCheckingInterval: clientCheckMs,
      maxHeaderSize,
      requireHostHeader: false
    }
  }
}
