/**
 * The client of the benchmark, in a process of its own: raw sockets that send a request, read the whole body and repeat.
 * It reads only the status and the length, so that the server is the bottleneck.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { serve } from './children.ts'

export interface Load {
  readonly port: number
  /** Paths, used in turn. `{n}` becomes a number that no other request has. */
  readonly paths: readonly string[]
  /** `{n}` becomes a number below this instead, each as often as the others and far from the one before. */
  readonly below?: number
  /** Header lines, one for each request, used in turn. */
  readonly headers?: readonly string[]
  readonly connections: number
  /** Duration. Absent: until `requests` requests are done. */
  readonly seconds?: number
  readonly requests?: number
  /** JSON body. Makes the request a POST. */
  readonly body?: string
  /** Connections stay open, and the next run with `keep` on this port uses them. */
  readonly keep?: boolean
}

export interface Outcome {
  readonly requests: number
  /** Number of answers by status. 0 is a broken connection. */
  readonly statuses: Readonly<Record<string, number>>
  /** Milliseconds from the first request to the last answer. */
  readonly ms: number
  readonly p50: number
  readonly p99: number
  readonly bytes: number
  /** CPU time of this client, in milliseconds. */
  readonly cpuMs: number
}

let counter = 0
/** Open connections by port. */
const kept = new Map<number, Socket[]>()
/** Prime, so that its multiples meet all numbers below a power of ten. */
const stride = 7919

async function run ({ port, paths, below, headers, connections, seconds, requests = Infinity, body, keep = false }: Load): Promise<Outcome> {
  const statuses: Record<string, number> = {}
  const times: number[] = []
  let asked = 0
  let bytes = 0
  const cpuBefore = process.cpuUsage()
  const open = keep ? kept.get(port) ?? [] : []
  if (keep) kept.set(port, open)
  const begin = performance.now()
  const end = seconds === undefined ? Infinity : begin + seconds * 1000

  const question = (): string => {
    const path = (paths[asked % paths.length] as string).replace('{n}', () => String(below === undefined ? ++counter : ++counter * stride % below))
    const line = headers?.[asked % headers.length]
    asked++
    const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: localhost\r\n${line === undefined ? '' : `${line}\r\n`}`
    return body === undefined ? `${head}\r\n` : `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }

  const isOver = (): boolean => asked >= requests || performance.now() >= end

  /**
   * Sends requests on one connection until the run is over or the server closes it. Resolves to true if another
   * connection is needed.
   */
  async function connection (): Promise<boolean> {
    return await new Promise<boolean>((resolve) => {
      const before = open.pop()
      const socket = before ?? connect(port, '127.0.0.1')
      if (before !== undefined) for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event)
      let head = ''
      let left = -1
      let started = 0
      let waiting = false
      let closes = false
      const count = (status: string | number): void => { statuses[status] = (statuses[status] ?? 0) + 1 }
      const ask = (): void => {
        if (isOver() && keep && !closes) {
          open.unshift(socket)
          return void resolve(false)
        }
        if (closes || isOver()) return void socket.end()
        head = ''
        left = -1
        waiting = true
        started = performance.now()
        socket.write(question())
      }
      socket.on('connect', ask)
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (left === -1) {
          head += chunk.toString('latin1')
          const at = head.indexOf('\r\n\r\n')
          if (at === -1) return
          closes = /\r\nconnection: close\r\n/i.test(head.slice(0, at + 2))
          left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN) - (head.length - at - 4)
          if (Number.isNaN(left)) throw new Error('The benchmark reads answers with a content-length only.')
        } else left -= chunk.length
        if (left > 0) return
        times.push(performance.now() - started)
        waiting = false
        count(head.slice(9, 12))
        ask()
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        if (waiting) count(0)
        if (open.includes(socket)) open.splice(open.indexOf(socket), 1)
        resolve(closes && !isOver())
      })
      if (before !== undefined) ask()
    })
  }

  async function client (): Promise<void> {
    while (await connection()) { /* the next one */ }
  }

  await Promise.all(Array.from({ length: connections }, client))
  const ms = performance.now() - begin
  const cpu = process.cpuUsage(cpuBefore)
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { requests: times.length, statuses, ms, p50: at(0.5), p99: at(0.99), bytes, cpuMs: (cpu.user + cpu.system) / 1000 }
}

serve(run)
