/** An upstream whose answers grow, in a process of its own, so that its work is not that of a relay in the test's. */
import { demo } from '../faults/matrix.ts'
import { startFaultServer } from '../faults/server.ts'
import { growing, type Growth } from './growth.ts'

let growth: Growth = { rows: 1, text: 0, at: 0 }
/** Bytes of all answers, and of the largest. */
export interface Sent { readonly sent: number, readonly largest: number }

let [sent, largest] = [0, 0]
const server = await startFaultServer(demo)
server.fail(async (exchange) => {
  await growing(exchange, growth, (bytes) => { [sent, largest] = [sent + bytes, Math.max(largest, bytes)] })
})
/** A growth begins a new count; anything else asks for it. */
process.on('message', (word: Growth | 'sent') => {
  if (word !== 'sent') [growth, sent, largest] = [word, 0, 0]
  process.send?.({ sent, largest } satisfies Sent)
})
process.once('disconnect', () => { void server.close() })
process.send?.({ origin: server.origin })
