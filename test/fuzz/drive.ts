/** Fuzzed requests against a relay of this process over real sockets; every answer is judged. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { Pool } from 'undici'
import { errorCodes } from '../../schemas/errors.ts'
import { buildApp } from '../../src/app.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'
import { registry } from '../../src/endpoints/index.ts'
import { exchange } from '../raw.ts'
import { refusalProblem } from '../shape.ts'
import { requests } from './requests.ts'
import type { FuzzRequest } from './requests.ts'

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** How many are in flight. */
  readonly concurrency?: number
  readonly progress?: (line: string) => void
}

export interface FuzzReport {
  /** Answers by kind of request, then by status; `none` where the server only closed. */
  readonly table: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly perSecond: number
  readonly slowestMs: number
  /** Growth of the resident memory after the first fifth of the run, this client and the demo upstream included. */
  readonly driftMb: number
  /** What broke a bar, with the request that did it. Empty is good. */
  readonly failures: readonly string[]
}

/** The bars of a run. */
export const bars = { slowestMs: 2000, driftMb: 30 } as const

/** What a damaged message may keep the server waiting for, before the client leaves. */
const patienceMs = 300
const batch = 1000
const known = new Set<number>([200, 204, 304, ...Object.values(errorCodes).map(({ status }) => status)])

export async function fuzz ({ requests: count, seed, concurrency = 16, progress = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const failures: string[] = []
  const fail = (what: string, request?: FuzzRequest): void => { if (failures.length < 100) failures.push(request === undefined ? what : `${what}\n    ${shown(request)}`) }
  const crashed = (error: unknown): void => { fail(`crash: ${error instanceof Error ? error.stack : String(error)}`) }
  process.on('uncaughtException', crashed).on('unhandledRejection', crashed)

  const demo = await startDemoUpstream({ holdMs: 20 })
  const log = { write: (line: string) => { if (line.includes('"bug"')) fail(`bug: ${line.trim()}`) } }
  const app = await buildApp({ upstreamOrigin: demo.origin, imageOrigin: demo.origin, logLevel: 'error', logTo: log, pollDeadlineMs: 100, pollLimit: 10_000, cacheBytes: 8 * 1024 * 1024 })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const pool = new Pool(address, { connections: concurrency, pipelining: 1, headersTimeout: 20_000, bodyTimeout: 20_000 })
  const arbitrary = requests(registry)
  const table: Record<string, Record<string, number>> = {}
  const started = performance.now()
  let slowestMs = 0
  let warmMb = 0

  async function ask (request: FuzzRequest): Promise<void> {
    const before = performance.now()
    const outcome = 'bytes' in request ? await askRaw(request.bytes) : await askClient(request)
    const ms = performance.now() - before
    slowestMs = Math.max(slowestMs, ms)
    if (ms > bars.slowestMs) fail(`took ${Math.round(ms)} ms`, request)
    const row = table[request.kind] ??= {}
    row[outcome.status] = (row[outcome.status] ?? 0) + 1
    if (outcome.problem !== undefined) fail(outcome.problem, request)
  }

  async function askClient ({ method, target, headers, body }: Exclude<FuzzRequest, { bytes: Buffer }>): Promise<{ status: string, problem: string | undefined }> {
    try {
      const answer = await pool.request({ method: method as 'GET', path: target, headers: { host: 'localhost', ...headers }, body: body ?? null })
      const text = await answer.body.text()
      const header = (name: string): string | undefined => [answer.headers[name]].flat()[0]
      return { status: String(answer.statusCode), problem: problemOf({ status: answer.statusCode, text, header }, method === 'HEAD') }
    } catch (error) {
      return { status: 'none', problem: `no answer: ${String((error as { code?: unknown }).code ?? error)}` }
    }
  }

  async function askRaw (bytes: Buffer): Promise<{ status: string, problem: string | undefined }> {
    const { answers, rest } = await exchange(address, bytes, { patienceMs, head: bytes.subarray(0, 4).toString('latin1') === 'HEAD' })
    const problems = answers.map(({ status, text, headers }) => problemOf({ status, text, header: (name) => headers.get(name) }, text === ''))
    return { status: answers.map(({ status }) => status).join('+') || 'none', problem: problems.find((problem) => problem !== undefined) ?? (rest === '' ? undefined : `half an answer: ${rest.slice(0, 80)}`) }
  }

  try {
    for (let first = 0, number = 0; first < count; first += batch, number++) {
      const queue = fc.sample(arbitrary, { seed: (seed * 1_000_003 + number) | 0, numRuns: Math.min(batch, count - first) }).values()
      await Promise.all(Array.from({ length: concurrency }, async () => { for (const request of queue) await ask(request) }))
      demo.reset()
      if (first <= count / 5) warmMb = residentMb()
      if (number % Math.max(1, Math.round(count / batch / 20)) === 0) progress(`${first + batch} of ${count}: ${Math.round((first + batch) / (performance.now() - started) * 1000)}/s, ${Math.round(process.memoryUsage.rss() / 1e6)} MB, ${failures.length} failures`)
    }
    const perSecond = count / (performance.now() - started) * 1000
    const driftMb = residentMb() - warmMb
    if (Object.keys(Object.prototype).length > 0) fail(`polluted: ${Object.keys(Object.prototype).join()}`)
    const { statusCode } = await pool.request({ method: 'GET', path: '/getHotkey' })
    if (statusCode !== 200) fail(`the last healthy request got ${statusCode}`)
    await pool.close()
    await left(async () => await new Promise((resolve) => { app.server.getConnections((_error, open) => { resolve(open) }) }), fail)
    return { table, perSecond, slowestMs, driftMb, failures }
  } finally {
    await pool.destroy().catch(() => {})
    await app.close()
    await demo.close()
    process.off('uncaughtException', crashed).off('unhandledRejection', crashed)
  }
}

function problemOf (answer: { status: number, text: string, header: (name: string) => string | undefined }, bodyless: boolean): string | undefined {
  const { status, text } = answer
  if (status === 500) return `500 ${text}`
  if (!known.has(status)) return `status ${status}`
  if (status < 400) return undefined
  const problem = refusalProblem(answer, { bodyless })
  return problem === undefined ? undefined : `${status}: ${problem}`
}

/** Every client has left: so must have their connections. */
async function left (open: () => Promise<number>, fail: (what: string) => void): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await open() === 0) return
    await new Promise((resolve) => { setTimeout(resolve, 50) })
  }
  fail(`${await open()} connections are left open`)
}

function residentMb (): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage.rss() / 1e6
}

function shown (request: FuzzRequest): string {
  if ('bytes' in request) return JSON.stringify(request.bytes.toString('latin1')).slice(0, 2000)
  const { method, target, headers, body } = request
  return `${method} ${target} ${JSON.stringify(headers)} ${body ?? ''}`.slice(0, 2000)
}
