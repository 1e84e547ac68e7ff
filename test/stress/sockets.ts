/** Clients that misbehave on the socket. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Crowd {
  open (): number
  /** Seconds until all connections are closed. Infinity if one is still open after `seconds`. */
  gone (seconds: number): Promise<number>
  end (): void
}

/** Opens `count` connections. Each calls `begin`, then `more` every second. */
export async function crowd (origin: string, count: number, begin: (socket: Socket) => void, more: (socket: Socket) => void = () => {}): Promise<Crowd> {
  const { hostname, port } = new URL(origin)
  const started = performance.now()
  const sockets = new Set<Socket>()
  await Promise.all(Array.from({ length: count }, async () => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => { sockets.delete(socket) })
    socket.resume() // without reading, the end of the connection is not noticed
    await new Promise<void>((resolve) => { socket.once('connect', resolve).once('close', resolve) })
    begin(socket)
  }))
  const timer = setInterval(() => { for (const socket of sockets) if (socket.writable) more(socket) }, 1000)
  return {
    open: () => sockets.size,
    async gone (seconds) {
      const end = started + seconds * 1000
      while (sockets.size > 0 && performance.now() < end) await sleep(100)
      clearInterval(timer)
      return sockets.size === 0 ? (performance.now() - started) / 1000 : Infinity
    },
    end () {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Sends all requests at once on one connection. Returns the bodies in the order of arrival. */
export async function pipelined (origin: string, paths: readonly string[]): Promise<string[]> {
  const { hostname, port, host } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port) })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', () => {})
  const last = paths.length - 1
  socket.write(paths.map((path, at) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${at === last ? 'close' : 'keep-alive'}\r\n\r\n`).join(''))
  await new Promise<void>((resolve) => { socket.once('close', resolve) })
  return text.split('HTTP/1.1 ').slice(1)
}
