/**
 * Probes endpoints while the upstream fails. Each case has a relay and an upstream of its own, so that the state of one
 * case (an open circuit breaker, a pause) does not affect the next.
 */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import pLimit from 'p-limit'
import type { Test } from 'tap'
import { request } from 'undici'
import { buildApp } from '../../src/app.ts'
import { RelayError, UpstreamError } from '../../src/common/errors.ts'
import { createRelay } from '../../src/library/relay.ts'
import type { Relay, RelayOptions } from '../../src/library/relay.ts'
import { headersFrom } from '../support/helper.ts'
import { brisk, unhurried } from '../support/unhurried.ts'
import { sampleOf } from '../support/whole.ts'
import { badPayload, broken, business, emptyMv, honest, large, noHttp, passing, redirects, shapeless, slow, statuses } from './rows.ts'
import type { Row } from './rows.ts'
import { demoInProcess, startFaultServer } from './server.ts'
import type { FaultServer } from './server.ts'

export interface Probe {
  readonly name: string
  readonly path: string
  /** Login of the request, for an endpoint that needs one. */
  readonly cookie?: string
  readonly ask: (relay: Relay) => Promise<unknown>
  /** The call and its fallbacks in order, by their upstream names. */
  readonly links: readonly string[]
  /** Number of calls that are sent at the same time as the first one. */
  readonly beside: number
  /** Number of links that share a rest with two links before them. */
  readonly resting?: number
  /** An answer without the requested item may mean that the item does not exist. */
  readonly mayBeMissing?: true
}

export const demo = demoInProcess()

interface Line { readonly route?: string, readonly level?: string, readonly upstream?: readonly { readonly outcome: string }[] }

interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly ms: number
  readonly line: Line
  /** Status of the next request, for something else, after the upstream recovered. */
  readonly next: number
}

