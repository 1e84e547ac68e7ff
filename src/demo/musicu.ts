import { identityOf } from './accounts.ts'
import { musicuCalls, steadyCalls } from './calls/index.ts'
import { answered, notFound, parsedBody } from './door.ts'
import type { Asked, Entered, Stage } from './door.ts'
import { isHttpFault } from './faults.ts'
import type { HttpFault } from './faults.ts'
import type { CallContext, Fault, Param } from './types.ts'

interface Call { key: string, name: string, param: Param }

/** Answers kept as text, at most. */
const keep = 500

/** Module, method or parameters unknown (any more); says nothing about the login. */
const unknownCall = { code: 500003, subcode: 860100005 }

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** POST carries the JSON as body, GET as `data=`. */
function questionOf ({ method, query, text }: Asked): unknown {
  return parsedBody(method === 'GET' ? query['data'] ?? '' : text)
}

function callsIn (question: unknown): Call[] {
  if (!isObject(question)) return []
  return Object.entries(question).flatMap(([key, call]) => {
    if (key === 'comm' || !isObject(call)) return []
    const { module, method, param } = call
    return [{ key, name: `${String(module)}/${String(method)}`, param: isObject(param) ? param : {} }]
  })
}

function answerOf (call: Call, context: CallContext): unknown {
  const answer = Object.hasOwn(musicuCalls, call.name) ? musicuCalls[call.name] : undefined
  return answer ? answer(call.param, context) : unknownCall
}

function json (body: string): HttpFault {
  return { body, headers: { 'content-type': 'application/json; charset=utf-8' } }
}

/** Account numbers are JSON numbers of up to 19 digits upstream, which no JavaScript number is: `"#…"` becomes one. */
function bigNumbers (text: string): string {
  return text.replaceAll(/"#(\d{1,19})"/g, '$1')
}

/** Calls that depend on nothing but their parameters are written once: a benchmark should not measure the demo. */
async function textOf (call: Call, fault: Fault | undefined, context: CallContext, { texts }: Stage): Promise<string> {
  const normal = (): unknown => answerOf(call, context)
  if (fault || !steadyCalls.has(call.name)) return bigNumbers(JSON.stringify(await answered(fault, normal, (refusal) => refusal)))
  const key = call.name + JSON.stringify(call.param)
  const written = texts.get(key)
  if (written !== undefined) return written
  if (texts.size >= keep) texts.clear()
  const text = JSON.stringify(normal())
  texts.set(key, text)
  return text
}

/**
 * The newer door: several calls in one body, each with its own code, HTTP 200 even for errors.
 * A body that is no JSON object, or whose `comm` is none, fails at the top level.
 */
export function musicuDoor (asked: Asked): Entered {
  if (asked.path !== '/cgi-bin/musicu.fcg') return { calls: [asked.path], body: asked.text || undefined, answer: async () => notFound }
  const question = questionOf(asked)
  const calls = callsIn(question)

  const answer = async (stage: Stage): Promise<HttpFault> => {
    const begun = stage.now()
    const head = (code: number): string => `"code":${code},"ts":${stage.now()},"start_ts":${begun},"traceid":"0000000000000000"`
    if (!isObject(question)) return json(`{${head(500001)}}`)
    const { comm = {} } = question
    if (!isObject(comm) || calls.length === 0) return json(`{${head(500001)}}`)

    const identity = identityOf(asked.headers['cookie'], comm)
    const context: CallContext = { catalogue: stage.catalogue, identity, comm, headers: asked.headers, now: begun, secret: stage.secret, logins: stage.logins }
    const answers: string[] = []
    for (const call of calls) {
      const fault = stage.faults.take(call.name)
      if (fault && isHttpFault(fault)) return fault
      answers.push(`${JSON.stringify(call.key)}:${await textOf(call, fault, context, stage)}`)
    }
    return json(`{${[head(0), ...answers].join(',')}}`)
  }

  return { calls: calls.map((call) => call.name), body: parsedBody(asked.text), answer }
}
