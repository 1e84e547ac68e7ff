/**
 * Memory: a short search for what makes it grow most (`npm run memory -- --minutes 60` by hand). The bounds that it tries are
 * listed in docs/running-in-public.md.
 */
import t from 'tap'
import { bar, search } from '../memory/search.ts'
import { whole } from '../support/whole.ts'

/** The first ten are random, the others mostly children of the worst ones. `MEMORY_ATTACKS=200` is the long run. */
const attacks = Number(process.env['MEMORY_ATTACKS'] ?? (whole ? 18 : 3))
const skip = process.env['COMMAND'] === undefined && process.env['ONLY'] === undefined ? false : 'once in the whole suite, with the command from its sources, is enough'

t.test('no attack of clients or of the upstream takes three quarters of a container of 512 MB', { skip, timeout: 300_000 + attacks * 10_000 }, async (t) => {
  const { alive, attacks: tried, peakMb, worst } = await search({ attacks, seed: 1 })
  t.ok(alive, `the process lives and answers after ${tried} attacks`)
  t.equal(tried, attacks)
  t.ok(peakMb > 50 && peakMb < bar, `at most ${peakMb.toFixed(0)} MB; the worst: ${JSON.stringify(worst[0])}`)
})
