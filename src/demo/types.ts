import type { Identity } from './accounts.ts'
import type { Catalogue } from './catalogue/types.ts'
import type { Keys } from './keys.ts'
import type { Logins } from './login.ts'

/** One request received on an upstream host. Requests for the demo's own pages are not recorded. */
export interface Received {
  host: string
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** The parsed JSON, otherwise the text as received, otherwise undefined. */
  body: unknown
  /** `module/method` of each musicu call (`signed/module/method` if it came signed), or the classic path. */
  calls: string[]
  /** Milliseconds since the epoch. */
  at: number
}

/** The answer of a call that replaces its normal one. */
export type Fault =
  /** The whole HTTP answer. */
  | { status: number, headers?: Record<string, string | string[]>, body?: string }
  /** HTTP 200 with this body. */
  | { body: string | Buffer, headers?: Record<string, string | string[]> }
  /** Business code of that call: the inner code on musicu, the top code on a classic path. */
  | { code: number, data?: unknown }
  /** Classic: code 0 with a subcode and no data, as for hidden playlists and wrong referers. */
  | { subcode: number, message?: string }
  /** Changes the answer (`{code,data}` on musicu, the whole body on classic) in place, or returns another one. */
  | { mutate: (answer: any) => unknown }
  /** The answer of this handler instead of the call's own. */
  | { instead: (param: any, context: CallContext) => unknown }
  /** The normal answer, late. */
  | { delayMs: number }
  /** No answer, ever. */
  | { hang: true }
  /** The socket is destroyed. */
  | { reset: true }
  /** The call is done, and the socket is destroyed before its answer. */
  | { lost: true }

/** The context of a simulated call, besides its parameters. */
export interface CallContext {
  catalogue: Catalogue
  identity: Identity
  /** The common block of a musicu body; `{}` on a classic path. */
  comm: Record<string, unknown>
  /** The call came through the signed gateway. */
  signed: boolean
  headers: Record<string, string>
  /** Milliseconds since the epoch, from the demo's clock. */
  now: number
  /** Signs play addresses. New for every demo. */
  secret: string
  logins: Logins
  keys: Keys
  /** Number of requests for each endless list. */
  turns: Map<string, number>
  /** Lines of Set-Cookie for the HTTP answer. A call may add some. */
  cookies: string[]
}

export type Param = Record<string, unknown>
export type Query = Record<string, string>

/** The part of a musicu answer that belongs to one call. */
export interface CallAnswer { code: number, data?: unknown, subcode?: number }

export type MusicuCall = (param: Param, context: CallContext) => CallAnswer

export interface ClassicCall {
  answer: (query: Query, context: CallContext) => unknown
  /** Name of the JSONP callback if `format=json` is absent. Default `callback`. */
  callback?: string
  /** The answer is GBK unless the request has `outCharset=utf-8` or `utf8=1`. */
  gbk?: boolean
  /** Content type of an answer that is text, not an object. */
  type?: string
  /** JSON even without `format`, unless the request names a callback. */
  json?: boolean
  /** A POST needs no Referer. */
  postWithoutReferer?: boolean
  /** The answer is a complete HTTP answer, and any Referer is accepted. */
  page?: boolean
  /** The answer to a wrong Referer. Default `{"code":0,"subcode":1,"msg":"invalid referer"}`. */
  refused?: unknown
}

export type MusicuTable = Record<string, MusicuCall>
export type ClassicTable = Record<string, ClassicCall>
