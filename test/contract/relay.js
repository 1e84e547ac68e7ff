/**
 * Demo upstream and two relays on free ports, the second one with an access token, out of the sources; says where as
 * one line of JSON, ends with its parent. Run it with tsx.
 */
import { buildApp } from '../../src/app.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'

const demo = await startDemoUpstream()
const listen = async (options) =>
  // Compilers run beside it: a busy machine is no overload here.
  await (await buildApp({
    logLevel: 'silent', docs: false, shedDelayMs: 0, upstreamOrigin: demo.origin, imageOrigin: demo.origin, ...options
  }))
    .listen({ host: '127.0.0.1', port: 0 })
const token = 'token-of-this-run'
const [address, guarded] = [await listen({}), await listen({ accessToken: token })]
process.stdout.write(`${JSON.stringify({ address, guarded, token, cookie: demo.accounts.find(({ name }) => name === 'member').cookie })}\n`)
process.stdin.on('end', () => process.exit()).resume()
