/** The rules for every error answer, whether it comes from the framework, the parser, a guard or an endpoint. */
import type { Test } from 'tap'
import { errorCodes } from '../../schemas/errors.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import type { Server } from './helper.ts'

/** Hosts and ports, file paths, stack traces, and the names of dependencies. */
const leaks: readonly RegExp[] = [
  /https?:\/\//i, /\b\d{1,3}(\.\d{1,3}){3}\b/, /localhost/i, /:\d{4,5}\b/,
  /(^|\s)\/(home|root|usr|tmp|var|opt|etc|work|app)\//, /node_modules|\.[cm]?[jt]s\b/i, /\bat \S+ \(|:\d+:\d+/,
  /fastify|undici|ajv|typebox|pino|llhttp|node:|FST_|HPE_|ERR_|E[A-Z]{5,}\b(?<!ERROR)/,
  /TypeError|SyntaxError|RangeError|URIError|undefined|\[object/
]

interface Refusal { status: number, text: string, header: (name: string) => string | null | undefined }

/** Describes what is wrong with a refusal. Undefined if it is correct. `secrets` must not occur in it. */
export function refusalProblem (
  { status, text, header }: Refusal,
  { secrets = [], bodyless = false }: { secrets?: readonly string[], bodyless?: boolean } = {}
): string | undefined {
  if (header('content-type') !== 'application/json; charset=utf-8') return `content-type ${header('content-type')}`
  if (header('cache-control') !== 'no-store') return `cache-control ${header('cache-control')}`
  if (!/^[\w-]{1,64}$/.test(header('x-request-id') ?? '')) return `x-request-id ${header('x-request-id')}`
  if (header('x-content-type-options') !== 'nosniff') return 'without the safe headers'
  if ((header('access-control-allow-origin') ?? '') === '') return 'no page of another origin may read it'
  if ((status === 429 || status === 503) && !/^\d{1,3}$/.test(header('retry-after') ?? '')) {
    return `retry-after ${header('retry-after')}`
  }
  if (status === 405 && !/^[A-Z]+(, [A-Z]+)*$/.test(header('allow') ?? '')) return `allow ${header('allow')}`
  if (bodyless) return text === '' ? undefined : 'a body where none may be'
  let body: { error?: unknown, code?: unknown }
  try { body = JSON.parse(text) as typeof body } catch { return `not JSON: ${text.slice(0, 80)}` }
  const fields = status === 404 && body?.code === 'NOT_PLAYABLE' ? 'code,error,hint,reason' : 'code,error'
  if (typeof body !== 'object' || body === null || Object.keys(body).sort().join() !== fields) {
    return `fields ${Object.keys(body ?? {}).join()}`
  }
  const { error, code } = body
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) return `code ${String(code)}`
  const isOwnCookie = code === 'COOKIE_REJECTED' && status === 401 // where a login is required
  if (!isOwnCookie && errorCodes[code as keyof typeof errorCodes].status !== status) return `${code} with ${status}`
  if (typeof error !== 'string' || error.length < 1 || error.length > 300) return 'error is no sentence of 1 to 300 characters'
  const leak = leaks.find((pattern) => pattern.test(error))
  if (leak !== undefined) return `${String(leak)} in ${error}`
  return secrets.some((secret) => error.includes(secret)) ? `a secret in ${error}` : undefined
}

/** Checks after an attack: the process runs, no upstream request was sent, no prototype is polluted, and the next request works. */
export async function goesOn (t: Test, server: Server, demo: DemoUpstream, what: string): Promise<void> {
  t.equal(demo.received.length, 0, `${what}: nothing was asked upstream`)
  t.same([
    Object.keys(Object.prototype), ({} as { polluted?: unknown }).polluted
  ], [[], undefined], 'no prototype is polluted')
  t.equal((await server.get('/getHotkey')).status, 200, 'the next request is answered')
  demo.reset()
}
