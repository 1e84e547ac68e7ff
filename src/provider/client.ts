/** Sends calls and classifies answers: the codes of both levels, then the reader. Implements `Upstream`. */
import { UpstreamError } from '../errors.ts'
import { meaningOf, refusal } from './codes.ts'
import { startDeadline } from './deadline.ts'
import type { Deadline } from './deadline.ts'
import { Answer, deaf } from './read.ts'
import type { Listener } from './read.ts'
import { readAnswer } from './readAnswer.ts'
import { createTransport } from './transport.ts'
import type { TransportOptions } from './transport.ts'
import { verdictOf } from './verdict.ts'
import { batchKey, classicRequest, decodeText, musicuRequest, parseAnswer } from './wire.ts'
import type { WireRequest } from './wire.ts'
import type { Credential } from './credentials.ts'
import type { ClassicCall, MusicuCall, Settled, Upstream, UpstreamCall } from './upstream.ts'

/** Told after each request to the upstream, for logs and counters. */
export interface Exchange { readonly calls: readonly string[], readonly outcome: string, readonly ms: number }

export interface Caller {
  readonly credential?: Credential | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal | undefined
  readonly listener?: Listener | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** The upstream as one request sees it: with its credential and its deadline, which starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** The request is answered; its deadline need not wait any longer. */
  end (): void
}

export interface Provider {
  forRequest (caller: Caller): RequestUpstream
  /** Ends everything in flight and closes the pools. */
  close (): Promise<void>
}

const isMusicu = (call: UpstreamCall<unknown>): call is MusicuCall<unknown> => 'module' in call.ask

