/**
 * Every declared field is removed, set to null and retyped in turn, in every row. An optional field never breaks an
 * answer; a required field ends in a 502 that names it. Generated from the declarations of the readers.
 */
import t from 'tap'
import { NotPlayable, UpstreamError } from '../../src/common/errors.ts'
import { failure } from '../../src/common/kinds.ts'
import { createUpstreamClient } from '../../src/upstream/client.ts'
import { readCredential } from '../../src/upstream/wire/credentials.ts'
import { Answer } from '../../src/upstream/read/read.ts'
import type { Declared } from '../../src/upstream/read/observer.ts'
import { parseCookie } from '../../src/upstream/wire/pasted.ts'
import { createInputValidator } from '../../src/relay/validate.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { upstreamOptions } from '../../src/relay/runtime.ts'
import { checkRecord, cookieOf, demoFor, endpoints } from '../support/helper.ts'
import { capturing, changed, contextOf, elsewhere, replaying, wrong, type Captured } from '../support/replay.ts'
import { sampleOf, whole } from '../support/whole.ts'

/** Whether the absence of a field means "does not exist" or "empty", or makes the endpoint send another call. */
const decides = ({ code, outcome }: UpstreamError): boolean =>
  code === 'NOT_FOUND' || code === 'UPSTREAM_EMPTY' || outcome === 'empty' || outcome === elsewhere

/** Whether a field is unreadable without these paths: each of its names is one of them or below one. */
const lost = (field: Declared, paths: readonly string[]): boolean =>
  field.paths.every((path) =>
    paths.some((gone) => path === gone || path.startsWith(`${gone}.`) || path.startsWith(`${gone}[]`)))

t.test('whatever happens to a field, the answer is whole or says which field it lacks', async (t) => {
  const demo = await demoFor(t)
  const provider = createUpstreamClient(upstreamOptions(resolveOptions({ upstreamOrigin: demo.origin })))
  t.teardown(provider.close)
  const credential = readCredential(parseCookie(cookieOf(demo, 'member')))
  const inputs = createInputValidator()
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
      const run = async (given: unknown, declared?: Map<string, Declared>): Promise<unknown> =>
        await Promise.resolve(endpoint.run(input, contextOf(replaying(captured, true, { call, answer: given }, {
          finding () {},
          ...(declared === undefined ? {} : { declared: (field: Declared) => {
            if (field.call === call) declared.set(`${field.mode} ${field.paths.join('|')}`, field)
          } })
        }), credential))).then((record: unknown) => record, (error: unknown) => error)

      const fields = new Map<string, Declared>()
      const whole = await run(answer, fields)
      // as a link of its own it has nothing for this example, such as a lyric in another form
      if (whole instanceof Error) continue
      const dead = failure('unreadable.shape', { call, message: 'dead' })
      const tolerated = !(await run(dead) instanceof Error)
      const needs = [...fields.values()].filter(({ mode }) => mode === 'need')
      for (const [turn, { paths, kind }] of sampleOf([...[...fields.values()].entries()], 5, problems.length)) {
        const broken = needs.filter((need) => lost(need, paths))
        for (const [what, to] of sampleOf(
          [['removed', undefined], ['null', null], ['retyped', wrong[kind]]] as const, 3, turn
        )) {
          mutations++
          const outcome = await run(paths.reduce<unknown>((value, path) => changed(value, path, to), answer))
          const label = `${call}: ${paths.join('|')} ${what}`
          if (!(outcome instanceof Error)) {
            try {
              checkRecord(name as never, outcome)
            } catch (error) {
              problems.push(`${label}: ${(error as Error).message}`)
            }
          } else if (outcome instanceof NotPlayable) {
            // Says why there is no address, as the records of others do.
          } else if (!(outcome instanceof UpstreamError)) problems.push(`${label}: ${outcome.stack}`)
          else if (outcome.code === 'UPSTREAM_UNREADABLE') {
            if (tolerated) problems.push(`${label}: fails, although the answer can do without the call`)
            if (broken.length === 0) problems.push(`${label}: an optional field breaks the answer: ${outcome.message}`)
            // A wrapper that is gone is not missed; what was inside is.
            const named = [...broken, ...needs]
              .flatMap((need) => need.paths).some((path) => outcome.message.includes(`: ${path} should be`)
                || outcome.message.includes(`.${path.split('.').at(-1)} should be`))
            if (!named) problems.push(`${label}: is not named in "${outcome.message}"`)
          } else if (!decides(outcome)) problems.push(`${label}: ${outcome.code} ${outcome.message}`)
        }
      }
    }
    t.same(problems, [], name)
  }
  t.ok(mutations > (whole ? 2000 : 100), `${mutations} mutations`)
})

t.test('a reader declares what it reads', async (t) => {
  const seen: Declared[] = []
  const answer = new Answer({ a: 1 }, 'call', { finding () {}, declared: (field) => { seen.push(field) } })
  const { maybe, need } = await import('../../src/upstream/read/read.ts')
  maybe.text(answer, 'x', 'y')
  need.int(answer, 'a')
  t.same(seen, [
    { call: 'call', paths: ['x', 'y'], kind: 'text', mode: 'maybe' },
    { call: 'call', paths: ['a'], kind: 'int', mode: 'need' }
  ])
})
