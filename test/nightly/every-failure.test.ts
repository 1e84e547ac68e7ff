/**
 * Every failure of the upstream (test/faults/rows.ts) at every probed endpoint, and as the failure of its first call
 * alone.
 */
import t from 'tap'
import { further, rowsOf, shapes } from '../faults/probes.ts'
import { canaryFor, wrongWith, wrongWithFirst, wrongWithoutData } from '../faults/matrix.ts'

for (const probe of [...shapes, ...further]) {
  t.test(`${probe.name}: every failure, of all its calls and of the first one`, async (t) => {
    const canary = await canaryFor(t)
    const rows = rowsOf(probe, canary.origin)
    t.same(await wrongWith(probe, rows), [])
    if (probe.links.length > 1) t.same(await wrongWithFirst(probe, rows.filter(({ blame }) => blame !== 'none')), [])
    if (!probe.path.startsWith('/resolve')) t.same(await wrongWithoutData(probe), [])
    t.equal(canary.asked(), 0, 'no other host is asked')
  })
}
