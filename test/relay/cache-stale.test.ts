/** Stale entries: which upstream failures (test/faults/rows.ts) they cover, and which they never hide. */
import t from 'tap'
import { rowsOf, shapes } from '../faults/probes.ts'
import { groundFor, isHeavy } from '../faults/matrix.ts'
import { shapeless, type Row } from '../faults/rows.ts'
import { ask, cached, detail, hour, songUrl } from '../support/cacheHelper.ts'
import { testClock } from '../support/clock.ts'
import { until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { sampleOf, whole } from '../support/whole.ts'

const chart = shapes.find(({ name }) => name.includes('getRanks')) as typeof shapes[number]
/** Answers that only look odd replace an entry. Of what is large or deep, one of each will do. */
const rows: readonly Row[] = [
  ...rowsOf(chart, 'http://127.0.0.1:9')
    .filter((row) => whole || !isHeavy(row) || ['5 MB unpacked', 'a deep list'].includes(row.name)),
  ...shapeless.map(([name, fault]): Row => ({ name, fault, status: 502, outcome: /./, blame: 'call' }))
]
/** What the upstream says about the request itself, such as a business code, is passed on. */
const isSaid = ({ says, refusesLogin }: Row): boolean => says !== undefined || refusesLogin === true
const always = ['HTTP 401', 'business code 10000', 'business code of "not logged in"', 'GBK, declared', 'HTTP 429, retry after 7', 'HTTP 500', 'no answer']

t.test('past its time, a stale entry covers every way in which the upstream can fail, and nothing that it says', async (t) => {
  const wrong: string[] = []
  const cases = sampleOf(rows, 3)
  const settings = [...new Set(rows.map((row) => row.settings))]
  await Promise.all(settings.map(async (own) => {
    const { ask, server, clock, close } = await groundFor({ cache: true, ...own })
    const asked = async (): Promise<{ state: string, text: string, retryAfter: string | null }> => {
      const { status, headers, text } = await ask(chart)
      return { state: `${status} ${headers.get('x-cache')} ${headers.get('age') ?? '-'}`, text, retryAfter: headers.get('retry-after') }
    }
    for (const row of rows.filter(
      (each) => each.settings === own && (cases.includes(each) || always.includes(each.name))
    )) {
      server.heal()
      clock.now += 48 * hour
      let known = await asked()
      let seen: typeof known
      // On a busy machine, a short deadline passes before the upstream is asked, or has answered.
      while (!known.state.startsWith('200')) known = await asked()
      clock.now += hour
      server.heal()
      server.fail(row.fault, row.times === undefined ? {} : { times: row.times })
      do seen = await asked()
      while (server.received.length === 0)
      const expected = row.blame === 'none' ? '200 MISS -' : isSaid(row) ? '502 null -' : '200 STALE 3600'
      if (seen.state !== expected || (seen.text === known.text) === isSaid(row) || seen.retryAfter !== null) {
        wrong.push(`${row.name}: ${seen.state}, not ${expected}: ${seen.text.slice(0, 100)}`)
      }
      clock.now += 24 * hour
      const { state } = await asked()
      if (row.blame !== 'none' && !/^50[234] /.test(state)) wrong.push(`${row.name}: an entry that is too old covers nothing: ${state}`)
    }
    await server.close()
    clock.now += 48 * hour
    if (!(await asked()).state.startsWith('502')) wrong.push('nobody there, and nothing kept')
    await close()
  }))
  t.same(wrong, [])
})

const timers = testClock()
cached('who is too slow is not waited for: the old copy goes out, and the new one is kept when it comes', {
  timers: timers.options.timers
}, async ({ t, demo, clock, server }) => {
  let release = (): void => {}
  /** Asks when the entry is old and the upstream answers upon `release`. */
  const askSlowly = async (): Promise<{ answer: Promise<string> }> => {
    clock.now += 13 * hour
    const released = new Promise<void>((resolve) => { release = resolve })
    demo.next(detail, { mutate: async (answer) => { await released; return answer } })
    const answer = ask(server, songUrl)
    await until(() => demo.inFlight(detail) === 1)
    return { answer }
  }
  await server.get(songUrl)
  const early = await askSlowly()
  release()
  t.equal(await early.answer, '200 MISS -', 'within that time the new one wins')

  const late = await askSlowly()
  await timers.advance(3000)
  t.strictSame([await late.answer, demo.inFlight(detail)], ['200 STALE 46800', 1], 'the question is still under way')
  const joined = ask(server, songUrl)
  await settled()
  await timers.advance(3000)
  t.equal(await joined, '200 STALE 46800')
  release()
  await until(async () => await ask(server, songUrl) === '200 HIT 0')
  t.equal(demo.received.length, 3)
})

cached('a copy outlives a failure in the background, and a bad moment does not make it older', async ({ t, demo, clock, server }) => {
  await server.get(songUrl)
  clock.now += 7 * hour
  for (const link of [detail, 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo', '/v8/fcg-bin/fcg_play_single_song.fcg']) demo.next(link, { status: 500 }, 2)
  t.equal(await ask(server, songUrl), '200 STALE 25200')
  await until(() => demo.received.length >= 3 && demo.inFlight(detail) === 0)
  demo.reset()
  // A later alternative may have answered, with less: then the complete answer is asked for again in ten seconds.
  await until(async () => { clock.now += 10_000; return (await ask(server, songUrl)).startsWith('200 HIT') })
})
