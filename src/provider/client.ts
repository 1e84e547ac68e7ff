/** The upstream as endpoints see it: sends calls within a deadline, tells how each ended, and goes down chains. */
import { UpstreamError } from '../errors.ts'
import { readBatch, readClassic } from './answers.ts'
import { readBody } from './body.ts'
import { clientGone, relayStops, startDeadline } from './deadline.ts'
import type { Deadline } from './deadline.ts'
import { deaf } from './read.ts'
import type { Listener } from './read.ts'
import type { Counters } from './counters.ts'
import { createGuard } from './guard.ts'
import type { Guard, GuardOptions } from './guard.ts'
import { leftOut, linksFor } from './guardLinks.ts'
import type { LinkOptions, LinkStates } from './guardLinks.ts'
import { createTransport } from './transport.ts'
import type { TransportOptions } from './transport.ts'
import { verdictOf } from './verdict.ts'
import { classicRequest, musicuRequest } from './wire.ts'
import type { WireRequest } from './wire.ts'
import type { Credential } from './credentials.ts'
import type { ClassicCall, Link, MusicuCall, Settled, Upstream, UpstreamCall } from './upstream.ts'

/** Told after each request to the upstream, for logs. */
export interface Exchange {
  readonly calls: readonly string[]
  /** `ok` when any of the calls was answered, else what happened to the first. */
  readonly outcome: string
  readonly ms: number
  /** Names of the calls whose answers could be used. */
  readonly answered?: readonly string[]
}

export interface Caller {
  readonly credential?: Credential | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal | undefined
  readonly listener?: Listener | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** The upstream as one request sees it: with its credential and its deadline, which starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** The request is answered: its deadline need not wait any longer, and what it still asks is given up. */
  end (): void
}

export interface Provider {
  forRequest (caller: Caller): RequestUpstream
  /** Throws OVERLOADED at once while no further question may even wait. */
  admit (): void
  /** Seconds until some host may be asked again; 0 while at least one may be. */
  waitSeconds (): number
  readonly hostStates: Guard['states']
  /** Names of calls that are not asked for a while, where another gives the same. */
  leftOut (): string[]
  /** Gives up what is in flight, and whatever comes: the relay is stopping. */
  stop (): void
  /** Ends everything in flight and closes the pools. */
  close (): Promise<void>
}

const isMusicu = (call: UpstreamCall<unknown>): call is MusicuCall<unknown> => 'module' in call.ask

export interface ProviderOptions extends TransportOptions, GuardOptions, LinkOptions {
  readonly deadlineMs: number
  readonly counters?: Pick<Counters, 'count'>
}

