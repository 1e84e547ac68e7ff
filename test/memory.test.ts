/**
 * Memory: a minute of the search for what makes it grow most (`npm run memory -- --minutes 60` by hand). The bounds that it
 * tries are listed in docs/running-in-public.md.
 */
import t from 'tap'
import { bar, search } from './memory/search.ts'

const skip = process.env['COMMAND'] === undefined ? false : 'a minute of it with the command from its sources is enough'

t.test('no attack of clients or of the upstream takes three quarters of a container of 512 MB', { skip, timeout: 300_000 }, async (t) => {
  const { alive, attacks, peakMb, worst } = await search({ seconds: 60, seed: 1 })
  t.ok(alive, `the process lives and answers after ${attacks} attacks`)
  t.ok(attacks >= 5, 'there was time for attacks')
  t.ok(peakMb > 50 && peakMb < bar, `at most ${peakMb.toFixed(0)} MB; the worst: ${JSON.stringify(worst[0])}`)
})
