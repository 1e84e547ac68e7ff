/**
 * Opens connections through proxies: HTTP CONNECT and SOCKS5. Loaded on first use. The proxy resolves the names, so a
 * network with false DNS answers does no harm.
 */
import { request as overPlain } from 'node:http'
import { request as overTls } from 'node:https'
import { connect, isIPv6, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { ProxyFailure, type EgressProxy, type ProxyTrouble } from './egress.ts'

/** The target of a tunnel. IPv6 without brackets. */
export interface Target { readonly hostname: string, readonly port: number }

/** The same value that undici uses for its own connections, in milliseconds. */
const keepAliveAfter = 60_000

/**
 * Opens a connection through the proxy to the target, without TLS of the target. `timeout`: for the whole process, in
 * milliseconds. Throws ProxyFailure.
 */
export async function openTunnel (proxy: EgressProxy, target: Target, timeout: number): Promise<Socket> {
  const socket = await (proxy.scheme.startsWith('socks') ? throughSocks : throughConnect)(proxy, target, timeout)
  // Until the request takes the socket, no other listener handles its errors.
  return socket.on('error', () => {}).setNoDelay(true).setKeepAlive(true, keepAliveAfter)
}

async function throughConnect (proxy: EgressProxy, { hostname, port }: Target, timeout: number): Promise<Socket> {
  const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
  const credentials = proxy.credentials()
  const headers = {
    'host': authority,
    'connection': 'keep-alive',
    'proxy-connection': 'keep-alive',
    ...credentials === undefined ? {}
      : {
        'proxy-authorization': `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
      }
  }
  return await new Promise((resolve, reject) => {
    let connected = false
    // Use a separate agent: the global one may follow the variables of other programs.
    const request = (proxy.scheme === 'https' ? overTls : overPlain)({
      host: proxy.hostname,
      port: proxy.port,
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false
    })
    const timer = setTimeout(() => {
      fail(new ProxyFailure('timeout'))
    }, timeout)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      request.destroy()
      reject(error)
    }
    request.once('socket', (socket) => {
      socket.once(proxy.scheme === 'https' ? 'secureConnect' : 'connect', () => {
        connected = true
      })
    })
    request.on('error', (error: NodeJS.ErrnoException) => { fail(new ProxyFailure(troubleOf(error, connected))) })
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      clearTimeout(timer)
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
        return
      }
      socket.on('error', () => {}).destroy()
      reject(new ProxyFailure(statusCode === 407 ? 'login' : 'refused', `HTTP ${statusCode}`))
    })
    request.end()
  })
}

async function throughSocks (proxy: EgressProxy, { hostname, port }: Target, timeout: number): Promise<Socket> {
  const { user: userId, password } = proxy.credentials() ?? {}
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: proxy.hostname, port: proxy.port })
    const fail = (error: ProxyFailure): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => { fail(new ProxyFailure('timeout')) }, timeout)
    let failure: NodeJS.ErrnoException | undefined
    socket.once('error', (error: NodeJS.ErrnoException) => {
      failure = error
      fail(new ProxyFailure(troubleOf(error, false)))
    })
    socket.once('connect', () => {
      const client = new SocksClient({
        command: 'connect',
        proxy: {
          host: proxy.hostname,
          port: proxy.port,
          type: 5,
          ...userId === undefined ? {} : { userId, password: password ?? '' }
        },
        destination: { host: hostname, port },
        timeout
      })
      client.on('error', ({ message }) => {
        fail(failure === undefined ? socksFailure(message) : new ProxyFailure('closed'))
      })
      client.once('established', () => {
        clearTimeout(timer)
        // The package lets the socket flow in the next turn. What comes before its reader is put back.
        const early: Buffer[] = []
        const keep = (bytes: Buffer): void => { early.push(bytes) }
        socket.on('data', keep)
        setImmediate(() => {
          socket.off('data', keep).pause()
          for (const bytes of early.reverse()) socket.unshift(bytes)
          // It must still notice its end.
          socket.read(0)
          resolve(socket)
        })
      })
      client.connect(socket)
    })
  })
}

/** Returns the cause for an error code of the system or Node. */
function troubleOf ({ code = '' }: NodeJS.ErrnoException, connected: boolean): ProxyTrouble {
  if (code.startsWith('HPE_')) return 'protocol'
  if (connected) return 'closed'
  if (/^(EPROTO|ERR_SSL)/.test(code)) return 'protocol'
  return isCertificateError(code) ? 'certificate' : 'connect'
}

/** Whether a Node error code means that a certificate is not valid. */
export function isCertificateError (code: string): boolean {
  return /CERT|SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA/.test(code)
}

/** The replies of a proxy that does not connect, by their numbers (RFC 1928), in the words of the package. */
const replies = [
  'Granted', 'Failure', 'NotAllowed', 'NetworkUnreachable', 'HostUnreachable', 'ConnectionRefused', 'TTLExpired', 'CommandNotSupported',
  'AddressNotSupported'
]

/** Returns the failure for a message of the package, which has no codes. */
function socksFailure (message: string): ProxyFailure {
  const [, reply = ''] = /rejected connection - (\w+)/.exec(message) ?? []
  if (reply !== '') return new ProxyFailure('refused', `SOCKS ${replies.includes(reply) ? replies.indexOf(reply) : reply}`)
  if (/Authentication failed|no accepted authentication type/.test(message)) return new ProxyFailure('login')
  if (/timed out/.test(message)) return new ProxyFailure('timeout')
  return new ProxyFailure(/Socket closed/.test(message) ? 'closed' : 'protocol')
}
