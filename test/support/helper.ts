/**
 * Test helpers: the demo upstream, and a relay or a listening server in front of it, with real sockets between them.
 * Every reply of a server is checked against its documented schema.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv, type ValidateFunction } from 'ajv'
import type { TSchema } from '@sinclair/typebox'
import { request } from 'undici'
import type { Test } from 'tap'
import { components } from '../../schemas/index.ts'
import { ErrorBody, type ErrorCode } from '../../schemas/errors.ts'
import { buildApp } from '../../src/app.ts'
import { buildWorks } from '../../src/demo/catalogue/index.ts'
import type { Works } from '../../src/demo/catalogue/types.ts'
import {
  startDemoUpstream, type DemoAccount, type DemoOptions, type DemoUpstream, type Fault, type Received
} from '../../src/demo/upstream.ts'
import { formsOf, type AnyEndpoint } from '../../src/relay/endpoint.ts'
import { registry } from '../../src/endpoints/index.ts'
import { failuresOf } from '../../build/openapi/failures.ts'
import { operations, type Operation } from '../../src/openapi/operations.ts'
import { createRelay, type Relay, type RelayOptions } from '../../src/library/relay.ts'
import { brisk, unhurried } from './unhurried.ts'

export const endpoints: Readonly<Record<string, AnyEndpoint>> = registry

/** By the number of liked songs, for all demos of a process: building one takes longer than the rest of their start. */
const works = new Map<number | undefined, Works>()

export async function demoFor (t: Test, options: DemoOptions = {}): Promise<DemoUpstream> {
  const { memberLikes } = options
  if (!works.has(memberLikes)) works.set(memberLikes, buildWorks(memberLikes))
  const demo = await startDemoUpstream({ ...options, works: works.get(memberLikes) })
  t.teardown(async () => { await demo.close() })
  return demo
}

/** The cookie of a demo account, as a browser would send it. */
export function cookieOf (demo: DemoUpstream, name: DemoAccount['name']): string {
  return demo.accounts.find((account) => account.name === name)?.cookie ?? ''
}

/** Account number of the member, too large for a JavaScript number. */
export const memberUin = '1152921504600000203'

/** MID of a song of the demo. Numbers start at 1. */
export const song = (number: number): string => `00DemoSong${String(number).padStart(4, '0')}`

/** Three faults that make a call useless. */
export const dead: readonly Fault[] = [{ code: 500003 }, { body: '<html>busy</html>' }, { status: 500 }]

/** What all calls of a gateway request have in common: the caller and its program. */
export const commOf = (received: Received | undefined): any => (received?.body as any)?.comm

/** Parameters of the first call of a gateway request. */
export const paramOf = (received: Received | undefined): any => (received?.body as any)?.req_0.param

/** How often a call was asked. Several questions may share one request. */
export const timesAsked = (demo: DemoUpstream, call: string): number =>
  demo.received.flatMap(({ calls }) => calls).filter((each) => each === call).length

/** A relay from the library, in front of a demo upstream. Closed after the test. */
export function relayFor (t: Test, demo: { origin: string }, options: RelayOptions = {}): Relay {
  const relay = createRelay({
    upstreamOrigin: demo.origin, imageOrigin: demo.origin, ...unhurried, ...options, tuning: brisk(options.tuning)
  })
  t.teardown(async () => { await relay.close() })
  return relay
}

/** Resolves once `happened` returns true. Rejects when the test that waits has long ended by its time limit, so that nothing polls for ever. */
export async function until (happened: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 4000 * (Number(process.env['TEST_SECONDS']) || 600)
  while (!await happened()) {
    if (performance.now() > end) throw new Error(`this did not happen: ${String(happened)}`)
    await new Promise((resolve) => { setTimeout(resolve, 2) })
  }
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  // Untyped, because the schema check has already validated the whole body.
  body: any
}

/** Those of an answer of undici. */
export const headersFrom = (given: Readonly<Record<string, string | string[] | undefined>>): Headers =>
  new Headers(Object.entries(given)
    .flatMap(([name, values]) => [values ?? []].flat().map((value): [string, string] => [name, value])))

const unpack: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync }

export interface Ask { headers?: Record<string, string>, method?: string, body?: string }

export interface Server {
  address: string
  /** Log lines so far. */
  log: string[]
  /** Keys of the cache entries. */
  cacheKeys: () => string[]
  get (path: string, ask?: Ask): Promise<Reply>
  /** `body` is sent as JSON. */
  post (path: string, body?: unknown, ask?: Ask): Promise<Reply>
}

