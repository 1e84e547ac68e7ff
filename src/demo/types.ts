import type { Identity } from './accounts.ts'
import type { Catalogue } from './catalogue/types.ts'
import type { Logins } from './login.ts'

/** One request received on an upstream host. Requests for the demo's own pages are not kept. */
export interface Received {
  host: string
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** Parsed JSON, else the text as it came, else undefined. */
  body: unknown
  /** `module/method` per musicu call, or the classic path. */
  calls: string[]
  /** Milliseconds since the epoch. */
  at: number
}

/** What the next request of a call gets instead of the normal answer. */
export type Fault =
  /** The whole HTTP answer. */
  | { status: number, headers?: Record<string, string | string[]>, body?: string }
  /** HTTP 200 with this body. */
  | { body: string | Buffer, headers?: Record<string, string | string[]> }
  /** Business code of that call: the inner code on musicu, the top code on a classic path. */
  | { code: number, data?: unknown }
  /** Classic: code 0 with a subcode and no data, the way hidden playlists and refused referers look. */
  | { subcode: number, message?: string }
  /** Changes the call's answer (`{code,data}` on musicu, the whole body on classic), in place or by returning another. */
  | { mutate: (answer: any) => unknown }
  /** The normal answer, late. */
  | { delayMs: number }
  /** No answer, ever. */
  | { hang: true }
  /** The socket is destroyed. */
  | { reset: true }

/** What a simulated call may look at besides its parameters. */
export interface CallContext {
  catalogue: Catalogue
  identity: Identity
  /** The common block of a musicu body; `{}` on a classic path. */
  comm: Record<string, unknown>
  headers: Record<string, string>
  /** Milliseconds since the epoch, from the instance's clock. */
  now: number
  /** Signs play addresses; new for every instance. */
  secret: string
  logins: Logins
}

export type Param = Record<string, unknown>
export type Query = Record<string, string>

/** The part of a musicu answer that belongs to one call. */
export interface CallAnswer { code: number, data?: unknown, subcode?: number }

export type MusicuCall = (param: Param, context: CallContext) => CallAnswer

export interface ClassicCall {
  answer: (query: Query, context: CallContext) => unknown
  /** JSONP wrapper when `format=json` is absent; `callback` unless said otherwise. */
  callback?: string
  /** Answers GBK unless `outCharset=utf-8` or `utf8=1` asks for UTF-8. */
  gbk?: boolean
  /** Content type of an answer that is a text, not an object. */
  type?: string
  /** What a wrong Referer gets; `{"code":0,"subcode":1,"msg":"invalid referer"}` unless said otherwise. */
  refused?: unknown
}

export type MusicuTable = Record<string, MusicuCall>
export type ClassicTable = Record<string, ClassicCall>
