/**
 * Probes the relay while its upstream fails. Cases share a relay whose clock is an hour later for each, so that a pause
 * or an open circuit breaker of one does not affect the next.
 */
import { createServer } from 'node:net'
import pLimit from 'p-limit'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { RelayError, UpstreamError } from '../../src/common/errors.ts'
import type { Tuning } from '../support/constants.ts'
import { createRelay, type RelayOptions } from '../../src/library/relay.ts'
import { headersFrom } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { brisk, forgetful, unhurried } from '../support/unhurried.ts'
import {
  badPayload, broken, business, honest, large, noHttp, passing, redirects, shapeless, slow, statuses, type Row
} from './rows.ts'
import type { Probe } from './probes.ts'
import { demoInProcess, startFaultServer, type FaultServer } from './server.ts'
import { listening } from '../support/listening.ts'

export const demo = demoInProcess()

interface Line {
  readonly route?: string
  readonly level?: string
  readonly upstream?: readonly { readonly outcome: string }[]
}

interface Answered { readonly status: number, readonly headers: Headers, readonly text: string }

interface Seen extends Answered {
  readonly line: Line
  /** Number of requests that the upstream got. */
  readonly asked: number
  /** Status of the next request, for something else, after the upstream recovered. */
  readonly next: number
}

const hour = 3_600_000

/** Circuit breakers, budgets and pauses have tests of their own. */
const steady: Tuning =
  brisk({ ...forgetful, retryDelayMinMs: 0, retryDelayMaxMs: 0, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 })

const patient = (options: RelayOptions): RelayOptions =>
  ({ ...unhurried, deadlineMs: 60_000, ...options, tuning: { ...steady, ...options.tuning } })

export interface Ground {
  readonly server: FaultServer
  readonly clock: { now: number }
  /** Sends one request. */
  ask (probe: Pick<Probe, 'path' | 'cookie'>, headers?: Record<string, string>): Promise<Answered>
  /** Sends one request to the failing upstream and, after it recovered, one for something else. */
  askOnce (probe: Pick<Probe, 'path' | 'cookie'>): Promise<Seen>
  /** Closes both. Rejects if the relay leaves a connection open. */
  close (): Promise<void>
}

/** A relay in front of an upstream that fails on purpose; `origin` of the options: of another upstream instead. */
export async function groundFor (options: RelayOptions = {}): Promise<Ground> {
  const server = await startFaultServer(demo)
  const clock = { now: 0 }
  const log: Line[] = []
  const app = await buildApp({
    docs: false, pages: false, cache: false, upstreamOrigin: server.origin, now: () => clock.now,
    logTo: { write: (line) => { log.push(JSON.parse(line) as Line) } }, ...patient(options)
  })
  const ask: Ground['ask'] = async ({ path, cookie }, headers = {}) => {
    const own = cookie === undefined ? headers : { ...headers, 'x-custom-cookie': cookie }
    const { statusCode, headers: answered, body } = await app.inject({ url: path, headers: own })
    return { status: statusCode, headers: headersFrom(answered as Record<string, string>), text: body }
  }
  return {
    server,
    clock,
    ask,
    askOnce: async (probe) => {
      let answer: Answered
      do {
        log.length = 0
        answer = await ask(probe)
        // On a busy machine, a short deadline passes before the upstream is asked, or before it notices.
        if (answer.status === 504) await settled()
      } while (answer.status === 504 && server.received.length === 0)
      const asked = server.received.length
      server.heal()
      let { status: next } = await ask({ path: '/getHotkey' })
      // A short timeout may hit this one, too. Then it is asked again.
      while (next === 504) next = (await ask({ path: '/getHotkey' })).status
      const line = log.find(({ route }) => route === probe.path.split('?', 1)[0]) ?? {}
      return { ...answer, line, asked, next }
    },
    close: async () => {
      await app.close()
      await server.until(0, 20_000).finally(server.close)
    }
  }
}

