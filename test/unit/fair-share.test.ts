/**
 * What greedy clients cost the others at a host with its usual constants. Time is simulated: a millisecond of the
 * clock passes when all work of the last one is done, however long that takes.
 */
import { mock } from 'node:test'
import t from 'tap'
import { resolveOptions } from '../../src/library/relay.ts'
import { upstreamOptions } from '../../src/relay/runtime.ts'
import { createHosts } from '../../src/upstream/hosts.ts'
import type { Client } from '../../src/common/ledger.ts'

const latencyMs = 200
const endMs = 12_000

/** Times of the answers to eight clients with two requests a second each, and the number of their refusals. */
async function others (greedyClients: number): Promise<{ p99: number, refused: number, greedyServed: number }> {
  let clock = 0
  const hosts = createHosts(upstreamOptions({ ...resolveOptions(), now: () => clock }))
  const sleep = async (ms: number): Promise<void> => {
    await new Promise<void>((resolve) => { setTimeout(resolve, ms) })
  }
  const ask = async (name: string): Promise<void> => {
    const client: Client = [name, `around ${name}`]
    const { signal } = new AbortController()
    const end = await hosts.enter({ host: 'musicu', parts: [], call: 'call', client, signal })
    await sleep(latencyMs)
    end()
  }
  const times: number[] = []
  let refused = 0
  let greedyServed = 0
  for (let client = 0; client < greedyClients; client++) for (let request = 0; request < 20; request++) {
    void (async () => {
      while (clock < endMs) await ask(`greedy ${client}`)
        .then(() => { greedyServed++ }, async () => { await sleep(100) })
    })()
  }
  for (; clock < endMs; clock++) {
    // Two requests a second of each client, 250 ms apart, once the greedy ones have used up what is there.
    for (let client = 0; client < 8; client++) if (
      clock > 3000 && clock < endMs - 2000 && [0, 250].includes((clock + client * 57) % 1000)
    ) {
      const begun = clock
      void ask(`other ${client}`).then(() => { times.push(clock - begun) }, () => { refused++ })
    }
    mock.timers.tick(1)
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => { setImmediate(resolve) })
  }
  times.sort((a, b) => a - b)
  return { p99: times[Math.floor(times.length * 0.99)] ?? Infinity, refused, greedyServed }
}

t.test('one greedy client costs the others a tenth of their p99 at most, ten as much again at most, and nobody is refused', { timeout: 120_000 }, async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => { mock.timers.reset() })
  const alone = await others(0)
  t.equal(alone.refused, 0)
  for (const [clients, most] of [[1, 1.1], [10, 2]] as const) {
    const { p99, refused, greedyServed } = await others(clients)
    t.equal(refused, 0, `${clients} greedy`)
    t.ok(p99 <= alone.p99 * most, `${clients} greedy: p99 ${p99} ms, ${alone.p99} ms alone`)
    t.ok(greedyServed > 350, `they get what is left: ${greedyServed}`)
  }
})
