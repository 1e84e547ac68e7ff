/** Causality instead of silence: what a test would otherwise sleep for. */
import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'

/**
 * Resolves once the event loop has handled what was under way between sockets of this process: a new connection, a byte
 * and an answer have made their way there and back `trips` times, behind all that was sent before.
 */
export async function settled (trips = 3): Promise<void> {
  const server = createServer((socket) => { socket.on('error', () => {}).pipe(socket) }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  for (let trip = 0; trip < trips; trip++) {
    socket.write('x')
    await once(socket, 'data')
    await new Promise((resolve) => { setImmediate(resolve) })
  }
  socket.destroy()
  server.close()
}
