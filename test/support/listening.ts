/** Servers of tests: they listen on a port of their own until the test ends. */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Returns the origin of the server. Its connections may break in any way, and end with the test. */
export async function listening (t: { teardown (end: () => void): void }, server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => { sockets.delete(socket) }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
