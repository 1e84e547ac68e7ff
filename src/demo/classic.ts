import { classicPaths } from './calls/index.ts'
import { answered, notFound, type Asked, type Entered, type Stage } from './hostHandler.ts'
import { isHttpFault, type HttpFault } from './faults.ts'
import { identityOf } from './identity.ts'
import type { CallContext, ClassicCall } from './types.ts'

const wrongReferer = { code: 0, subcode: 1, msg: 'invalid referer' }

/** Accepts the site, its phone pages, and the host of these calls itself: clients of 2026 send each of them. */
function refererFits (referer: string | undefined): boolean {
  return /^https?:\/\/(?:[cm]\.)?y\.qq\.com(?:\/|$)/.test(referer ?? '')
}

/** Parameters of a form are equivalent to those of the query. */
function parametersOf ({ method, query, text }: Asked): Record<string, string> {
  return method === 'POST' ? { ...query, ...Object.fromEntries(new URLSearchParams(text)) } : query
}

function refusalOf (refusal: { code: number, data?: unknown } | { subcode: number, message?: string }): unknown {
  if ('subcode' in refusal) return { code: 0, subcode: refusal.subcode, message: refusal.message ?? '' }
  const { code, data } = refusal
  return { retcode: code, code, subcode: code, message: '', ...(data !== undefined && { data }) }
}

/**
 * A text is sent unchanged. An object becomes JSON with `format=json` and JSONP without. Old calls answer in GBK unless
 * the request selects UTF-8.
 */
function framed (answer: unknown, call: ClassicCall, query: Record<string, string>, gbk: Stage['gbk']): HttpFault {
  if (typeof answer === 'string') {
    return { body: answer, headers: { 'content-type': call.type ?? 'text/html; charset=utf-8' } }
  }
  const text = JSON.stringify(answer)
  const named = query['jsonpCallback'] ?? query['callback']
  const callback = named ?? call.callback ?? 'callback'
  const plain = query['format'] === 'json' || (call.json === true && named === undefined)
  const type = plain ? 'application/json' : 'application/x-javascript'
  const body = plain ? text : `${callback}(${text})`
  const utf8 = !call.gbk || query['utf8'] === '1' || /^utf-?8$/i.test(query['outCharset'] ?? '')
  if (utf8) return { body, headers: { 'content-type': `${type}; charset=utf-8` } }
  return { body: gbk(body), headers: { 'content-type': `${type}; charset=GBK` } }
}

/** The older protocol: one path per call, parameters in the query, and a Referer of the music site on every call. */
export function classicHandler (asked: Asked): Entered {
  const { path, headers } = asked
  const query = parametersOf(asked)
  const call = Object.hasOwn(classicPaths, path) ? classicPaths[path] : undefined

  const answer = async (stage: Stage): Promise<HttpFault> => {
    const fault = stage.faults.take({ call: path, host: asked.host, param: query })
    if (fault && isHttpFault(fault)) return fault
    if (!call) return notFound
    const context: CallContext = {
      catalogue: stage.catalogue,
      identity: identityOf(stage.keys, headers['cookie']),
      comm: {},
      signed: false,
      headers,
      now: stage.now(),
      secret: stage.secret,
      logins: stage.logins,
      keys: stage.keys,
      turns: stage.turns,
      cookies: []
    }
    const welcome = call.page === true || refererFits(headers['referer'])
      || (asked.method === 'POST' && call.postWithoutReferer === true)
    const handler = fault && 'instead' in fault ? fault.instead : call.answer
    const normal = (): unknown => welcome ? handler(query, context) : call.refused ?? wrongReferer
    const answer = await answered(fault, normal, refusalOf)
    if (fault && 'lost' in fault) return { reset: true }
    return call.page === true ? answer as HttpFault : framed(answer, call, query, stage.gbk)
  }

  return { calls: [path], body: asked.text || undefined, answer }
}
