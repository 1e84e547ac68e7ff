import { musicuCalls, steadyCalls } from './calls/index.ts'
import { answered, notFound, parsedBody, type Asked, type Entered, type Stage } from './hostHandler.ts'
import { isHttpFault, type HttpFault } from './faults.ts'
import { callerOf } from './identity.ts'
import { signatureOf } from './signature.ts'
import type { CallContext, Fault, Param } from './types.ts'

/** `name` selects the call. `label` is its name in faults and recordings, where a signed call is a separate one. */
interface Call { key: string, name: string, label: string, param: Param }

/** Maximum number of cached answer texts. */
const mostTexts = 500

/**
 * The module, method or parameters are unknown, or no longer supported. This code gives no information about the login.
 */
const unknownCall = { code: 500003, subcode: 860100005 }

/** The gateway and its signed twin. Both have the same calls. */
const gateway = '/cgi-bin/musicu.fcg'
const signedGateway = '/cgi-bin/musics.fcg'

/** Maximum number of calls in a body (observed 2026-09). */
const mostCalls = 30

/** Codes: the request is not a batch of calls (*assumed* number); it has too many; the signature is wrong or missing. */
const noBatch = 500001
const tooMany = 500000
const unsigned = 2000

/** Maximum length of `data` in the address of a GET (reported 2026). */
const longestData = 9 * 1024
const tooLong: HttpFault = { status: 414, headers: { 'content-type': 'text/html' }, body: '<html><head><title>414 Request-URI Too Large</title></head></html>' }

/** The device ids that a phone program with a device session sends. */
const deviceIds = { QIMEI36: 'demo', udid: 'demo', sid: 'demo' }

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A POST carries the JSON in its body, a GET in `data=`. */
function questionOf ({ method, query, text }: Asked): unknown {
  return parsedBody(method === 'GET' ? query['data'] ?? '' : text)
}

function callsIn (question: unknown, signed: boolean): Call[] {
  if (!isObject(question)) return []
  return Object.entries(question).flatMap(([key, call]) => {
    if (key === 'comm' || !isObject(call)) return []
    const { module, method, param } = call
    const name = `${String(module)}/${String(method)}`
    return [{ key, name, label: signed ? `signed/${name}` : name, param: isObject(param) ? param : {} }]
  })
}

function answerOf (call: Call, context: CallContext): unknown {
  const answer = Object.hasOwn(musicuCalls, call.name) ? musicuCalls[call.name] : undefined
  return answer ? answer(call.param, context) : unknownCall
}

function json (body: string, cookies: string[] = []): HttpFault {
  return {
    body,
    headers: { 'content-type': 'application/json; charset=utf-8', ...(cookies.length > 0 && { 'set-cookie': cookies }) }
  }
}

/**
 * Account numbers of the upstream are JSON numbers of up to 19 digits, too long for a JavaScript number. The demo
 * writes them as `"#…"`, and this turns them into JSON numbers.
 */
function bigNumbers (text: string): string {
  return text.replaceAll(/"#(\d{1,19})"/g, '$1')
}

/** Caches the answers that depend on their parameters only, so that a benchmark does not measure the demo. */
async function textOf (call: Call, fault: Fault | undefined, context: CallContext, { texts }: Stage): Promise<string> {
  const normal = (): unknown =>
    fault && 'instead' in fault ? fault.instead(call.param, context) : answerOf(call, context)
  if (
    fault || !steadyCalls.has(call.name)
  ) { return bigNumbers(JSON.stringify(await answered(fault, normal, (refusal) => refusal))) }
  const key = call.name + JSON.stringify(call.param)
  const written = texts.get(key)
  if (written !== undefined) return written
  if (texts.size >= mostTexts) texts.clear()
  const text = JSON.stringify(normal())
  texts.set(key, text)
  return text
}

/**
 * The newer protocol: one body contains several calls, each answered with its own code. Errors also have HTTP 200. A
 * body that is not a JSON object, or whose `comm` is not an object, fails at the top level. So does a body without its
 * signature at the signed gateway. The keys of the calls are free names.
 */
export function musicuHandler (asked: Asked): Entered {
  const signed = asked.path === signedGateway
  if (asked.path !== gateway && !signed) {
    return {
      calls: [asked.path],
      body: asked.text || undefined,
      answer: async () => notFound
    }
  }
  if (asked.method === 'GET' && encodeURIComponent(asked.query['data'] ?? '').length > longestData) {
    return {
      calls: [asked.path],
      body: undefined,
      answer: async () => tooLong
    }
  }
  const question = questionOf(asked)
  const calls = callsIn(question, signed)

  const answer = async (stage: Stage): Promise<HttpFault> => {
    const begun = stage.now()
    const head = (code: number): string => `"code":${code},"ts":${stage.now()},"start_ts":${begun},"traceid":"0000000000000000"`
    if (signed && (asked.method !== 'POST' || asked.query['sign'] !== signatureOf(asked.text))) {
      return json(`{${head(unsigned)}}`)
    }
    if (!isObject(question)) return json(`{${head(noBatch)}}`)
    const { comm = {} } = question
    if (!isObject(comm) || calls.length === 0) return json(`{${head(noBatch)}}`)

    if (calls.length > mostCalls) {
      return json(`{${[head(tooMany), ...calls.map(({ key }) => `${JSON.stringify(key)}:{"code":${tooMany}}`)].join(',')}}`)
    }

    const identity = callerOf(stage.keys, comm)
    const context: CallContext = {
      catalogue: stage.catalogue,
      identity,
      comm: stage.trustDevices ? { ...deviceIds, ...comm } : comm,
      signed,
      headers: asked.headers,
      now: begun,
      secret: stage.secret,
      logins: stage.logins,
      keys: stage.keys,
      turns: stage.turns,
      cookies: []
    }
    // Run in parallel: several slow calls take as long as one.
    const answers: Promise<string>[] = []
    let lost = false
    for (const call of calls) {
      const fault = stage.faults.take({ call: call.label, host: asked.host, param: call.param })
      if (fault && isHttpFault(fault)) return fault
      answers.push(textOf(call, fault, context, stage).then((text) => `${JSON.stringify(call.key)}:${text}`))
      lost ||= fault !== undefined && 'lost' in fault
    }
    const texts = await Promise.all(answers)
    return lost ? { reset: true } : json(`{${[head(0), ...texts].join(',')}}`, context.cookies)
  }

  return { calls: calls.map(({ label }) => label), body: parsedBody(asked.text), answer }
}
