/**
 * Every field that a reader declares is removed, nulled and retyped in turn, in every row: an optional one never breaks
 * an answer, a needed one ends in a 502 that names it. Generated from the readers' own declarations.
 */
import t from 'tap'
import { UpstreamError } from '../src/errors.ts'
import { createProvider } from '../src/provider/client.ts'
import { readCredential } from '../src/provider/credentials.ts'
import { Answer } from '../src/provider/read.ts'
import type { Declared } from '../src/provider/read.ts'
import { parseCookie } from '../src/cookies.ts'
import { settingsOf } from '../src/config.ts'
import { createInputReader } from '../src/input.ts'
import { checkRecord, cookieOf, demoFor, endpoints } from './helper.ts'
import { capturing, changed, contextOf, elsewhere, replaying, wrong } from './replay.ts'
import type { Captured } from './replay.ts'

/** Fields whose absence means "it does not exist" or "nothing there", or sends the endpoint to another call. */
const decides = ({ code, outcome }: UpstreamError): boolean => code === 'NOT_FOUND' || code === 'UPSTREAM_EMPTY' || outcome === elsewhere

/** Whether a field cannot be read any more without these paths: each of its names is one of them, or lies below one. */
const lost = (field: Declared, paths: readonly string[]): boolean =>
  field.paths.every((path) => paths.some((gone) => path === gone || path.startsWith(`${gone}.`) || path.startsWith(`${gone}[]`)))

t.test('whatever happens to a field, the answer is whole or says which field it lacks', async (t) => {
  const demo = await demoFor(t)
  const settings = settingsOf({ upstreamOrigin: demo.origin })
  const provider = createProvider({ ...settings, upstreamOrigin: settings.upstreamOrigin })
  t.teardown(provider.close)
  const credential = readCredential(parseCookie(cookieOf(demo, 'member')))
  const inputs = createInputReader()
  let mutations = 0
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.tag === 'login') continue // its steps have tests of their own
    const input = inputs.fromValues(endpoint.input, endpoint.example) as never
    const captured: Captured = new Map()
    const real = provider.forRequest({ credential })
    await endpoint.run(input, contextOf(capturing(real, captured), credential))
    real.end()
    const problems: string[] = []
    for (const [call, answer] of captured) {
      const run = async (given: unknown, declared?: Map<string, Declared>): Promise<unknown> => await Promise.resolve(endpoint.run(input, contextOf(replaying(captured, true, { call, answer: given }, {
        finding () {},
        ...(declared === undefined ? {} : { declared: (field: Declared) => { if (field.call === call) declared.set(`${field.mode} ${field.paths.join('|')}`, field) } })
      }), credential))).then((record: unknown) => record, (error: unknown) => error)

      const fields = new Map<string, Declared>()
      const whole = await run(answer, fields)
      if (whole instanceof Error) continue // as a link of its own it has nothing for this example, such as a lyric in another form
      const dead = new UpstreamError('UPSTREAM_UNREADABLE', 'dead', { fault: 'call', call, outcome: 'bad_shape' })
      const tolerated = !(await run(dead) instanceof Error)
      const needs = [...fields.values()].filter(({ mode }) => mode === 'need')
      for (const { paths, kind } of fields.values()) {
        const broken = needs.filter((need) => lost(need, paths))
        for (const [what, to] of [['removed', undefined], ['null', null], ['retyped', wrong[kind]]] as const) {
          mutations++
          const outcome = await run(paths.reduce<unknown>((value, path) => changed(value, path, to), answer))
          const label = `${call}: ${paths.join('|')} ${what}`
          if (!(outcome instanceof Error)) {
            try {
              checkRecord(name as never, outcome)
            } catch (error) {
              problems.push(`${label}: ${(error as Error).message}`)
            }
          } else if (!(outcome instanceof UpstreamError)) problems.push(`${label}: ${outcome.stack}`)
          else if (outcome.code === 'UPSTREAM_UNREADABLE') {
            if (tolerated) problems.push(`${label}: fails, although the answer can do without the call`)
            if (broken.length === 0) problems.push(`${label}: an optional field breaks the answer: ${outcome.message}`)
            // A wrapper that is gone is not missed; what was inside is.
            const named = [...broken, ...needs].flatMap((need) => need.paths).some((path) => outcome.message.includes(`: ${path} should be`) || outcome.message.includes(`.${path.split('.').at(-1)} should be`))
            if (!named) problems.push(`${label}: is not named in "${outcome.message}"`)
          } else if (!decides(outcome)) problems.push(`${label}: ${outcome.code} ${outcome.message}`)
        }
      }
    }
    t.same(problems, [], name)
  }
  t.ok(mutations > 2000, `${mutations} mutations`)
})

t.test('a reader declares what it reads', async (t) => {
  const seen: Declared[] = []
  const answer = new Answer({ a: 1 }, 'call', { finding () {}, declared: (field) => { seen.push(field) } })
  const { maybe, need } = await import('../src/provider/read.ts')
  maybe.text(answer, 'x', 'y')
  need.int(answer, 'a')
  t.same(seen, [{ call: 'call', paths: ['x', 'y'], kind: 'text', mode: 'maybe' }, { call: 'call', paths: ['a'], kind: 'int', mode: 'need' }])
})
