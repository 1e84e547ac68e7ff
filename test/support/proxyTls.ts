/**
 * For proxy.test.ts: asks an HTTPS server through proxies, and prints how each attempt ended as JSON. Arguments: key
 * and certificate that this process trusts (NODE_EXTRA_CA_CERTS), key and certificate of a stranger.
 */
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createAbort } from '../../src/common/abort.ts'
import { UpstreamError } from '../../src/common/errors.ts'
import { egressOf } from '../../src/upstream/http/egress.ts'
import { createTransport } from '../../src/upstream/http/transport.ts'
import { connectProxy, socksProxy } from './proxies.ts'

const [key, cert, otherKey, otherCert] = process.argv.slice(2)
  .map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer, Buffer]
const ends: (() => unknown)[] = []
const owner = { teardown: (end: () => Promise<void>) => { ends.push(end) } }
const resumed: boolean[] = []
const portOf = async (server: Server): Promise<number> => {
  ends.push(() => server.close())
  await new Promise<void>((resolve) => { server.listen(0, 'localhost', resolve) })
  return (server.address() as AddressInfo).port
}
const upstream = createServer({ key, cert }, (_request, response) => { response.end('{}') })
  .on('secureConnection', (socket: TLSSocket) => { resumed.push(socket.isSessionReused()) })
const port = await portOf(upstream)
const stranger = { host: 'localhost', port: await portOf(
  createServer({ key: otherKey, cert: otherCert }, (_request, response) => { response.end('{"stolen":true}') })
) }
const plain =
  { host: 'localhost', port: await portOf(createPlainServer((_request, response) => { response.end('{}') })) }

/** How a request ends, and one more after its connection was replaced. */
async function through (proxy: string, times = 1): Promise<string[]> {
  let clock = 0
  const upstreamOrigin = `https://localhost:${port}`
  const transport = createTransport({
    upstreamOrigin, egress: egressOf([proxy], upstreamOrigin), connectTimeoutMs: 5000, headersTimeoutMs: 5000,
    bodyTimeoutMs: 5000, maxAnswerBytes: 1000, upstreamConnections: 1, now: () => clock
  })
  const outcomes: string[] = []
  for (let time = 0; time < times; time++) {
    outcomes.push(await transport.request(
      { host: 'musicu', method: 'POST', path: '/', headers: {}, body: '{}' }, 'test', createAbort().signal, () => true
    ).then(
      () => 'ok',
      (error: unknown) => error instanceof UpstreamError ? `${error.outcome}: ${error.message}` : String(error)))
    clock += 60_000
  }
  await transport.close()
  return outcomes
}

const trusted = await connectProxy(owner, { tls: { key, cert } })
console.log(JSON.stringify({
  connect: await through((await connectProxy(owner)).address, 2),
  tls: await through(trusted.address),
  socks: await through((await socksProxy(owner)).address),
  resumed: [...resumed],
  asked: trusted.asked.every((target) => target === `localhost:${port}`),
  stranger: await through((await connectProxy(owner, { leadsTo: stranger })).address),
  strangerBySocks: await through((await socksProxy(owner, { leadsTo: stranger })).address),
  noTls: await through((await connectProxy(owner, { leadsTo: plain })).address),
  strangeProxy: await through((await connectProxy(owner, { tls: { key: otherKey, cert: otherCert } })).address),
  plainProxy: await through((await connectProxy(owner)).address.replace('http://127.0.0.1', 'https://localhost'))
}))
for (const end of ends) await end()
