/** An upstream that answers like the demo, and in every third answer changes, removes or multiplies some values. */
import { request } from 'undici'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { startFaultServer, well, type Demo, type Fault, type FaultServer } from '../faults/server.ts'

/** Values that no reader expects. */
const odd: readonly unknown[] = [
  null, true, 0, -1, 1e308, 2 ** 53, '', ' ', '0', 'x'.repeat(20_000), '\u0000\r\n\u2028', '[00:01.00]a\n'.repeat(500),
  '<b>&amp;', [], {}, [[[[]]]], [null], ['__proto__'], { constructor: { prototype: 1 } }, 'https://evil.example/x',
  'javascript:1'
]

/** Starts it. The same seed changes the same things, in the order of the requests. */
export async function startMutating (demo: Pick<DemoUpstream, 'origin'>, seed: number): Promise<FaultServer> {
  let state = seed
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const ofDemo: Demo = {
    async ask ({ method, path, headers, text }) {
      const { 'accept-encoding': _, 'content-length': __, connection: ___, ...rest } = headers
      const { statusCode, headers: answered, body } = await request(
        `${demo.origin}${path}`, { method: method as 'GET', headers: rest, body: text === '' ? null : text }
      )
      return {
        status: statusCode, type: String(answered['content-type'] ?? 'text/plain'), body: await body.text(),
        location: answered['location'] as string | undefined
      }
    }
  }
  const fault: Fault = async (exchange) => {
    if (draw(3) > 0) return await well(exchange)
    const { status, type, body, location } = await exchange.healthy()
    exchange.answer(
      mutated(body, draw), { status, type, headers: location === undefined ? [] : [`location: ${location}`] }
    )
  }
  const server = await startFaultServer(ofDemo)
  server.fail(fault)
  return server
}

/** Changes one to three values of a JSON text, or a piece of any other text. */
function mutated (text: string, draw: (below: number) => number): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const at = draw(text.length + 1)
    return `${text.slice(0, at)}${String(odd[draw(odd.length)])}${text.slice(at + draw(20))}`
  }
  for (let left = 1 + draw(3); left > 0; left--) mutate(value, draw)
  return JSON.stringify(value)
}

/** 200 elements, or fewer if they are more than two million characters: copies of copies of copies take half a minute. */
function multiplied (all: readonly unknown[]): unknown[] {
  const length = Math.min(200, all.length * Math.ceil(2e6 / JSON.stringify(all).length))
  return Array.from({ length }, (_, at) => all[at % all.length])
}

/** Goes down to some value, and changes it in its container. */
function mutate (value: unknown, draw: (below: number) => number): void {
  for (let inner = value; typeof inner === 'object' && inner !== null;) {
    const container = inner as Record<string, unknown>
    const keys = Object.keys(container)
    const key = keys[draw(keys.length)]
    if (key === undefined) return
    const next = container[key]
    if (typeof next === 'object' && next !== null && draw(4) > 0) {
      inner = next
      continue
    }
    if (draw(5) === 0) Reflect.deleteProperty(container, key)
    else if (Array.isArray(next) && draw(2) === 0) container[key] = multiplied(next)
    else container[key] = odd[draw(odd.length)]
    return
  }
}
