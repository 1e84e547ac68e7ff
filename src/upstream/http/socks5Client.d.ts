/** The part of the HTTP client's SOCKS5 that src/upstream/http/tunnel.ts uses. The package has no types for it. */
declare module 'undici/lib/core/socks5-client.js' {
  import type { EventEmitter } from 'node:events'
  import type { Socket } from 'node:net'

  /** Emits `authenticated`, `connected`, `error` (with a code) and `close`. */
  export class Socks5Client extends EventEmitter {
    constructor (socket: Socket, credentials: { readonly username?: string | undefined, readonly password?: string | undefined })
    /** Starts the handshake. Call it once the socket is connected. */
    handshake (): void
    /** Requests a connection to an address, or to a name, which the proxy resolves. */
    connect (hostname: string, port: number): void
  }
}
