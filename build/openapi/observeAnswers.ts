/** Writes examples.json: an answer of every endpoint and error code, as a relay in front of the demo gives them. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startDemoUpstream, type DemoUpstream } from '../../src/demo/upstream.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { registry } from '../../src/endpoints/index.ts'
import { demoTime, observedFailures, relayOfExamples } from './observeFailures.ts'

/** What an example keeps of a list, and of a text. */
const [mostRows, mostCharacters] = [2, 200]

/** The up-to-date text of the file. Throws if an endpoint fails. */
export async function examplesFile (): Promise<string> {
  // What two demos answer differently is random, and would change the file each time.
  const [one, other] = [await answersOfDemo(), await answersOfDemo()]
  const answers = Object.entries(one).map(([name, answer]) => [name, shortened(settled(answer, other[name]))] as const)
  const lines = (pairs: readonly (readonly [string, unknown])[]): string =>
    pairs.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n')
  return `{\n  "answers": {\n${lines(answers)}\n  },\n  "failures": {\n${lines(Object.entries(await observedFailures()))}\n  }\n}\n`
}

async function answersOfDemo (): Promise<Readonly<Record<string, unknown>>> {
  const demo = await startDemoUpstream({ now: demoTime })
  const app = await relayOfExamples(demo, { tuning: { searchIntervalMs: 0, searchPauseMs: 0 } })
  const answers: Record<string, unknown> = {}
  try {
    for (const [name, { method, path, example, login }] of Object.entries(registry as Record<string, AnyEndpoint>)) {
      const input = scanned(demo, name) ?? example
      const cookie = demo.accounts.find((account) => account.name === 'member')?.cookie
      const headers = { accept: 'application/json', ...login === undefined ? {} : { 'x-custom-cookie': cookie } }
      const query = Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)]))
      const answer = await app.inject({
        method,
        url: path,
        headers,
        ...method === 'GET' ? { query } : { payload: input }
      })
      if (answer.statusCode !== 200) throw new Error(`${name}: ${answer.statusCode} ${answer.body}`)
      // Keys of the demo's accounts are no secret, but whoever searches a document for keys should find none.
      const text = demo.accounts.map(({ cookie }) => /qm_keyst=(\w+)/.exec(cookie)?.[1] ?? '').reduce(
        (body, key) => body.replaceAll(key, `${key.slice(0, 6)}…`),
        answer.body
      )
      // The command of the demo serves pictures and songs at the relay's own address.
      answers[name] = JSON.parse(text.replaceAll(demo.origin, 'http://localhost:3200'))
    }
    return answers
  } finally {
    await app.close()
    await demo.close()
  }
}

/** Input of a check whose QR code somebody has just confirmed, because a session is what readers look for. */
function scanned ({ login }: DemoUpstream, name: string): Record<string, string> | undefined {
  const way = ({ checkMainLoginQr: 'main', checkAltLoginQr: 'alt' } as const)[name]
  if (way === undefined) return undefined
  const code = login.open(way)
  login.confirm(code)
  return way === 'main' ? { qrsig: code } : { uuid: code }
}

/** What both values have in common: of a text that differs, whole words up to the difference. */
function settled (one: unknown, other: unknown): unknown {
  if (typeof one === 'string' && typeof other === 'string' && one !== other) {
    let end = 0
    while (one[end] === other[end]) end++
    return `${/^.*[^0-9A-Za-z_-]|^/s.exec(one.slice(0, end))?.[0] ?? ''}…`
  }
  if (Array.isArray(one)) return one.map((each, at) => settled(each, (other as unknown[])[at]))
  if (typeof one === 'object' && one !== null) {
    return Object.fromEntries(Object.entries(one).map((
      [key, value]
    ) => [key, settled(value, (other as Record<string, unknown>)[key])]))
  }
  if (one !== other) throw new Error(`the demo answers ${String(one)} and ${String(other)}`)
  return one
}

function shortened (value: unknown): unknown {
  if (typeof value === 'string') return value.length > mostCharacters ? `${[...value].slice(0, mostCharacters).join('')}…` : value
  if (Array.isArray(value)) return value.slice(0, mostRows).map(shortened)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]))
  }
  return value
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('examples.json', import.meta.url), await examplesFile())
}
