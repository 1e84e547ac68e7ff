/** Sends fuzzed requests over real sockets to a relay in a process of its own, and checks every answer. */
import { fork } from 'node:child_process'
import * as fc from 'fast-check'
import { Pool } from 'undici'
import { errorCodes } from '../../schemas/errors.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'
import { registry } from '../../src/endpoints/index.ts'
import { programLine } from '../support/program.ts'
import { exchange } from '../support/raw.ts'
import { refusalProblem } from '../support/shape.ts'
import { playerProblem } from './players.ts'
import { startMutating } from './mutating.ts'
import type { Question, Word } from './relay.ts'
import { requests, type FuzzRequest } from './requests.ts'

interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** Number of requests in flight. */
  readonly concurrency?: number
  /** A slower answer is a failure (2 s). */
  readonly slowMs?: number
  readonly progress?: (line: string) => void
}

interface FuzzReport {
  /** Number of answers by kind of request, then by status. `none`: the server only closed the connection. */
  readonly table: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly perSecond: number
  readonly slowestMs: number
  /** Growth of the relay's resident memory after the first fifth of the run, in MB. */
  readonly driftMb: number
  /** Violated bars, with the requests that caused them. Empty if the run passed. */
  readonly failures: readonly string[]
}

/** Limits that a run must meet. */
export const bars = { slowestMs: 2000, driftMb: 30 } as const

/** After a damaged message, the client waits this long for an answer before it disconnects. */
const patienceMs = 300
const batch = 1000
const known = new Set<number>([200, 204, 302, 304, ...Object.values(errorCodes).map(({ status }) => status)])

export async function fuzz (
  { requests: count, seed, concurrency = 16, slowMs = bars.slowestMs, progress = () => {} }: FuzzOptions
): Promise<FuzzReport> {
  const failures: string[] = []
  const fail = (what: string, request?: FuzzRequest): void => {
    if (failures.length === 100) return
    failures.push(request === undefined ? what : `${what}\n    ${shown(request)}`)
    progress(failures.at(-1) ?? '')
  }
  const demo = await startDemoUpstream({ holdMs: 20 })
  const mutating = await startMutating(demo, seed)
  const relay = await startRelay(mutating.origin, fail)
  const pool =
    new Pool(relay.address, { connections: concurrency, pipelining: 1, headersTimeout: 20_000, bodyTimeout: 20_000 })
  // The first one reads the whole document: no answer's time, and a second from the sources.
  await pool.request({ method: 'GET', path: '/docs/json' }).then(async ({ body }) => { await body.dump() })
  const arbitrary = requests(registry)
  const table: Record<string, Record<string, number>> = {}
  const started = performance.now()
  let slowestMs = 0
  let warmMb = 0

  async function ask (request: FuzzRequest): Promise<void> {
    const before = performance.now()
    const { status, problem } = 'bytes' in request ? await askRaw(relay.address, request.bytes)
      : await askClient(pool, request, relay.marks)
    const ms = performance.now() - before
    slowestMs = Math.max(slowestMs, ms)
    if (ms > slowMs) fail(`took ${Math.round(ms)} ms`, request)
    const row = table[request.kind] ??= {}
    row[status] = (row[status] ?? 0) + 1
    if (problem !== undefined) fail(problem, request)
  }

  try {
    for (let first = 0, number = 0; first < count && relay.alive(); first += batch, number++) {
      const queue = fc.sample(
        arbitrary, { seed: (seed * 1_000_003 + number) | 0, numRuns: Math.min(batch, count - first) }
      ).values()
      await Promise.all(
        Array.from({ length: concurrency }, async () => { for (const request of queue) await ask(request) })
      )
      demo.reset()
      mutating.received.length = 0
      if (first <= count / 5) warmMb = await relay.ask('memory')
      const done = Math.min(first + batch, count)
      if (number % Math.max(1, Math.round(count / batch / 20)) === 0) progress(`${done} of ${count}: ${Math.round(done / (performance.now() - started) * 1000)}/s, ${Math.round(await relay.ask('memory'))} MB, ${failures.length} failures`)
    }
    const perSecond = count / (performance.now() - started) * 1000
    const driftMb = await relay.ask('memory') - warmMb
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/getHotkey' })
    await body.dump()
    if (statusCode !== 200) fail(`the last healthy request got ${statusCode}`)
    await pool.close()
    await allLeft(relay, fail)
    return { table, perSecond, slowestMs, driftMb, failures }
  } finally {
    await pool.destroy().catch(() => {})
    await relay.stop()
    await mutating.close()
    await demo.close()
  }
}

interface Relay {
  readonly address: string
  /** What stands for a secret in a header, and the secret. No answer holds one. */
  readonly marks: Readonly<Record<string, string>>
  alive (): boolean
  ask (question: Question): Promise<number>
  stop (): Promise<void>
}

