/** The demo upstream on a free port, out of the sources; says where as one line of JSON, ends with its parent. Run it with tsx. */
import { startDemoUpstream } from '../../src/demo/upstream.ts'

const demo = await startDemoUpstream()
process.stdout.write(`${JSON.stringify({ origin: demo.origin, cookie: demo.accounts.find(({ name }) => name === 'ordinary').cookie })}\n`)
process.stdin.on('end', () => process.exit()).resume()
