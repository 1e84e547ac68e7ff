/** Proxies for tests: CONNECT of HTTP, plain or over TLS, and SOCKS5. They are peers of the relay, and share no code with it. */
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The test that uses a proxy, or whatever ends it. */
interface Owner { teardown (end: () => Promise<void>): void }

export interface TestProxy {
  readonly address: string
  readonly port: number
  /** What it was asked to connect to, `host:port`, in order. */
  readonly asked: string[]
  /** Connections to it so far. */
  readonly accepted: () => number
  /** Open tunnels. */
  readonly open: () => number
  /** Breaks all its connections. */
  drop (): void
  close (): Promise<void>
}

export interface ProxyOptions {
  /** `user:password` that it demands. */
  readonly credentials?: string | undefined
  /** What it answers instead of connecting: an HTTP status, or a reply of SOCKS. */
  readonly refuses?: number
  /** Bytes that it sends instead of an answer; none hang. */
  readonly instead?: string | Buffer | 'nothing' | 'end'
  /** Where it connects to, whatever it is asked for. */
  readonly leadsTo?: { readonly host: string, readonly port: number }
  /** Key and certificate: it is spoken to over TLS. */
  readonly tls?: { readonly key: Buffer, readonly cert: Buffer }
}

interface Tunnels { readonly asked: string[], readonly sockets: Set<Duplex>, open: number }

function join (tunnels: Tunnels, client: Duplex, upstream: Socket): void {
  tunnels.open++
  for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
    from.on('error', () => { to.destroy() })
    from.on('close', () => { to.destroy() })
    from.pipe(to)
  }
  upstream.once('close', () => { tunnels.open-- })
}

async function listening (t: Owner, server: Server, scheme: string, tunnels: Tunnels): Promise<TestProxy> {
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    tunnels.sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => { tunnels.sockets.delete(socket) })
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as AddressInfo
  const drop = (): void => { for (const socket of tunnels.sockets) socket.destroy() }
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => { server.close(resolve) })
    drop()
    await closed
  }
  t.teardown(close)
  // The name that the certificate of the tests has.
  return {
    address: `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${port}`, port, asked: tunnels.asked,
    accepted: () => accepted, open: () => tunnels.open, drop, close
  }
}

/** A proxy that opens tunnels for CONNECT. */
export async function connectProxy (
  t: Owner, { credentials, refuses, instead, leadsTo, tls }: ProxyOptions = {}
): Promise<TestProxy> {
  const tunnels: Tunnels = { asked: [], sockets: new Set(), open: 0 }
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on('request', (_request, response) => { response.writeHead(400).end('only tunnels') })
  server.on('connect', (request, client, head) => {
    client.on('error', () => {})
    tunnels.asked.push(request.url ?? '')
    if (instead === 'nothing') return
    if (instead !== undefined) return void client.end(instead === 'end' ? '' : instead)
    const given = /^Basic (.+)$/.exec(request.headers['proxy-authorization'] ?? '')?.[1]
    if (credentials !== undefined && Buffer.from(given ?? '', 'base64').toString() !== credentials) {
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n')
    }
    if (refuses !== undefined) return void client.end(`HTTP/1.1 ${refuses} No\r\nContent-Length: 2\r\n\r\nno`)
    const [, host = '', port] = /^\[?([^\]]+)\]?:(\d+)$/.exec(request.url ?? '') ?? []
    const upstream = connect(leadsTo ?? { host, port: Number(port) })
    upstream.once('error', () => { client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n') })
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      join(tunnels, client, upstream)
    })
  })
  return await listening(t, server, tls === undefined ? 'http' : 'https', tunnels)
}

/** A SOCKS5 proxy (RFC 1928, RFC 1929). It sends each answer in two pieces. */
export async function socksProxy (
  t: Owner, { credentials, refuses = 0, instead, leadsTo }: ProxyOptions = {}
): Promise<TestProxy> {
  const tunnels: Tunnels = { asked: [], sockets: new Set(), open: 0 }
  const server = createTcpServer((client) => { void serve(client) })

  async function serve (client: Socket): Promise<void> {
    client.setNoDelay(true)
    /** The next bytes, exactly as many. */
    const take = async (count: number): Promise<Buffer> => {
      for (;;) {
        const bytes = client.read(count) as Buffer | null
        if (bytes !== null) return bytes
        if (client.destroyed || client.readableEnded) throw new Error('gone')
        await new Promise<void>((resolve) => { client.once('readable', resolve).once('close', resolve) })
      }
    }
    const say = (...bytes: number[]): void => {
      client.write(Buffer.from(bytes.slice(0, 1)))
      setImmediate(() => { client.write(Buffer.from(bytes.slice(1))) })
    }
    try {
      const [version, count = 0] = await take(2)
      if (version !== 5) return void client.destroy()
      const methods = [...await take(count)]
      if (instead === 'nothing') return
      if (instead !== undefined) return void client.end(instead === 'end' ? '' : instead)
      const method = credentials === undefined ? 0 : 2
      if (!methods.includes(method)) return say(5, 0xff)
      say(5, method)
      if (method === 2) {
        const text = async (): Promise<string> => (await take((await take(1))[0] ?? 0)).toString()
        await take(1)
        const given = `${await text()}:${await text()}`
        say(1, given === credentials ? 0 : 1)
        if (given !== credentials) return
      }
      const [, , , type] = await take(4)
      const host = type === 1 ? [...await take(4)].join('.')
        : type === 3 ? (await take((await take(1))[0] ?? 0)).toString() : (await take(16)).toString('hex')
      const port = (await take(2)).readUInt16BE(0)
      tunnels.asked.push(`${host}:${port}`)
      if (refuses !== 0) return say(5, refuses, 0, 1, 0, 0, 0, 0, 0, 0)
      const upstream = connect(leadsTo ?? { host, port })
      upstream.once('error', () => { say(5, 5, 0, 1, 0, 0, 0, 0, 0, 0) })
      upstream.once('connect', () => {
        say(5, 0, 0, 1, 127, 0, 0, 1, 0, 80)
        join(tunnels, client, upstream)
      })
    } catch {
      client.destroy()
    }
  }
  return await listening(t, server, 'socks5', tunnels)
}
