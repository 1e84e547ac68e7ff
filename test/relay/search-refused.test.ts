/** Searches that the upstream refuses. */
import t from 'tap'
import { testClock } from '../support/clock.ts'
import { demoFor, serverFor, until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { lite, signed } from '../support/wires.ts'

t.test('after a search that was too fast the program rests, and the others have a turn in four seconds until a minute has passed', async (t) => {
  for (const fault of [{ code: 2001 }]) {
    const clock = testClock()
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { ...clock.options, deadlineMs: 60_000, tuning: { searchIntervalMs: 1000, searchSlowIntervalMs: 4000, fallbackFailures: 1000 } })
    const asked = (): number[] => [lite, signed].map((call) => demo.calls(call).length)
    const search = async (limit: number): Promise<number> => await server.get(`/search?type=lyric&key=the&limit=${limit}`).then(({ status, body }) => status === 200 ? body.data.lyrics.length : status)
    demo.next(lite, fault)
    const first = search(3)
    await until(() => asked()[0] === 1)
    await settled()
    await clock.advance(3999)
    await settled()
    t.same(asked(), [1, 0], 'nobody is asked at once')
    await clock.advance(1)
    t.equal(await first, 3)
    t.same(asked(), [1, 1])
    await clock.advance(55_000)
    t.equal(await search(4), 4)
    const next = search(5)
    await settled()
    t.equal(await search(6), 503, 'one waits at most')
    await clock.advance(4000)
    t.equal(await next, 5)
    t.same(asked(), [1, 3], 'the program rests')
    await clock.advance(4000)
    t.equal(await search(7), 7)
    const soon = search(8)
    await settled()
    await clock.advance(1000)
    t.equal(await soon, 8, 'the usual pace again')
    t.same(asked(), [3, 3])
  }
})