/** Sends one request to the failing upstream and, after it recovered, one for something else. */
export async function askRelay (origin: string, { path, cookie }: Pick<Probe, 'path' | 'cookie'>, options: RelayOptions, heal: () => void): Promise<Seen> {
  const log: string[] = []
  const app = await buildApp({ docs: false, pages: false, ...unhurried, upstreamOrigin: origin, logTo: { write: (line) => { log.push(line) } }, ...options, tuning: brisk(options.tuning) })
  try {
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const started = performance.now()
    const answer = await request(`${address}${path}`, { headers: cookie === undefined ? {} : { 'x-custom-cookie': cookie } })
    const text = await answer.body.text()
    const ms = performance.now() - started
    heal()
    const after = await request(`${address}/getHotkey`)
    await after.body.dump()
    const lines = log.map((line) => JSON.parse(line) as Line)
    const line = lines.find(({ route }) => route === path.split('?', 1)[0]) ?? {}
    return { status: answer.statusCode, headers: headersFrom(answer.headers), text, ms, line, next: after.statusCode }
  } finally {
    await app.close()
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
  if (seen.status < 400) return problems
  const body = JSON.parse(seen.text) as { error: string, code: string }
  if (Object.keys(body).sort().join() !== 'code,error') problems.push(`error body ${seen.text}`)
  if (body.error.length < 1 || body.error.length > 300) problems.push('a sentence of no or too many characters')
  if (tooMuch.test(body.error)) problems.push(`the sentence tells too much: ${body.error}`)
  if (seen.headers.get('cache-control') !== 'no-store') problems.push('an error may be stored')
  if (seen.status === 503 && !/^\d+$/.test(seen.headers.get('retry-after') ?? '')) problems.push('503 without Retry-After')
  if (seen.status >= 500 && seen.status !== 503 && seen.line.level !== 'error') problems.push(`logged at ${seen.line.level}`)
  return problems
}

/** After a fault the relay works again. Only a host that sent Retry-After gets no requests. */
const aliveAfter = (seen: Seen): string[] => seen.next === 200 || (seen.status === 503 && seen.next === 503) ? [] : [`the next request has ${seen.next}`]

/** Fewest and most requests that the upstream should get. */
function attempts ({ links, beside, resting = 0 }: Probe, { blame, times, rests }: Row): readonly [number, number] {
  const asked = links.length - (rests === true ? resting : 0)
  switch (blame) {
    case 'none': return times === undefined ? [1, 3 + beside] : [2, 4 + 2 * beside]
    case 'call': return [asked + beside, asked + beside]
    case 'host': return [2 + beside, 2 + 2 * beside] // the fallback replaces the retry; a call without a fallback is retried
    case 'failing': return [Math.max(2, links.length) + beside, Math.max(2, links.length) + 2 * beside] // a call without a fallback is retried
    case 'time': return [1, 1 + beside]
  }
}

/** What a busy machine may add to the deadline of an answer, in milliseconds. Beyond it the answer hangs, or its reader is quadratic. */
export const spareMs = 10_000

function problemsOf (row: Row, probe: Probe, seen: Seen, server: FaultServer, asked: number, plain: string): string[] {
  const problems = [...common(seen), ...aliveAfter(seen)]
  const wrong = (what: string, is: unknown): void => { problems.push(`${what}: ${String(is)}`) }
  const { code, error } = (seen.status < 400 ? {} : JSON.parse(seen.text)) as { code?: string, error?: string }
  if (seen.status !== row.status) wrong('status', `${seen.status} ${seen.text.slice(0, 300)}`)
  if (code !== row.code) wrong('code', code)
  if (row.status === 200 && seen.status === 200 && row.times === undefined && seen.text !== plain) wrong('not the body of a plain answer', seen.text.slice(0, 300))
  const bound = (row.settings?.deadlineMs ?? 1000) + spareMs
  if (seen.ms > bound) wrong(`more than ${bound} ms`, seen.ms)
  const [least, most] = attempts(probe, row)
  if (asked < least || asked > most) wrong(`attempts, not ${least} to ${most}`, asked)
  if (server.received.some(({ headers }) => headers['cookie'] !== undefined)) problems.push('the next request brings back a cookie of the upstream')
  // Of concurrent calls, the decisive one ends the others. Those are not counted.
  const outcomes = (seen.line.upstream ?? []).map(({ outcome }) => outcome).filter((outcome) => outcome !== 'client_gone')
  if (outcomes.length === 0 || !outcomes.every((outcome) => row.outcome.test(outcome))) wrong(`log outcome, not ${row.outcome.source}`, outcomes)
  if (row.retryAfter !== undefined && seen.headers.get('retry-after') !== row.retryAfter) wrong('retry-after', seen.headers.get('retry-after'))
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
async function canaryFor (t: Test): Promise<{ origin: string, asked: () => number }> {
  let asked = 0
  const server = createServer((socket) => {
    asked++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => { server.once('listening', resolve) })
  t.teardown(() => { server.close() })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

/** Runs one row with a relay and an upstream of its own. Returns the problems. */
export async function runRow (row: Row, probe: Probe, plain: string): Promise<string[]> {
  let problems: string[] = []
  await withServer(async (server) => {
    server.fail(row.fault, row.times === undefined ? {} : { times: row.times })
    let asked = 0
    const seen = await askRelay(server.origin, probe, row.settings ?? {}, () => {
      asked = server.received.length
      server.heal()
    })
    problems = problemsOf(row, probe, seen, server, asked, plain)
    await server.until(0, spareMs).catch((error: Error) => { problems.push(error.message) })
  })
  return problems
}

/** Only the first call fails. Its fallback answers, unless the first call was too slow or got Retry-After. */
async function runFirstLink (row: Row, { ask, links }: Probe): Promise<string[]> {
  const problems: string[] = []
  const [first, second] = links as [string, string]
  await withServer(async (server) => {
    server.fail(row.fault, { call: first })
    const relay = createRelay({ upstreamOrigin: server.origin, ...row.settings })
    const error = await ask(relay).then(() => undefined, (error: unknown) => error)
    const mayMove = row.blame === 'call' || row.blame === 'host' || row.blame === 'failing'
    if (mayMove && error !== undefined) problems.push(`the next link should answer: ${(error as Error).message}`)
    if (!mayMove && !(error instanceof UpstreamError && error.code === row.code && row.outcome.test(error.outcome))) problems.push(`should end with ${row.code}: ${error instanceof RelayError ? error.code : error}`)
    if (server.asked(first) < 1 || (mayMove !== server.asked(second) > 0)) problems.push(`asked ${server.asked(first)} and ${server.asked(second)} times`)
    await relay.close()
  })
  return problems
}

/** A refusal of a login is about that login: it has its own code, and no other call is asked. */
const aboutLogin = (rows: readonly Row[], { cookie }: Probe): readonly Row[] =>
  cookie === undefined ? rows : rows.map((row) => row.refusesLogin === true ? { ...row, code: 'COOKIE_REJECTED', blame: 'time' } : row)

/** Endpoints of a file share the rows: each row is tried with one of four, with WHOLE=1 with all. */
const sharing = 4

/** Defines the tests of the matrix for these probes. */
export function testMatrix (t: Test, probes: readonly Probe[]): void {
  for (const [turn, probe] of probes.entries()) {
    t.test(`${probe.name}: every failure has its status, its word, its attempts and its class`, async (t) => {
      const canary = await canaryFor(t)
      let plain = ''
      await withServer(async (server) => { plain = (await askRelay(server.origin, probe, {}, () => {})).text })
      const rows = [...slow, ...honest, ...passing, ...broken, ...noHttp, ...badPayload, ...large, ...statuses, ...redirects(canary.origin), ...business]
      await all(aboutLogin([...sampleOf(rows, sharing, turn), ...probe.name === 'getMvPlay' ? emptyMv : []], probe), async (row) => { t.same(await runRow(row, probe, plain), [], row.name) })
      t.equal(canary.asked(), 0, 'no other host is asked')
      t.equal(({} as { polluted?: unknown }).polluted, undefined)
    })

    if (probe.links.length > 1) t.test(`${probe.name}: where one call fails, the next one for the same thing is asked, except after a wait`, async (t) => {
      const rows = [...slow.slice(0, 2), ...broken, ...noHttp, ...badPayload, ...large, ...statuses, ...redirects('http://127.0.0.1:9'), ...business]
      await all(aboutLogin(sampleOf(rows, sharing, turn), probe), async (row) => { t.same(await runFirstLink(row, probe), [], row.name) })
    })

    t.test(`${probe.name}: an answer without the data is missed with 502, or has empty lists where nothing is needed`, async (t) => {
      await all(sampleOf(shapeless, sharing, turn), async ([name, fault]) => {
        await withServer(async (server) => {
          server.fail(fault)
          const seen = await askRelay(server.origin, probe, {}, () => { server.heal() })
          const problems = [...common(seen), ...aliveAfter(seen)]
          const allowed = probe.mayBeMissing === true ? [200, 404, 502] : [200, 502]
          if (!allowed.includes(seen.status)) problems.push(`status ${seen.status} ${seen.text}`)
          t.same(problems, [], name)
        })
      })
    })
  }
}