export function createProvider (options: ProviderOptions): Provider {
  const transport = createTransport(options)
  const guard = createGuard(options)
  const linkStates: LinkStates = new Map()
  const deadlines = new Set<Deadline>()
  let stopped = false

  function forRequest ({ credential, signal, listener = deaf, onExchange }: Caller): RequestUpstream {
    const reading = { loggedIn: credential !== undefined, listener }
    const links = linksFor(reading.loggedIn, linkStates, options)
    let deadline: Deadline | undefined
    /** Exchanges under way. */
    let asking = 0
    let ended = false

    function running (): Deadline {
      if (deadline === undefined) {
        deadline = startDeadline(options.deadlineMs, signal)
        if (!ended) deadlines.add(deadline)
      }
      if (stopped || ended) deadline.giveUp(stopped ? relayStops : clientGone)
      return deadline
    }

    /** Sends, and hands what came to `settle`, which says for each call what became of it. Every attempt is told of. */
    async function ask (request: WireRequest, calls: readonly string[], as: 'json' | 'text', retry: boolean, settle: (body: unknown) => Settled<unknown>[]): Promise<Settled<unknown>[]> {
      const label = calls.join(' + ')
      const { signal } = running()
      let started = performance.now()
      const told = (errors: readonly unknown[]): void => {
        const ms = performance.now() - started
        const ends = calls.map((name, at) => ({ call: name, ...verdictOf(errors[at]), ms }))
        for (const end of ends) {
          options.counters?.count(end.call, end.outcome)
          // That the relay has too much to do says nothing about the call.
          if (end.outcome !== 'shed') listener.ended?.(end)
        }
        const answered = ends.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
        onExchange?.({ calls, outcome: answered.length > 0 ? 'ok' : ends[0]?.outcome ?? '', ms, answered })
      }
      const failed = (error: unknown): void => { told(calls.map(() => error)) }
      const attempt = async (): Promise<unknown> => {
        started = performance.now()
        try {
          const { bytes, contentType } = await transport.exchange(request, label, signal)
          return readBody(bytes, contentType, as, label)
        } catch (error) {
          failed(error)
          throw error
        }
      }
      asking++
      const body = await guard.run({ host: request.host, call: label, signal, retry }, attempt).catch((error: unknown) => {
        if (wasNotAsked(error)) failed(error)
        throw error
      }).finally(() => { asking-- })
      try {
        const settled = settle(body)
        told(settled.map(({ error }) => error))
        return settled
      } catch (error) {
        failed(error)
        throw error
      }
    }

    async function sendMusicu (calls: readonly MusicuCall<unknown>[], retry: boolean): Promise<Settled<unknown>[]> {
      return await ask(musicuRequest(calls.map((call) => call.ask), credential), calls.map((call) => call.name), 'json', retry, (body) => readBatch(calls, body as Record<string, unknown>, reading))
    }

    async function sendClassic (call: ClassicCall<unknown>, retry: boolean): Promise<Settled<unknown>[]> {
      return await ask(classicRequest(call.ask, credential), [call.name], call.ask.as ?? 'json', retry, (body) => [readClassic(call, body, reading)])
    }

    async function send<T> (call: UpstreamCall<T>, retry: boolean): Promise<T> {
      const [result] = isMusicu(call) ? await sendMusicu([call], retry) : await sendClassic(call as ClassicCall<T>, retry)
      if (result?.error !== undefined) throw result.error
      return result?.value as T
    }

    async function firstOf<T> (calls: readonly Link<T>[], spare: boolean): Promise<T> {
      let reason: UpstreamError | undefined
      let spent = !spare
      for (const [at, call] of calls.entries()) {
        const last = at === calls.length - 1
        if (!last && !links.worthAsking(call)) continue
        const retry = last && !spent
        try {
          const answer = await ('via' in call ? call.via(retry ? patient : once) : send(call, retry))
          links.answered(call)
          return answer
        } catch (error) {
          if (!(error instanceof UpstreamError)) throw error
          if (!last) links.failed(call, error) // the last one is asked whatever it did
          if (error.fault === 'caller' || error.fault === 'time') throw error
          // An answer without the data says more than a refusal.
          if (reason === undefined || (error.code === 'UPSTREAM_EMPTY' && reason.code !== 'UPSTREAM_EMPTY')) reason = error
          if (error.fault !== 'host' || wasNotAsked(error)) continue
          // After a refused or broken connection the next call takes the place of the one retry, out of the same budget.
          if (spent || (!last && !guard.spare())) throw error
          spent = true
        }
      }
      throw reason ?? new TypeError('firstOf needs at least one call')
    }

    /** `once` is itself where none is given. No accessor: an object with one has a shape of its own, which each request would make anew. */
    function upstreamOf (retry: boolean, once?: Upstream): Upstream {
      const upstream = {
        loggedIn: reading.loggedIn,
        send: async <T>(call: UpstreamCall<T>) => await send(call, retry),
        sendAll: (async (calls: readonly MusicuCall<unknown>[]) => await sendMusicu(calls, retry)) as Upstream['sendAll'],
        firstOf: async <T>(calls: readonly Link<T>[]) => await firstOf(calls, retry),
        once: once as Upstream
      }
      if (once === undefined) upstream.once = upstream
      return upstream
    }
    const once = upstreamOf(false)
    const patient = upstreamOf(true, once)
    return {
      ...patient,
      end () {
        ended = true
        if (deadline === undefined) return
        deadlines.delete(deadline)
        // One of several questions asked at once has failed: nobody is left to hear the others.
        if (asking > 0) deadline.giveUp(clientGone)
        else deadline.end()
      }
    }
  }

  return {
    forRequest,
    admit: guard.admit,
    waitSeconds: guard.waitSeconds,
    hostStates: guard.states,
    leftOut: () => leftOut(linkStates, options),
    stop () {
      stopped = true
      for (const deadline of deadlines) deadline.giveUp(relayStops)
    },
    close: transport.close
  }
}

/** The relay itself refused to send. */
const wasNotAsked = (error: unknown): boolean => error instanceof UpstreamError && (error.outcome === 'paused' || error.outcome === 'shed')
