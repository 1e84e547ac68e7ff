/**
 * What the relay makes of the upstream's answers, at every route: never more than its budget, and never much in one
 * turn of the event loop, whatever the answers hold.
 */
import t from 'tap'
import { demo } from '../faults/matrix.ts'
import { startFaultServer, type Fault } from '../faults/server.ts'
import { growing, questions, relayOver, turnsOf, type Growth } from '../support/growth.ts'
import { sampleOf, whole } from '../support/whole.ts'

t.test('bytes out are at most a hundred times the bytes in, and a turn of the loop holds a bounded part of the work', { timeout: whole ? 1_200_000 : 120_000 }, async (t) => {
  const server = await startFaultServer(demo)
  t.teardown(server.close)
  let growth: Growth = { rows: 1, text: 0, at: 0 }
  let sent = 0
  const fault: Fault = async (exchange) => { await growing(exchange, growth, (bytes) => { sent += bytes }) }
  server.fail(fault)
  const app = await relayOver(t, server.origin)
  const { madeBytes, madeFactor, largestAnswerBytes } = app.runtime.answers.limits
  const growths: readonly Growth[] =
    [{ rows: 1000, text: 0, at: 0 }, ...[0, 1, 2, 5].map((at) => ({ rows: 300, text: 60_000, at }))]
  let grown = 0
  for (const [turn, each] of growths.entries()) {
    growth = each
    for (const question of sampleOf(questions, 71, turn * 14)) {
      // Asked again, the answer may come from what is kept: of the largest lists.
      for (const again of whole || turn === 0 ? [false, true] : [false]) {
        sent = 0
        const { most, value: { rawPayload, statusCode } } = await turnsOf(async () => await app.inject(question))
        const title = `${question.method} ${question.url} ${JSON.stringify(each)}`
        if (!again) {
          if (rawPayload.length > 50_000) grown++
          t.ok(
            rawPayload.length <= Math.min(largestAnswerBytes, madeBytes + madeFactor * sent),
            `${title}: ${rawPayload.length} of ${sent}`
          )
        }
        t.ok(statusCode < 500 || statusCode > 501, `${title}: ${statusCode}`)
        // Several answers of the upstream may arrive in one turn: nobody chooses when.
        t.ok(most < 4_000_000 + sent, `${title}: ${most} characters in one turn`)
      }
    }
  }
  t.ok(grown > 3, `${grown} answers have grown`)
})
