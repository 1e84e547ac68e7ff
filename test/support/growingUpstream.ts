/** An upstream whose answers grow, in a process of its own, so that its work is not that of a relay in the test's. */
import { demo } from '../faults/matrix.ts'
import { startFaultServer } from '../faults/server.ts'
import { growing, type Growth } from './growth.ts'

let growth: Growth = { rows: 1, text: 0, at: 0 }
let sent = 0
const server = await startFaultServer(demo)
server.fail(async (exchange) => { await growing(exchange, growth, (bytes) => { sent += bytes }) })
/** A growth begins a new count; anything else asks for it. */
process.on('message', (word: Growth | 'sent') => {
  if (word !== 'sent') [growth, sent] = [word, 0]
  process.send?.({ sent })
})
process.once('disconnect', () => { void server.close() })
process.send?.({ origin: server.origin })