async function startRelay (origin: string, fail: (what: string) => void): Promise<Relay> {
  const line = programLine('test/fuzz/relay.ts')
  const child = fork(line.at(-1) as string, [origin], {
    execArgv: ['--expose-gc', ...line.slice(0, -1)], stdio: ['ignore', 'inherit', 'pipe', 'ipc']
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { said += text })
  const ended = new Promise<void>((resolve) => { child.once('exit', () => { resolve() }) })
  let stopping = false
  child.once('exit', (code, signal) => { if (!stopping || code !== 0) fail(`crash: the relay ended with ${code ?? signal}: ${said.slice(-2000)}`) })
  let marks: Readonly<Record<string, string>> = {}
  child.on('message', (heard: Word) => { if ('marks' in heard) marks = heard.marks })
  const word = async (key: 'address' | Question): Promise<string | number> => await new Promise((resolve, reject) => {
    const hear = (heard: Word): void => {
      if (!(key in heard)) return
      child.off('message', hear)
      resolve((heard as Record<string, string | number>)[key] as string | number)
    }
    child.on('message', hear)
    child.once('exit', () => { reject(new Error(`the relay ended: ${said.slice(-2000)}`)) })
  })
  child.on('message', (heard: Word) => { if ('bug' in heard) fail(`bug: ${heard.bug}`) })
  child.setMaxListeners(0)
  const address = String(await word('address'))
  return {
    address,
    marks,
    alive: () => child.exitCode === null && child.signalCode === null,
    ask: async (question) => {
      if (!child.connected) throw new Error(`the relay ended: ${said.slice(-2000)}`)
      const answer = word(question)
      child.send(question)
      return Number(await answer)
    },
    stop: async () => {
      stopping = true
      if (child.connected) child.disconnect()
      await ended
    }
  }
}

type Judged = Promise<{ status: string, problem: string | undefined }>

async function askClient (
  pool: Pool, { method, target, headers: marked, body }: Exclude<FuzzRequest, { bytes: Buffer }>,
  marks: Readonly<Record<string, string>>
): Judged {
  const headers = Object.fromEntries(Object.entries(marked)
    .map(([name, value]) => [name, value.replaceAll(/\{\w+-\d\}/g, (mark) => marks[mark] ?? mark)]))
  try {
    const answer = await pool.request({
      method: method as 'GET', path: target, headers: { host: 'localhost', ...headers }, body: body ?? null
    })
    const text = await answer.body.text()
    const told = text + JSON.stringify(answer.headers)
    if (Object.values(marks).some((secret) => told.includes(secret))) {
      return { status: String(answer.statusCode), problem: `a secret: ${told.slice(0, 300)}` }
    }
    const header = (name: string): string | undefined => [answer.headers[name]].flat()[0]
    const ofPlayer = target.startsWith('/rest/') && answer.statusCode !== 500 && method !== 'HEAD'
    if (ofPlayer) return { status: String(answer.statusCode), problem: playerProblem({
      status: answer.statusCode, text, type: header('content-type') ?? ''
    }) }
    return { status: String(answer.statusCode), problem: problemOf(
      { status: answer.statusCode, text, header }, method === 'HEAD'
    ) }
  } catch (error) {
    return { status: 'none', problem: `no answer: ${String((error as { code?: unknown }).code ?? error)}` }
  }
}

async function askRaw (address: string, bytes: Buffer): Judged {
  const { answers, rest } =
    await exchange(address, bytes, { patienceMs, head: bytes.subarray(0, 4).toString('latin1') === 'HEAD' })
  const problems = answers.map(({ status, text, headers }) =>
    problemOf({ status, text, header: (name) => headers.get(name) }, text === ''))
  return { status: answers.map(({ status }) => status).join('+') || 'none', problem: problems.find((problem) =>
    problem !== undefined
  ) ?? (rest === '' ? undefined : `half an answer: ${rest.slice(0, 80)}`) }
}

function problemOf (
  answer: { status: number, text: string, header: (name: string) => string | undefined }, bodyless: boolean
): string | undefined {
  const { status, text } = answer
  if (status === 500) return `500 ${text}`
  if (!known.has(status)) return `status ${status}`
  if (status < 400) return undefined
  const problem = refusalProblem(answer, { bodyless })
  return problem === undefined ? undefined : `${status}: ${problem}`
}

/** After all clients have disconnected, no connection may be open. */
async function allLeft (relay: Relay, fail: (what: string) => void): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await relay.ask('connections') === 0) return
    await new Promise((resolve) => { setTimeout(resolve, 50) })
  }
  fail(`${await relay.ask('connections')} connections are left open`)
}

function shown (request: FuzzRequest): string {
  if ('bytes' in request) return JSON.stringify(request.bytes.toString('latin1')).slice(0, 2000)
  const { method, target, headers, body } = request
  return `${method} ${target} ${JSON.stringify(headers)} ${body ?? ''}`.slice(0, 2000)
}
