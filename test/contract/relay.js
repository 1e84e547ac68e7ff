/** Demo upstream and relay on free ports, out of the sources; says where as one line of JSON, ends with its parent. Run it with tsx. */
import { buildApp } from '../../src/app.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'

const demo = await startDemoUpstream()
const app = await buildApp({ logLevel: 'silent', docs: false, upstreamOrigin: demo.origin, imageOrigin: demo.origin })
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ address, cookie: demo.accounts.find(({ name }) => name === 'member').cookie })}\n`)
process.stdin.on('end', () => process.exit()).resume()