/** What a client of `undici` sends beside its own headers, as `fetch` does, except for compression. */
const usual = { 'accept': '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }

/**
 * The relay as a listening server in front of a demo upstream. Unless `wire` is set, requests that nobody aborts reach
 * it without a socket, which is half of what they cost. By default the cache is off, because most tests watch what
 * reaches the upstream; docs and pages are off, because every server would register them anew; load shedding is off, so
 * that a busy machine causes no refusals.
 */
export async function serverFor (
  t: Test, demo: { origin: string }, options: RelayOptions = {}, wire = false
): Promise<Server> {
  const log: string[] = []
  const app = await buildApp({
    docs: false, pages: false, cache: false, ...unhurried, upstreamOrigin: demo.origin, imageOrigin: demo.origin,
    logTo: { write: (line) => { log.push(line) } }, ...options, tuning: brisk(options.tuning)
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => { await app.close() })
  const send = async (path: string, { method = 'GET', body: payload = '', ...init }: Ask) => {
    const headers = { ...usual, ...init.headers }
    if (!wire && !('signal' in init)) {
      const injected = { method: method as 'GET', url: path, headers: { host: new URL(address).host, ...headers } }
      const answer = await app.inject(payload === '' ? injected : { ...injected, payload })
      return {
        status: answer.statusCode, headers: headersFrom(answer.headers as Record<string, string>),
        bytes: answer.rawPayload
      }
    }
    const sent =
      { ...init, method, headers, ...payload === '' ? {} : { body: payload } } as Parameters<typeof request>[1]
    const { statusCode: status, headers: given, body } = await request(`${address}${path}`, sent)
    return { status, headers: headersFrom(given), bytes: Buffer.from(await body.arrayBuffer()) }
  }
  const ask = async (path: string, init: Ask): Promise<Reply> => {
    const { status, headers, bytes } = await send(path, init)
    const text = (unpack[headers.get('content-encoding') ?? '']?.(bytes) ?? bytes).toString()
    const json = headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    const reply = { status, headers, text, body: json ? JSON.parse(text) : undefined }
    if (json) checkReply(init.method ?? 'GET', path, reply)
    return reply
  }
  return {
    address,
    log,
    cacheKeys: () => app.runtime.answers.cache?.keys() ?? [],
    get: async (path, init = {}) => await ask(path, init),
    post: async (path, body, init = {}) => await ask(path, {
      ...init,
      method: 'POST',
      ...(body === undefined ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...init.headers } })
    })
  }
}

/** The same where the wire is the subject: each request goes through a socket. */
export const serverOnWire = async (t: Test, demo: { origin: string }, options: RelayOptions = {}): Promise<Server> =>
  await serverFor(t, demo, options, true)

// openapi.test.ts checks the schemas themselves; here that would be 40 ms at the start of each file.
const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false, code: { optimize: false } })
for (const component of components) ajv.addSchema(closed(component), `${component.$id}`)
const checks = new Map<string, ValidateFunction>()

/** Closes every object of a schema unless it says otherwise, so that an undocumented field is a failure, too. */
function closed<T> (schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  if (copy['type'] === 'object' && copy['properties'] !== undefined && copy['additionalProperties'] === undefined) {
    copy['additionalProperties'] = false
  }
  if (typeof copy['$ref'] === 'string') {
    return { $ref: copy['$ref'], ...(copy['nullable'] === true ? { nullable: true } : {}) } as T
  }
  return copy as T
}

function checkOf (name: string, schema: TSchema): ValidateFunction {
  let check = checks.get(name)
  if (check === undefined) {
    const { $id: _, ...rest } = schema
    check = ajv.compile(closed(rest))
    checks.set(name, check)
  }
  return check
}

function demand (check: ValidateFunction, value: unknown, what: string): void {
  if (check(value)) return
  const reasons = (check.errors ?? []).slice(0, 5).map((error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`)
  throw new Error(`${what} breaks its documented schema: ${reasons.join('; ')}`)
}

/** Checks a record, as a library call returns it, against the schema of its endpoint. Throws if it does not fit. */
export function checkRecord (name: keyof typeof registry, record: unknown): void {
  const { record: schema } = endpoints[name] as AnyEndpoint
  demand(checkOf(`record ${name}`, schema), JSON.parse(JSON.stringify(record)), name)
}

const documentedOf = new Map<string, Operation[]>()

/** Error codes of requests that reach no operation. */
const ofNoOperation: readonly string[] = ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'EXPECTATION_FAILED', 'HEADERS_TOO_LARGE'] satisfies ErrorCode[]

function checkReply (method: string, path: string, { status, body }: Reply): void {
  if (path.startsWith('/rest/')) return // players have a shape of their own
  if (status >= 400) demand(checkOf('error', ErrorBody), body, `${status} of ${path}`)
  const bare = path.split('?', 1)[0] as string
  const matches = (form: string): boolean =>
    form === bare || (form.includes(':') && bare.startsWith(form.slice(0, form.indexOf(':'))))
  const found = Object.entries(endpoints)
    .find(([, endpoint]) => endpoint.method === method && formsOf(endpoint).some((form) => matches(form.path)))
  if (found === undefined) return // the relay's own pages have no record
  const [name, endpoint] = found
  if (status >= 400) {
    let documented = documentedOf.get(name)
    if (documented === undefined) documentedOf.set(name, documented = operations(name, endpoint))
    const { kind } = documented.find((operation) => matches(operation.path)) as Operation
    const codes = failuresOf(endpoint, kind).find((failure) => failure.status === status)?.codes ?? []
    if (!ofNoOperation.includes(body.code) && !codes.includes(body.code)) {
      throw new Error(`${status} ${body.code} is not documented for ${path}`)
    }
    return
  }
  const { envelope, record } = endpoint
  demand(checkOf(`body ${name}`, envelope.schema(record)), body, `the answer of ${path}`)
}

const samplesFolder = fileURLToPath(new URL('../../../shared/upstream/samples/', import.meta.url))

/** Why contract tests are skipped: the real answers are not beside the project. False if they are. */
export const withoutSamples: string | false = existsSync(samplesFolder) ? false
  : 'the folder of real sample answers is not here'

export const sampleText = (file: string): string => readFileSync(`${samplesFolder}${file}`, 'utf8')

/** A real answer, saved outside of the project. */
export const sample = (file: string): any => JSON.parse(sampleText(file))

/** The sub-answers of a real gateway answer, in order. */
export const subAnswers = (file: string): { code: number, data: any }[] =>
  Object.values(sample(file)).filter((value): value is { code: number, data: any } => typeof value === 'object'
    && value !== null && 'code' in value)
