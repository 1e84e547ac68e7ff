/**
 * For connector.test.ts: asks an HTTPS server of each version of TLS twice, each time over a new pool with the same
 * connector, and prints for each connection whether its TLS session was resumed. Arguments: key, certificate.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Agent, request } from 'undici'
import { createConnector } from '../../src/upstream/http/connector.ts'

const [key = '', cert = ''] = process.argv.slice(2)
for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
  const resumed: boolean[] = []
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert), maxVersion }, (_request, response) => { response.end('{}') }
  )
  server.on('secureConnection', (socket: TLSSocket) => { resumed.push(socket.isSessionReused()) })
  await new Promise<void>((resolve) => { server.listen(0, 'localhost', resolve) })
  const connector = createConnector(60_000)
  for (let pool = 0; pool < 2; pool++) {
    const dispatcher = new Agent({ connect: connector.connect })
    await (await request(`https://localhost:${(server.address() as AddressInfo).port}/`, { dispatcher })).body.dump()
    await dispatcher.close()
  }
  console.log(maxVersion, ...resumed)
  connector.close()
  server.close()
}
