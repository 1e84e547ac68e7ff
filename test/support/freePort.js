/** A port of this machine where nobody listens. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a free port. Not one of those that the system gives to connections: before the program that it is meant for
 * listens there, a connection of another test could have it.
 */
export async function freePort () {
  for (;;) {
    const port = 10_000 + randomInt(20_000)
    const server = createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => { resolve(false) }).listen(port, () => { resolve(true) })
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
