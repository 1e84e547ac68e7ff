/**
 * Runs endpoints on previously captured answers, so that one field of one answer can be changed thousands of times. All
 * calls and fallbacks are captured, and any of them can be the one that answers.
 */
import pLimit from 'p-limit'
import type { Context } from '../../src/relay/endpoint.ts'
import { otherCallMayHelp, UpstreamError } from '../../src/common/errors.ts'
import { failure } from '../../src/common/kinds.ts'
import { createTtlMap } from '../../src/common/ttlMap.ts'
import { uncached } from '../../src/relay/run.ts'
import { noopObserver, type FieldKind, type UpstreamObserver } from '../../src/upstream/read/observer.ts'
import { Answer } from '../../src/upstream/read/read.ts'
import { playerAddress } from '../../src/upstream/wire/audioRoots.ts'
import type { Credential } from '../../src/upstream/wire/credentials.ts'
import { noSongFacts } from '../../src/relay/songFacts.ts'
import type {
  Alternative, MusicuCall, Settled, WithFallback, Upstream, UpstreamCall
} from '../../src/upstream/calls.ts'

type Link = Alternative<unknown>
type Element = MusicuCall<unknown> | WithFallback<unknown>

const chainOf = (element: Element): readonly MusicuCall<unknown>[] => 'name' in element ? [element] : element

/** Answers to an endpoint by call name. If a call was sent several times, its last answer. */
export type Captured = Map<string, unknown>

const silent = { debug () {}, info () {}, warn () {} } as unknown as Context['log']
const nothing = async (): Promise<never> => { throw new Error('no login here') }

export const contextOf = (upstream: Upstream, credential: Credential | undefined): Context => ({
  upstream,
  credential,
  shownCookie: [],
  login: { startMain: nothing, checkMain: nothing, startAlt: nothing, checkAlt: nothing },
  detailSlots: pLimit(5),
  listMarks: createTtlMap(100, 1000, () => 0),
  imageOrigin: 'https://pictures.example',
  playerAddress: (address) => playerAddress(address, undefined),
  stored: undefined,
  isShown: true,
  loginEnded: async () => {},
  loginRefused () {},
  ...uncached,
  songs: noSongFacts,
  log: silent
})

/** Sends every call upstream and captures its answer. Tries every fallback, not only the first that answers. */
export function capturing (real: Upstream, captured: Captured): Upstream {
  const kept = <T>(call: UpstreamCall<T>): UpstreamCall<T> => ({
    ...call,
    read: (answer) => {
      captured.set(call.name, structuredClone(answer.value))
      return call.read(answer)
    }
  })
  const asked = async (calls: readonly MusicuCall<unknown>[]): Promise<Settled<unknown>[]> =>
    await real.sendAll(calls.map(kept) as readonly MusicuCall<unknown>[]) as Settled<unknown>[]
  return {
    loggedIn: real.loggedIn,
    send: async (call) => await real.send(kept(call)),
    sendAll: async (elements) => {
      const chains = (elements as readonly Element[]).map(chainOf)
      const first = await asked(chains.map(([call]) => call as MusicuCall<unknown>))
      const fallbacks = chains.flatMap((chain) => chain.slice(1))
      if (fallbacks.length > 0) await asked(fallbacks)
      return first as never
    },
    confirmEmpty: () => {},
    async firstOf (calls) {
      const settled = await Promise.allSettled((calls as readonly Link[])
        .map(async (link) => 'calls' in link ? link.read(await asked(link.calls)) : await real.send(kept(link))))
      const first = settled.find((one) => one.status === 'fulfilled')
      if (first === undefined) throw (settled[0] as PromiseRejectedResult).reason
      return first.value as never
    }
  }
}

/** `call`: the one whose answer is changed. Among fallbacks, only this one is sent. */
interface Change { readonly call: string, readonly answer: unknown }

/** Outcome of a call that was not captured: the endpoint sent another call than during the capture. */
export const elsewhere = 'not captured'

/** Answers with the captured answers, one of them changed. A call that was not captured is refused. */
export function replaying (
  captured: Captured, loggedIn: boolean, change: Change | undefined, observer: UpstreamObserver = noopObserver
): Upstream {
  const send = <T>(call: UpstreamCall<T>): T => {
    if (call.name === change?.call) {
      if (change.answer instanceof Error) throw change.answer
      return call.read(new Answer(change.answer, call.name, observer))
    }
    if (!captured.has(call.name)) {
      throw failure('denied', { call: call.name, word: 'Nothing was captured.', outcome: elsewhere })
    }
    return call.read(new Answer(structuredClone(captured.get(call.name)), call.name, observer))
  }
  const settle = <T>(call: UpstreamCall<T>): Settled<T> => {
    try {
      return { value: send(call) }
    } catch (error) {
      return { error: error as Error }
    }
  }
  return {
    loggedIn,
    send: async (call) => send(call),
    sendAll: (async (elements: readonly Element[]) => elements.map((element) => {
      const [first, fallback] = chainOf(element) as [MusicuCall<unknown>, MusicuCall<unknown>?]
      const settled = settle(first)
      const second = otherCallMayHelp(settled.error) && fallback !== undefined ? settle(fallback) : settled
      return otherCallMayHelp(second.error) ? settled : second
    })) as unknown as Upstream['sendAll'],
    confirmEmpty: () => {},
    async firstOf (calls) {
      const links = calls as readonly Link[]
      const asked = async (link: Link): Promise<never> =>
        ('calls' in link ? link.read(link.calls.map(settle)) : send(link)) as never
      const target = links.find(({ name }) => name === change?.call)
      if (target !== undefined) return await asked(target)
      let reason: unknown
      for (const link of links) {
        try {
          return await asked(link)
        } catch (error) {
          if (!(error instanceof UpstreamError)) throw error
          reason ??= error
          // The failure of the changed call is the subject of the test.
          if (error.call === change?.call) throw error
        }
      }
      throw reason
    }
  }
}

/** For each kind of field, a value of the wrong type. */
export const wrong: Readonly<Record<FieldKind, unknown>> = {
  text: { odd: 1 }, int: 'not a number', id: 'not an id', number: [], flag: 'maybe', object: 'a text', list: 'a text'
}

/** A copy of a value in which the field at a path (`a.list[].b`, `a.byName.{}.b`) is set in every row, or removed if `to` is undefined. */
export function changed (value: unknown, path: string, to: unknown): unknown {
  const copy = structuredClone(value)
  const walk = (at: unknown, [step, ...more]: readonly string[]): void => {
    if (step === undefined || typeof at !== 'object' || at === null || (step === '[]' && !Array.isArray(at))) return
    const fields = at as Record<string, unknown>
    for (const key of step === '[]' || step === '{}' ? Object.keys(fields) : [step]) {
      if (more.length > 0) walk(fields[key], more)
      else if (step === '[]' || (to !== undefined && Object.hasOwn(fields, key))) fields[key] = to
      else if (to === undefined) delete fields[key]
    }
  }
  walk(copy, path.split('.').flatMap(
    (step) => step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step]
  ).filter((step) => step !== ''))
  return copy
}