const tooMuch = /127\.0\.0\.1|localhost|:\d{3,5}\b|\.fcg|cgi-bin|undici|UND_ERR|ECONN|\bat \w+ ?\(|node:/i

/** Violations of the rules for every answer, whatever happened. */
export function common (seen: Seen): string[] {
  const problems: string[] = []
  if (seen.headers.get('content-type') !== 'application/json; charset=utf-8') problems.push(`content type ${seen.headers.get('content-type')}`)
  if (seen.headers.get('x-request-id') === null) problems.push('no x-request-id')
  if (seen.headers.get('set-cookie') !== null) problems.push('a Set-Cookie is passed on')
  if (/\uFFFD|polluted|set-cookie/i.test(seen.text)) problems.push(`the body holds what the upstream slipped in: ${seen.text.slice(0, 200)}`)
  // Only a host that sent Retry-After gets no requests.
  if (seen.next !== 200 && !(seen.status === 503 && seen.next === 503)) {
    problems.push(`the next request has ${seen.next}`)
  }
  if (seen.status < 400) return problems
  const body = JSON.parse(seen.text) as { error: string, code: string }
  if (Object.keys(body).sort().join() !== 'code,error') problems.push(`error body ${seen.text}`)
  if (body.error.length < 1 || body.error.length > 300) problems.push('a sentence of no or too many characters')
  if (tooMuch.test(body.error)) problems.push(`the sentence tells too much: ${body.error}`)
  if (seen.headers.get('cache-control') !== 'no-store') problems.push('an error may be stored')
  if (seen.status === 503 && !/^\d+$/.test(seen.headers.get('retry-after') ?? '')) {
    problems.push('503 without Retry-After')
  }
  if (seen.status >= 500 && seen.status !== 503 && seen.line.level !== 'error') {
    problems.push(`logged at ${seen.line.level}`)
  }
  return problems
}

/** Fewest and most requests that the upstream should get. */
function attempts ({ links, beside = 0, resting = 0 }: Probe, { blame, times, rests }: Row): readonly [number, number] {
  const asked = links.length - (rests === true ? resting : 0)
  switch (blame) {
    case 'none': return times === undefined ? [1, 3 + beside] : [2, 4 + 2 * beside]
    case 'call': return [asked + beside, asked + beside]
    // the fallback replaces the retry; a call without a fallback is retried
    case 'host': return [2 + beside, 2 + 2 * beside]
    case 'failing': return [Math.max(2, links.length) + beside, Math.max(2, links.length) + 2 * beside] // the same
    case 'time': return [1, 1 + beside]
  }
}

/** Runs one row. Returns the problems. */
async function runRow ({ server, clock, askOnce }: Ground, row: Row, probe: Probe, plain: string): Promise<string[]> {
  clock.now += hour
  server.heal()
  server.fail(row.fault, row.times === undefined ? {} : { times: row.times })
  const seen = await askOnce(probe)
  const problems = common(seen)
  const wrong = (what: string, is: unknown): void => { problems.push(`${what}: ${String(is)}`) }
  const { code, error } = (seen.status < 400 ? {} : JSON.parse(seen.text)) as { code?: string, error?: string }
  if (seen.status !== row.status) wrong('status', `${seen.status} ${seen.text.slice(0, 300)}`)
  if (code !== row.code) wrong('code', code)
  const isPlain = row.status !== 200 || seen.status !== 200 || row.times !== undefined || seen.text === plain
  if (!isPlain) wrong('not the body of a plain answer', seen.text.slice(0, 300))
  const [least, most] = attempts(probe, row)
  if (seen.asked < least || seen.asked > most) wrong(`attempts, not ${least} to ${most}`, seen.asked)
  if (server.received.some(({ headers }) => headers['cookie'] !== undefined)) {
    problems.push('the next request brings back a cookie of the upstream')
  }
  // Of concurrent calls, the decisive one ends the others. Those are not counted.
  const outcomes = (seen.line.upstream ?? [])
    .map(({ outcome }) => outcome).filter((outcome) => outcome !== 'client_gone')
  if (outcomes.length === 0 || !outcomes.every((outcome) => row.outcome.test(outcome))) {
    wrong(`log outcome, not ${row.outcome.source}`, outcomes)
  }
  if (row.retryAfter !== undefined && seen.headers.get('retry-after') !== row.retryAfter) {
    wrong('retry-after', seen.headers.get('retry-after'))
  }
  if (row.says !== undefined && !row.says.test(error ?? '')) wrong('sentence', error)
  if (row.mostSent !== undefined && server.mostSent() > row.mostSent) wrong('bytes taken', server.mostSent())
  return problems
}

/** Runs the cases, a few at a time, so that their waiting times overlap. */
export async function all<T> (cases: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const slots = pLimit(4)
  await Promise.all(cases.map((item) => slots(run, item)))
}

export async function withServer (run: (server: FaultServer) => Promise<void>): Promise<void> {
  const server = await startFaultServer(demo)
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

/** A host that must not be contacted. Counts the attempts. */
export async function canaryFor (t: Test): Promise<{ origin: string, asked: () => number }> {
  let asked = 0
  const server = createServer((socket) => {
    asked++
    socket.destroy()
  })
  return { origin: await listening(t, server), asked: () => asked }
}

/** All failures of an answer that is JSON. */
export const allRows = (elsewhere: string): readonly Row[] =>
  [
    ...honest, ...passing, ...broken, ...noHttp, ...badPayload, ...large, ...statuses, ...redirects(elsewhere),
    ...business, ...slow
  ]

/** Rows that take long, or much memory. `npm test` tries them with one endpoint. */
export const isHeavy = ({ name }: Row): boolean => /MB|deep/.test(name)
export const isSlow = ({ settings }: Row): boolean => settings !== undefined

/** Rows with the same settings share a relay. */
function bySettings (rows: readonly Row[]): (readonly Row[])[] {
  const groups = new Map<RelayOptions | undefined, Row[]>()
  for (const row of rows) groups.set(row.settings, [...groups.get(row.settings) ?? [], row])
  return [...groups.values()]
}

async function plainOf (probe: Probe): Promise<string> {
  const { ask, close } = await groundFor()
  const { text } = await ask(probe)
  await close()
  return text
}

/** A refusal of a login is about that login: it has its own code, and no other call is asked. */
const aboutLogin = (row: Row, { cookie }: Probe): Row =>
  cookie !== undefined && row.refusesLogin === true ? { ...row, status: 401, code: 'COOKIE_REJECTED', blame: 'time' }
    : row

/** Each of these rows at this endpoint. Returns what is wrong. */
export async function wrongWith (probe: Probe, rows: readonly Row[]): Promise<string[]> {
  const plain = await plainOf(probe)
  const found = await Promise.all(bySettings(rows).map(async (group) => {
    const ground = await groundFor(group[0]?.settings)
    const wrong: string[] = []
    for (const row of group) {
      const problems = await runRow(ground, aboutLogin(row, probe), probe, plain)
      wrong.push(...problems.map((problem) => `${probe.name}, ${row.name}: ${problem}`))
    }
    await ground.close().catch((error: Error) => { wrong.push(`${probe.name}: ${error.message}`) })
    return wrong
  }))
  return found.flat()
}

/** Only the first call fails. Its fallback answers, unless the first call was too slow or got Retry-After. */
export async function wrongWithFirst (probe: Probe, rows: readonly Row[]): Promise<string[]> {
  const { name, ask, links: [first, second] } = probe as Probe & { links: [string, string] }
  const found = await Promise.all(bySettings(rows).map(async (group) => {
    const wrong: string[] = []
    await withServer(async (server) => {
      let now = 0
      const relay = createRelay({ upstreamOrigin: server.origin, now: () => now, ...patient(group[0]?.settings ?? {}) })
      for (const row of group.map((each) => aboutLogin(each, probe))) {
        const say = (problem: string): void => { wrong.push(`${name}, ${row.name}: ${problem}`) }
        now += hour
        server.heal()
        server.fail(row.fault, { call: first })
        const error = await ask(relay).then(() => undefined, (error: unknown) => error)
        const mayMove = row.blame === 'call' || row.blame === 'host' || row.blame === 'failing'
        const isRow = error instanceof UpstreamError && error.code === row.code && row.outcome.test(error.outcome)
        if (mayMove && error !== undefined) say(`the next link should answer: ${(error as Error).message}`)
        if (!mayMove && !isRow) say(`should end with ${row.code}: ${error instanceof RelayError ? error.code : String(error)}`)
        if (server.asked(first) < 1 || (mayMove !== server.asked(second) > 0)) {
          say(`asked ${server.asked(first)} and ${server.asked(second)} times`)
        }
      }
      await relay.close()
    })
    return wrong
  }))
  return found.flat()
}

/** An answer without the data is missed with 502, or has empty lists where nothing is needed. */
export async function wrongWithoutData (probe: Probe): Promise<string[]> {
  const { clock, server, askOnce, close } = await groundFor()
  const wrong: string[] = []
  const allowed = probe.mayBeMissing === true ? [200, 404, 502] : [200, 502]
  for (const [name, fault] of shapeless) {
    clock.now += hour
    server.heal()
    server.fail(fault)
    const seen = await askOnce(probe)
    const problems = [...common(seen), ...allowed.includes(seen.status) ? [] : [`status ${seen.status} ${seen.text}`]]
    wrong.push(...problems.map((problem) => `${probe.name}, ${name}: ${problem}`))
  }
  await close()
  return wrong
}
