/** Clients that misbehave on the socket. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Opens `count` connections. Each sends `begin`, then `more` every second. `gone`: seconds until all are closed; Infinity, if one is still open after `seconds`. */
export async function crowd (
  origin: string, count: number, begin: string, more = ''
): Promise<{ gone (seconds: number): Promise<number> }> {
  const { hostname, port } = new URL(origin)
  const started = performance.now()
  const sockets = new Set<Socket>()
  await Promise.all(Array.from({ length: count }, async () => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => { sockets.delete(socket) })
    socket.resume() // without reading, the end of the connection is not noticed
    await new Promise<void>((resolve) => { socket.once('connect', resolve).once('close', resolve) })
    if (begin !== '') socket.write(begin)
  }))
  const timer =
    setInterval(() => { for (const socket of sockets) if (socket.writable && more !== '') socket.write(more) }, 1000)
  return {
    async gone (seconds) {
      const end = started + seconds * 1000
      while (sockets.size > 0 && performance.now() < end) await sleep(100)
      clearInterval(timer)
      const took = sockets.size === 0 ? (performance.now() - started) / 1000 : Infinity
      for (const socket of sockets) socket.destroy()
      return took
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
