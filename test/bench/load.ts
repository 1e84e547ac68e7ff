/**
 * The clients of benchmark and stress test, in a process of its own: raw sockets that send a request, read the whole
 * body and repeat. They read only status, length and a few headers, so that the server is the bottleneck.
 */
import { connect, type Socket } from 'node:net'
import { serve } from './children.ts'

export interface Load {
  readonly port: number
  /** Paths, used in turn. `{n}` becomes a number that no other request has, `{page}` one below 10,000. */
  readonly paths: readonly string[]
  /** `{n}` becomes a number below this instead, each as often as the others and far from the one before. */
  readonly below?: number
  /** Header lines, one for each request, used in turn. */
  readonly headers?: readonly string[]
  readonly connections: number
  /** Duration; each connection asks at least once. Absent: until `requests` requests are done. */
  readonly seconds?: number
  readonly requests?: number
  /** JSON body. Makes the request a POST. */
  readonly body?: string
  /** Connections stay open, and the next run with `keep` on this port uses them. */
  readonly keep?: boolean
  /** As clients of a public relay: requests per second of all together (absent: as many as possible), and a pause after a refusal. */
  readonly patient?: { readonly rate?: number }
  /** Addresses of this machine that the connections use in turn. Absent: its usual one. */
  readonly from?: readonly string[]
}

export interface Times { readonly p50: number, readonly p95: number, readonly p99: number, readonly max: number }

export interface Outcome extends Times {
  readonly requests: number
  /** Number of answers by status. 0 is a broken connection. */
  readonly statuses: Readonly<Record<string, number>>
  /** Milliseconds from the first request to the last answer. */
  readonly ms: number
  /** CPU time of this client, in milliseconds. */
  readonly cpuMs: number
  /** Answers with 200 per second. */
  readonly goodput: number
  readonly good: Times
  readonly refused: Times
  /** Number of 503s without Retry-After. */
  readonly bare: number
  /** Time of the first 200, in milliseconds since the start. Infinity if there was none. */
  readonly firstGood: number
}

let counter = 0
/** Open connections by port. */
const kept = new Map<number, Socket[]>()
/** Prime, so that its multiples meet all numbers below a power of ten. */
const stride = 7919
/** Pause of a patient client that was refused. Immediate retries would measure only the refusals. */
const patienceMs = 100

function timesOf (list: readonly number[]): Times {
  const sorted = Float64Array.from(list).sort()
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? 0 }
}

async function run ({
  port, paths, below, headers, connections, seconds, requests = Infinity, body, keep = false, patient, from = []
}: Load): Promise<Outcome> {
  const statuses: Record<string, number> = {}
  const [times, good, refused] = [[], [], []] as number[][] as [number[], number[], number[]]
  let [asked, bare, firstGood] = [0, 0, Infinity]
  const cpuBefore = process.cpuUsage()
  const open = keep ? kept.get(port) ?? [] : []
  if (keep) kept.set(port, open)
  const pause = patient?.rate === undefined ? 0 : connections / patient.rate * 1000
  // Each opens a connection of its own first: Node accepts one a turn of its loop, which would fill the first seconds.
  const opened = patient === undefined ? []
    : await Promise.all(Array.from({ length: connections }, async (_, index) => await connected(index)))
  const begin = performance.now()
  const end = seconds === undefined ? Infinity : begin + seconds * 1000

  async function connected (index: number): Promise<Socket> {
    const localAddress = from[index % from.length]
    const socket = connect({ port, host: '127.0.0.1', ...localAddress === undefined ? {} : { localAddress } })
    await new Promise<void>((resolve) => {
      socket.once('connect', () => { resolve() }).once('close', () => { resolve() }).on('error', () => {})
    })
    return socket
  }

  const numbered = (text: string): string => text.replace(
    '{n}', () => String(below === undefined ? counter : counter * stride % below)
  ).replace('{page}', () => String(counter % 10_000))
  const question = (): string => {
    counter++
    const path = numbered(paths[asked % paths.length] as string)
    const line = headers?.[asked % headers.length]
    asked++
    const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: localhost\r\n${line === undefined ? '' : `${line}\r\n`}`
    if (body === undefined) return `${head}\r\n`
    const sent = numbered(body)
    return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`
  }

  const isOver = (): boolean => asked >= requests || performance.now() >= end

  /** Clients ask once at least. `due`: when a patient one asks next. */
  interface Client { asked: boolean, due: number, readonly index: number }

  /** Sends requests on one connection until the run is over or the connection is. Resolves to true if another one is needed. */
  async function connection (client: Client): Promise<boolean> {
    return await new Promise<boolean>((resolve) => {
      const before = open.pop() ?? opened[client.index]
      delete opened[client.index]
      const socket = before ?? connect({
        port, host: '127.0.0.1', ...from.length > 0 ? { localAddress: from[client.index % from.length] as string } : {}
      })
      if (before !== undefined) for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event)
      let head = ''
      let left = -1
      let started = 0
      let waiting = false
      let closes = false
      const count = (status: string): void => {
        const [ms, now] = [performance.now() - started, performance.now() - begin]
        statuses[status] = (statuses[status] ?? 0) + 1
        times.push(ms)
        if (status === '200') {
          good.push(ms)
          firstGood = Math.min(firstGood, now)
        } else if (status === '503') {
          refused.push(ms)
          if (!/\r\nretry-after: /i.test(head)) bare++
        }
        if (patient !== undefined && status !== '200') client.due = Math.max(client.due, performance.now() + patienceMs)
      }
      const isDone = (): boolean => isOver() && client.asked
      const ask = (): void => {
        if (isDone() && keep && !closes) {
          open.unshift(socket)
          return void resolve(false)
        }
        if (closes || isDone() || socket.destroyed) return void socket.destroy()
        const wait = patient === undefined ? 0 : client.due - performance.now()
        if (wait > 0) return void setTimeout(ask, wait)
        client.due += pause
        client.asked = true
        head = ''
        left = -1
        waiting = true
        started = performance.now()
        socket.write(question())
      }
      if (before === undefined) socket.on('connect', ask)
      socket.on('data', (chunk) => {
        if (left === -1) {
          head += chunk.toString('latin1')
          const at = head.indexOf('\r\n\r\n')
          if (at === -1) return
          closes = /\r\nconnection: close\r\n/i.test(head.slice(0, at + 2))
          left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN) - (head.length - at - 4)
          if (Number.isNaN(left)) throw new Error('The load reads answers with a content-length only.')
          head = head.slice(0, at + 2)
        } else left -= chunk.length
        if (left > 0) return
        waiting = false
        count(head.slice(9, 12))
        ask()
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        if (waiting) count('0')
        if (open.includes(socket)) open.splice(open.indexOf(socket), 1)
        resolve((closes || patient !== undefined) && !isDone())
      })
      if (before?.destroyed === true) resolve(!isDone())
      else if (before !== undefined) ask()
    })
  }

  await Promise.all(Array.from({ length: connections }, async (_, index) => {
    const client = { asked: patient === undefined, due: begin + pause * index / connections, index }
    while (await connection(client)) { /* the next one */ }
  }))
  const ms = performance.now() - begin
  const cpu = process.cpuUsage(cpuBefore)
  return {
    requests: times.length, statuses, ms, ...timesOf(times), cpuMs: (cpu.user + cpu.system) / 1000,
    goodput: good.length / ms * 1000, good: timesOf(good), refused: timesOf(refused), bare, firstGood
  }
}

counter = Date.now() % 1_000_000 * 100
serve(run)