export function createProvider (options: TransportOptions & { readonly deadlineMs: number }): Provider {
  const transport = createTransport(options)

  function forRequest ({ credential, signal, listener = deaf, onExchange }: Caller): RequestUpstream {
    let deadline: Deadline | undefined

    async function bodyOf (request: WireRequest, calls: readonly string[], as: 'json' | 'text'): Promise<unknown> {
      const started = performance.now()
      const label = calls.join(' + ')
      const done = (outcome: string): void => onExchange?.({ calls, outcome, ms: performance.now() - started })
      try {
        deadline ??= startDeadline(options.deadlineMs, signal)
        const { bytes, contentType } = await transport.exchange(request, label, deadline.signal)
        const body = read(bytes, contentType, as, label)
        done('ok')
        return body
      } catch (error) {
        done(error instanceof UpstreamError ? error.outcome : 'bug')
        throw error
      }
    }

    /** Started when a call is sent; tells how it ended. */
    function watch (): (call: UpstreamCall<unknown>, error?: unknown) => void {
      const started = performance.now()
      return ({ name }, error) => { listener.ended?.({ call: name, ...verdictOf(error), ms: performance.now() - started }) }
    }

    function check (call: UpstreamCall<unknown>, code: number, message: string | undefined): void {
      if (code === 0) return
      const meaning = meaningOf(code, call.codes, credential !== undefined)
      if (meaning !== 'ok') throw refusal(call.name, code, meaning, credential !== undefined, message)
    }

    /** One sub-answer of a batch: its code, then its data through the reader. */
    function readSub<T> (call: MusicuCall<T>, body: Record<string, unknown>, index: number): T {
      const sub = new Answer(body, call.name, listener).reach(batchKey(index))
      if (typeof sub !== 'object' || sub === null) throw unreadable(call.name, 'the answer lacks this call', 'bad_shape')
      const { code, data } = sub as { code?: unknown, data?: unknown }
      if (typeof code !== 'number') throw unreadable(call.name, 'the answer has no code', 'bad_shape')
      check(call, code, messageOf(data) ?? messageOf(sub))
      return readAnswer(call, data, listener)
    }

    async function sendMusicu (calls: readonly MusicuCall<unknown>[]): Promise<Settled<unknown>[]> {
      const ended = watch()
      const body = await wholeAnswer(calls).catch((error: unknown) => {
        for (const call of calls) ended(call, error)
        throw error
      })
      return calls.map((call, index) => {
        try {
          const value = readSub(call, body, index)
          ended(call)
          return { value }
        } catch (error) {
          ended(call, error)
          return { error: error as Error }
        }
      })
    }

    async function wholeAnswer (calls: readonly MusicuCall<unknown>[]): Promise<Record<string, unknown>> {
      const names = calls.map((call) => call.name)
      const body = await bodyOf(musicuRequest(calls.map((call) => call.ask), credential), names, 'json') as Record<string, unknown>
      const top = body['code']
      if (typeof top === 'number' && calls[0] !== undefined) check(calls[0], top, messageOf(body))
      return body
    }

    async function sendClassic<T> (call: ClassicCall<T>): Promise<T> {
      const ended = watch()
      try {
        const value = await askClassic(call)
        ended(call)
        return value
      } catch (error) {
        ended(call, error)
        throw error
      }
    }

    async function askClassic<T> (call: ClassicCall<T>): Promise<T> {
      const body = await bodyOf(classicRequest(call.ask, credential), [call.name], call.ask.as ?? 'json')
      if (call.ask.as === 'text') return readAnswer(call, body, listener)
      const { code, subcode } = body as { code?: unknown, subcode?: unknown }
      if (typeof code === 'number') check(call, code, messageOf(body))
      try {
        return readAnswer(call, body, listener)
      } catch (error) {
        // A refusal hides behind code 0 with a subcode ("invalid referer"): better said than "field missing".
        if (typeof subcode === 'number' && subcode !== 0 && error instanceof UpstreamError && error.code === 'UPSTREAM_UNREADABLE') {
          throw refusal(call.name, subcode, 'other', credential !== undefined, messageOf(body))
        }
        throw error
      }
    }

    async function send<T> (call: UpstreamCall<T>): Promise<T> {
      if (!isMusicu(call)) return await sendClassic(call as ClassicCall<T>)
      const [settled] = await sendMusicu([call])
      if (settled?.error !== undefined) throw settled.error
      return settled?.value as T
    }

    async function firstOf<T> (calls: readonly (UpstreamCall<T> | (() => Promise<T>))[]): Promise<T> {
      let reason: UpstreamError | undefined
      let hostFailures = 0
      for (const call of calls) {
        try {
          return await (typeof call === 'function' ? call() : send(call))
        } catch (error) {
          if (!(error instanceof UpstreamError) || error.fault === 'caller' || error.fault === 'time') throw error
          // An answer without the data says more than a refusal.
          if (reason === undefined || (error.code === 'UPSTREAM_EMPTY' && reason.code !== 'UPSTREAM_EMPTY')) reason = error
          // After a refused or broken connection the next call takes the place of the one retry, once.
          if (error.fault === 'host' && ++hostFailures > 1) throw error
        }
      }
      throw reason ?? new TypeError('firstOf needs at least one call')
    }

    return {
      loggedIn: credential !== undefined,
      send,
      firstOf,
      sendAll: sendMusicu as Upstream['sendAll'],
      end () { deadline?.end() }
    }
  }

  return { forRequest, close: transport.close }
}

function read (bytes: Uint8Array, contentType: string | undefined, as: 'json' | 'text', call: string): unknown {
  let text: string
  try {
    text = decodeText(bytes, contentType)
  } catch (error) {
    throw unreadable(call, 'its text is in no charset that fits', 'bad_encoding', error)
  }
  if (as === 'text') return text
  let body: unknown
  try {
    body = parseAnswer(text)
  } catch (error) {
    throw unreadable(call, text.trim() === '' ? 'it is empty' : 'it is not JSON', 'bad_payload', error)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw unreadable(call, 'it is not a JSON object', 'bad_payload')
  return body
}

function unreadable (call: string, why: string, outcome: string, cause?: unknown): UpstreamError {
  return new UpstreamError('UPSTREAM_UNREADABLE', `The upstream answer cannot be read: ${why}.`, { fault: 'call', call, outcome, cause })
}

function messageOf (value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of ['message', 'msg', 'errmsg']) {
    const text = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    if (typeof text === 'string' && text !== '') return text
  }
  return undefined
}
