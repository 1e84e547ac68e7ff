/**
 * Every failure of the upstream (test/faults/rows.ts) at an endpoint with one call, and a fifth of them, with those
 * that are about a login, at one endpoint for each other shape of a chain of calls. nightly/every-failure.test.ts tries
 * them all.
 */
import t from 'tap'
import { rowsOf, shapes } from '../faults/probes.ts'
import { canaryFor, isHeavy, isSlow, wrongWith, wrongWithFirst, wrongWithoutData } from '../faults/matrix.ts'
import type { Row } from '../faults/rows.ts'

const nobody = 'http://127.0.0.1:9'
const some = (at: number) =>
  ({ refusesLogin }: Row, place: number): boolean => at === 0 || refusesLogin === true || (place + at) % 5 === 0
const named = (...names: string[]) => ({ name }: Row): boolean => names.includes(name)

const isHeavyKind = named('100 MB in chunks', '5 MB unpacked', '256 MB unpacked twice', 'a deep list', 'a deep object in a good answer')

for (const [at, probe] of shapes.entries()) {
  t.test(`${probe.name}: every failure has its status, its code, its attempts and its word in the log`, async (t) => {
    const canary = await canaryFor(t)
    const rows = rowsOf(probe, canary.origin)
      .filter((row) => !isSlow(row) && (!isHeavy(row) || (at === 0 && isHeavyKind(row)))).filter(some(at))
    t.same(await wrongWith(probe, rows), [])
    t.equal(canary.asked(), 0, 'no other host is asked')
    t.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
}

t.test('an upstream that does not answer in time is a timeout, whatever it has sent', async (t) => {
  const isOne = named('no answer', 'half a body, then nothing', 'a body in drips')
  const wrong = await Promise.all(shapes.map(async (probe, at) => {
    const rows = rowsOf(probe, nobody).filter((row) => isSlow(row) && (at === 0 || isOne(row)))
    return await wrongWith(probe, rows)
  }))
  t.same(wrong.flat(), [])
})

t.test('where one call fails, the next one for the same thing is asked, except after a wait', async (t) => {
  const isOne = named(
    'no answer', 'a reset before the answer', 'an end in the body', 'garbage', 'HTML', 'nothing', 'invalid UTF-8, declared', 'cut gzip', '5 MB unpacked',
    'HTTP 401', 'HTTP 403', 'HTTP 404', 'HTTP 500', 'HTTP 504', 'HTTP 429, retry after some time', 'HTTP 503, retry after 1', 'a redirect to nowhere',
    'business code 10000', 'business code 2001', 'business code of "not logged in"'
  )
  const chains = shapes.filter(({ links }) => links.length > 1)
  const wrong =
    await Promise.all(chains.map(async (probe) => await wrongWithFirst(probe, rowsOf(probe, nobody).filter(isOne))))
  t.same(wrong.flat(), [])
})

t.test('an answer without the data is missed with 502, or has empty lists where nothing is needed', async (t) => {
  for (const probe of shapes.filter(({ rows }) => rows !== shapes.at(-1)?.rows)) {
    t.same(await wrongWithoutData(probe), [])
  }
})
