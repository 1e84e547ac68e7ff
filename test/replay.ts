/**
 * Runs endpoints on answers that were captured over the wire before, so that one field of one answer can be changed
 * thousands of times. Every link of every chain is captured, and any of them can be the one that answers.
 */
import pLimit from 'p-limit'
import type { Context } from '../src/endpoint.ts'
import { UpstreamError } from '../src/errors.ts'
import { keepNothing } from '../src/perform.ts'
import { Answer, deaf } from '../src/provider/read.ts'
import type { Kind, Listener } from '../src/provider/read.ts'
import type { Credential } from '../src/provider/credentials.ts'
import type { Link as LinkOf, Settled, Upstream, UpstreamCall } from '../src/provider/upstream.ts'

type Link = LinkOf<unknown>

/** What an endpoint was answered, by call name. The last answer of a call that was sent several times counts. */
export type Captured = Map<string, unknown>

const silent = { debug () {}, info () {}, warn () {} }

export function contextOf (upstream: Upstream, credential: Credential | undefined): Context {
  const nothing = async (): Promise<never> => { throw new Error('no login here') }
  return {
    upstream,
    credential,
    shownCookie: [],
    login: { startMain: nothing, checkMain: nothing, startAlt: nothing, checkAlt: nothing },
    detailSlots: pLimit(5),
    midBatchSize: 1,
    imageOrigin: 'https://pictures.example',
    ...keepNothing,
    log: silent as unknown as Context['log']
  }
}

/** Passes everything on and keeps what each call was answered; tries every link of a chain, not only the first that answers. */
export function capturing (real: Upstream, captured: Captured): Upstream {
  const kept = <T>(call: UpstreamCall<T>): UpstreamCall<T> => ({
    ...call,
    read: (answer) => {
      captured.set(call.name, structuredClone(answer.value))
      return call.read(answer)
    }
  })
  const upstream: Upstream = {
    get once () { return upstream },
    loggedIn: real.loggedIn,
    send: async (call) => await real.send(kept(call)),
    sendAll: async (calls) => await real.sendAll(calls.map(kept) as unknown as typeof calls),
    async firstOf (calls) {
      const settled = await Promise.allSettled((calls as readonly Link[]).map(async (link) => 'via' in link ? await link.via(upstream) : await real.send(kept(link))))
      const first = settled.find((one) => one.status === 'fulfilled')
      if (first === undefined) throw (settled[0] as PromiseRejectedResult).reason
      return first.value as never
    }
  }
  return upstream
}

export interface Change {
  /** The call whose answer is changed; where it is a link of a chain, it is the one that is asked. */
  readonly call: string
  readonly answer: unknown
}

/** Outcome of a call that the endpoint did not make while it was captured: it went looking elsewhere. */
export const elsewhere = 'not captured'

/** Answers from what was captured, but for the changed call. A call that was never captured is refused. */
export function replaying (captured: Captured, loggedIn: boolean, change: Change | undefined, listener: Listener = deaf): Upstream {
  const send = <T>(call: UpstreamCall<T>): T => {
    if (call.name === change?.call) {
      if (change.answer instanceof Error) throw change.answer
      return call.read(new Answer(change.answer, call.name, listener))
    }
    if (!captured.has(call.name)) throw new UpstreamError('UPSTREAM_REFUSED', 'Nothing was captured.', { fault: 'call', call: call.name, outcome: elsewhere })
    return call.read(new Answer(structuredClone(captured.get(call.name)), call.name, listener))
  }
  const settle = <T>(call: UpstreamCall<T>): Settled<T> => {
    try {
      return { value: send(call) }
    } catch (error) {
      return { error: error as Error }
    }
  }
  const upstream: Upstream = {
    get once () { return upstream },
    loggedIn,
    send: async (call) => send(call),
    sendAll: (async (calls: readonly UpstreamCall<unknown>[]) => calls.map(settle)) as unknown as Upstream['sendAll'],
    async firstOf (calls) {
      const links = calls as readonly Link[]
      const asked = async (link: Link): Promise<never> => ('via' in link ? await link.via(upstream) : send(link)) as never
      const target = links.find(({ name }) => name === change?.call)
      if (target !== undefined) return await asked(target)
      let reason: unknown
      for (const link of links) {
        try {
          return await asked(link)
        } catch (error) {
          if (!(error instanceof UpstreamError)) throw error
          reason ??= error
          // The changed call was inside: its failure is what is looked at.
          if (error.call === change?.call) throw error
        }
      }
      throw reason
    }
  }
  return upstream
}

/** A value of another type than the kind wants. */
export const wrong: Readonly<Record<Kind, unknown>> = { text: { odd: 1 }, int: 'not a number', id: 'not an id', number: [], flag: 'maybe', object: 'a text', list: 'a text' }

/** A copy of a value in which the field at a path (`a.list[].b`) is set in every row, or removed (`undefined`). */
export function changed (value: unknown, path: string, to: unknown): unknown {
  const copy = structuredClone(value)
  const steps = path.split('.').flatMap((step) => step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step]).filter((step) => step !== '')
  const walk = (at: unknown, rest: readonly string[]): void => {
    const [step, ...more] = rest
    if (step === undefined || typeof at !== 'object' || at === null) return
    if (step === '[]') {
      if (!Array.isArray(at)) return
      if (more.length === 0) at.forEach((_, index) => { at[index] = to })
      else for (const row of at) walk(row, more)
      return
    }
    if (step === '{}') {
      for (const [key, held] of Object.entries(at)) {
        if (more.length > 0) walk(held, more)
        else if (to === undefined) delete (at as Record<string, unknown>)[key]
        else (at as Record<string, unknown>)[key] = to
      }
      return
    }
    if (more.length > 0) return walk((at as Record<string, unknown>)[step], more)
    if (to === undefined) delete (at as Record<string, unknown>)[step]
    else if (Object.hasOwn(at, step)) (at as Record<string, unknown>)[step] = to
  }
  walk(copy, steps)
  return copy
}
