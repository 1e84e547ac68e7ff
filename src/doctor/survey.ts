/**
 * Watches endpoints at work: every link of every chain is asked, not only the first that answers, and how each call
 * ended is kept, with its answer. The same question is asked once, whoever asks.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { UpstreamError } from '../errors.ts'
import type { Caller, Provider, RequestUpstream } from '../provider/client.ts'
import { deaf } from '../provider/read.ts'
import type { Finding, Listener } from '../provider/read.ts'
import { readAnswer } from '../provider/readAnswer.ts'
import type { Link as LinkOf, Settled, Upstream, UpstreamCall } from '../provider/upstream.ts'
import type { Verdict } from '../provider/verdict.ts'

type Call = UpstreamCall<unknown>

/** What was seen of one call. */
export interface Probe {
  verdict: Verdict
  outcome: string
  ms: number
  readonly findings: Map<string, Finding>
  readonly endpoints: Set<string>
  /** What was asked, and the data it was answered with; absent while there was none. */
  heard?: { readonly call: Call, readonly answer: unknown }
}

export interface Survey {
  readonly probes: ReadonlyMap<string, Probe>
  readonly listener: Listener
  provider (own: Provider): Provider
  /** Upstream work inside counts for this endpoint. The denied calls fail there, unasked, so that others stand in. */
  during<T> (endpoint: string, work: () => Promise<T>, denied?: ReadonlySet<string>): Promise<T>
}

interface Scene { readonly endpoint: string, readonly denied: ReadonlySet<string> }
type Link = LinkOf<unknown>
type Heard = { readonly answer: unknown } | { readonly error: Error }

const settled = async (work: Promise<unknown>): Promise<Settled<unknown>> => await work.then((value) => ({ value }), (error: unknown) => ({ error: error as Error }))

const keyOf = (call: Call): string => JSON.stringify([call.name, call.ask])

export function createSurvey (): Survey {
  const probes = new Map<string, Probe>()
  const heard = new Map<string, Heard>()
  const failures = new Map<string, Error>()
  const scenes = new AsyncLocalStorage<Scene>()

  function probeOf (call: string): Probe {
    let probe = probes.get(call)
    if (probe === undefined) probes.set(call, probe = { verdict: 'unreachable', outcome: '', ms: 0, findings: new Map(), endpoints: new Set() })
    const endpoint = scenes.getStore()?.endpoint
    if (endpoint !== undefined) probe.endpoints.add(endpoint)
    return probe
  }

  const listener: Listener = {
    finding (finding) {
      probeOf(finding.call).findings.set(`${finding.path} ${finding.expected} ${finding.seen}`, finding)
    },
    ended ({ call, verdict, outcome, ms }) {
      const probe = probeOf(call)
      // One good answer says more than a later "nothing for that one"; an unknown shape says most.
      if ((probe.outcome !== 'ok' && probe.verdict !== 'drift') || verdict === 'drift') Object.assign(probe, { verdict, outcome, ms })
    }
  }

  function keeping (call: Call): Call {
    return {
      ...call,
      read (answer) {
        heard.set(keyOf(call), { answer: answer.value })
        const probe = probeOf(call.name)
        probe.heard ??= { call, answer: answer.value }
        return call.read(answer)
      }
    }
  }

  function again (call: Call, known: Heard): Settled<unknown> {
    probeOf(call.name)
    if ('error' in known) return known
    try {
      return { value: readAnswer(call, known.answer, deaf) }
    } catch (error) {
      return { error: error as Error }
    }
  }

  /** Some questions differ each time, by a random number: while others are looked for, what fails is not asked again. */
  function hopeless ({ name }: Call, denied: ReadonlySet<string> | undefined): Heard | undefined {
    const error = denied === undefined || denied.size === 0 || probes.get(name)?.outcome === 'ok' ? undefined : failures.get(name)
    return error === undefined ? undefined : { error }
  }

  function watched (own: Provider, caller: Caller): Upstream {
    /** Each request has the whole deadline, so that a slow call takes no time from the next. */
    async function fresh<T> (work: (upstream: RequestUpstream) => Promise<T>): Promise<T> {
      const upstream = own.forRequest(caller)
      try {
        return await work(upstream)
      } finally {
        upstream.end()
      }
    }

    async function ask (calls: readonly Call[]): Promise<Settled<unknown>[]> {
      const ended = await fresh(async (upstream) => calls.length === 1
        ? [await settled(upstream.send(keeping(calls[0] as Call)))]
        : await upstream.sendAll(calls.map(keeping) as never) as Settled<unknown>[]).catch((error: unknown) => calls.map(() => ({ error: error as Error })))
      ended.forEach(({ error }, at) => {
        if (error === undefined) return
        const call = calls[at] as Call
        failures.set(call.name, error)
        if (!heard.has(keyOf(call))) heard.set(keyOf(call), { error })
      })
      return ended
    }

    async function settle (calls: readonly Call[]): Promise<Settled<unknown>[]> {
      const denied = scenes.getStore()?.denied
      const known = calls.map((call): Settled<unknown> | undefined => {
        if (denied?.has(call.name) === true) return { error: new UpstreamError('UPSTREAM_REFUSED', 'Another call is wanted.', { fault: 'call', call: call.name, outcome: 'denied' }) }
        const before = heard.get(keyOf(call)) ?? hopeless(call, denied)
        return before === undefined ? undefined : again(call, before)
      })
      const rest = calls.filter((_call, at) => known[at] === undefined)
      const asked = rest.length === 0 ? [] : await ask(rest)
      return known.map((one) => one ?? asked.shift() as Settled<unknown>)
    }

    async function send (call: Call): Promise<unknown> {
      const [ended] = await settle([call])
      if (ended?.error !== undefined) throw ended.error
      return ended?.value
    }

    async function firstOf (links: readonly Link[]): Promise<unknown> {
      const ended: Settled<unknown>[] = []
      for (const link of links) ended.push(await settled('via' in link ? link.via(upstream) : send(link)))
      const good = ended.find(({ error }) => error === undefined)
      if (good === undefined) throw ended[0]?.error ?? new TypeError('firstOf needs at least one call')
      return good.value
    }

    const upstream: Upstream = {
      loggedIn: caller.credential !== undefined,
      send: send as Upstream['send'],
      sendAll: settle as unknown as Upstream['sendAll'],
      firstOf: firstOf as Upstream['firstOf'],
      get once () { return upstream }
    }
    return upstream
  }

  return {
    probes,
    listener,
    provider: (own) => ({ ...own, forRequest: (caller) => ({ ...watched(own, caller), end () {} }) }),
    during: async (endpoint, work, denied = new Set()) => await scenes.run({ endpoint, denied }, work)
  }
}
