/**
 * The load generator, in a process of its own: clients that send a request, read the answer and repeat, each at least
 * once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'

export interface Load {
  readonly origin: string
  /** `{n}` becomes a number that no other request has, `{page}` one below 10,000. */
  readonly path: string
  readonly clients: number
  readonly seconds: number
  /** Requests per second of all clients together. Absent: as many as possible. */
  readonly rate?: number
  /** Addresses of this machine that the clients use in turn. Absent: its usual one. */
  readonly from?: readonly string[]
  /** JSON body. Makes the request a POST. */
  readonly body?: string
}

export interface Outcome {
  /** Number of answers by status. 0 is a broken connection. */
  readonly statuses: Record<string, number>
  /** Answers with 200 per second. */
  readonly goodput: number
  readonly good: Times
  readonly refused: Times
  /** Number of 503s without Retry-After. */
  readonly bare: number
  /** Time of the first 200, in milliseconds since the start. Infinity if there was none. */
  readonly firstGood: number
}

export interface Times { readonly p50: number, readonly p95: number, readonly p99: number, readonly max: number }

/** Pause of a refused client. Immediate retries would measure only the refusals. */
const patienceMs = 100

let counter = Date.now() % 1_000_000 * 100

function timesOf (list: number[]): Times {
  list.sort((a, b) => a - b)
  const at = (share: number): number => list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: list.at(-1) ?? 0 }
}

async function run ({ origin, path, clients, seconds, rate, body, from = [''] }: Load): Promise<Outcome> {
  const agents = from.map((localAddress) => new Agent({ connections: Math.ceil(clients / from.length), pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000, ...(localAddress === '' ? {} : { localAddress }) }))
  const agentOf = (index: number): Agent => agents[index % agents.length] as Agent
  // Node accepts one connection per turn of its event loop. Without this, opening a thousand connections would dominate
  // the first seconds.
  await Promise.all(Array.from({ length: clients }, async (_, index) => { await (await agentOf(index).request({ origin, path: '/health/live', method: 'GET' })).body.dump() }))
  const begin = performance.now()
  const end = begin + seconds * 1000
  const statuses: Record<string, number> = {}
  const good: number[] = []
  const refused: number[] = []
  let bare = 0
  let firstGood = Infinity

  async function client (index: number): Promise<void> {
    const pause = rate === undefined ? 0 : clients / rate * 1000
    let due = begin + pause * index / clients
    do {
      if (pause > 0) {
        await sleep(Math.max(0, due - performance.now()))
        due += pause
      }
      const started = performance.now()
      const status = await ask(agentOf(index))
      const ms = performance.now() - started
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200) {
        good.push(ms)
        firstGood = Math.min(firstGood, performance.now() - begin)
      } else {
        if (status === 503) refused.push(ms)
        await sleep(patienceMs)
      }
    } while (performance.now() < end)
  }

  const numbered = (text: string): string => text.replace('{n}', String(counter)).replace('{page}', String(counter % 10_000))

  async function ask (agent: Agent): Promise<number> {
    counter++
    try {
      const answer = await agent.request({
        origin, path: numbered(path), method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body: numbered(body), headers: { 'content-type': 'application/json' } })
      })
      await answer.body.arrayBuffer()
      if (answer.statusCode === 503 && answer.headers['retry-after'] === undefined) bare++
      return answer.statusCode
    } catch {
      return 0
    }
  }

  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  const took = (performance.now() - begin) / 1000
  await Promise.all(agents.map(async (agent) => { await agent.destroy() }))
  return { statuses, goodput: good.length / took, good: timesOf(good), refused: timesOf(refused), bare, firstGood }
}

process.on('message', ({ id, ask }: { id: number, ask: Load }) => { void run(ask).then((told) => process.send?.({ id, told })) })
process.on('disconnect', () => { process.exit() })
process.send?.({ id: 0, told: '' })
