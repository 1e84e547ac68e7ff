/** Probes every endpoint and every fallback, and reports the state of each upstream call. */
import type { SampleIds } from '../relay/endpoint.ts'
import { type Finding, isAnswered } from '../upstream/read/observer.ts'
import { kinds, type Kind, type KindFacts, type Verdict } from '../common/kinds.ts'
import known from './calls.json' with { type: 'json' }
import {
  createProber, denialsOf, endpointNames, probesOf, takesLogin, type KnownCall, type Prober, type ProberOptions,
  type Progress
} from './prober.ts'
import { askFacts, type Facts } from './facts.ts'
import type { Probe, ProbeRecorder } from './probeRecorder.ts'

/** Every upstream call, and the endpoints that send it: `npm run openapi` observes them at the demo. */
export const calls = known as Readonly<Record<string, KnownCall>>

export interface CallReport {
  readonly call: string
  /** `not probed`: no sample id was available, or the call is sent only after a QR code was scanned. */
  readonly verdict: Verdict | 'not probed'
  /** `ok`, the class of the failure, or the reason why it was not probed. */
  readonly outcome: string
  /** The kind of the failure. Absent: none, or nothing was sent. */
  readonly kind?: Kind | undefined
  /** Duration in milliseconds; absent when nothing was sent. */
  readonly ms?: number
  readonly findings: readonly Omit<Finding, 'call'>[]
  /** The known issue behind the state of the call. */
  readonly note?: string
  /** Start of the failure: an ISO time, or month or year of a known issue. Absent if it answers, or if unknown. */
  readonly since?: string
  /** Endpoints that send the call, first or as a fallback. */
  readonly endpoints: readonly string[]
}

/** A call that does not answer for an endpoint. */
export type FailingCall = Pick<CallReport, 'call' | 'verdict' | 'outcome' | 'since'>

export interface EndpointReport {
  readonly endpoint: string
  /** For each of its chains, the call that answers now. */
  readonly answeredBy: readonly string[]
  /** Its calls that do not answer. Others replace them, or a part of the endpoint is missing. */
  readonly failing: readonly FailingCall[]
}

export interface Examination extends Pick<Prober, 'recorder' | 'broken' | 'regional' | 'credential'> {
  readonly calls: readonly CallReport[]
  readonly endpoints: readonly EndpointReport[]
  /** Absent unless they were asked for. */
  readonly facts?: Facts
}

/** Options of `examine`. `progress` is called after each endpoint. */
interface ExaminationTask extends ProberOptions {
  readonly progress?: Progress
  /** Start of each call's failure by name, as recorded by a running relay. ISO times. */
  readonly failingSince?: ReadonlyMap<string, string>
  /** Whether to ask for more facts than the state of the calls needs. */
  readonly withFacts?: boolean
}

/** Probes every endpoint, then the fallbacks, and reports on every upstream call. Failed calls do not throw. */
export async function examine (
  { progress = () => {}, failingSince = new Map(), withFacts = false, ...options }: ExaminationTask
): Promise<Examination> {
  const prober = createProber(options)
  const { recorder, broken, regional, credential } = prober
  try {
    await prober.probeAll(progress)
    await reachTheRest(prober)
    const calls = reportOf(prober, failingSince)
    const facts = withFacts ? { facts: await askFacts(prober) } : {}
    return { ...facts, calls, endpoints: endpointsOf(prober, calls), broken, regional, recorder, credential }
  } finally {
    await prober.close()
  }
}

/** Reaches the calls that are sent only when others fail: denies each call alone, then more and more together. */
async function reachTheRest ({ recorder: { probes }, probe }: Prober): Promise<void> {
  for (const [call, { endpoints, afterScan }] of Object.entries(calls)) {
    if (afterScan === true) continue
    for (const name of endpoints) {
      const reached = Object.keys(calls).filter((other) =>
        other !== call && calls[other]?.endpoints.includes(name) === true && probes.has(other)
      )
      for (const denied of denialsOf(reached)) {
        if (probes.get(call)?.endpoints.has(name) === true) break
        await probe(name, denied)
      }
    }
  }
  // While every search for songs fails, nobody asks for albums and singers beside them.
  for (const type of ['album', 'singer'] as const) {
    const rest = Object.keys(calls).some((call) => call.startsWith(`search.${type}s.`) && !probes.has(call))
    if (rest) await probe('search', new Set(probes.keys()), { type })
  }
}

const ofKind = (kind: Kind | undefined): KindFacts | undefined => kind === undefined ? undefined : kinds[kind]
const isPause = ({ kind }: Probe): boolean => ofKind(kind)?.own === 'pause'

/** Returns a request to a host, if none was answered. Undefined if one was, or none was sent. */
function silenceOf (probes: ProbeRecorder['probes'], host: string | undefined): Probe | undefined {
  const sent = [...probes.values()].filter((probe) => host !== undefined && probe.host === host && probe.outcome !== '')
  const silent = sent.every(({ verdict, kind }) => verdict === 'unreachable' && ofKind(kind)?.again !== 'any')
  return silent ? sent.find((probe) => !isPause(probe)) ?? sent[0] : undefined
}

function reportOf (
  { recorder: { probes }, sampleIds }: Prober,
  failingSince: ReadonlyMap<string, string>
): CallReport[] {
  return [...new Set([...Object.keys(calls), ...probes.keys()])].sort().map((call): CallReport => {
    const { endpoints = [] } = calls[call] ?? {}
    const probe = probes.get(call)
    if (probe === undefined || probe.outcome === '') {
      return { call, ...whyNot(call, probes, sampleIds()), findings: [], endpoints }
    }
    const findings = [...probe.findings.values()].map(({ path, expected, seen }) => ({ path, expected, seen }))
    // Another call has just returned the id, so it exists: `not_found` is unexpected.
    const odd = findings.length > 0 || probe.kind === 'missing'
    const found = odd && (probe.verdict === 'ok' || probe.verdict === 'empty') ? 'drift' : probe.verdict
    const failed = isPause(probe) ? silenceOf(probes, probe.host) ?? probe : probe
    const known = probe.knownIssue?.verdict === found ? probe.knownIssue : undefined
    const since = isAnswered(probe) ? undefined : known?.since ?? failingSince.get(call)
    return {
      call,
      verdict: known === undefined ? found : 'ok',
      ...(known === undefined ? {} : { note: known.note }),
      ...(since === undefined ? {} : { since }),
      outcome: failed.outcome,
      kind: failed.kind,
      ms: Math.round(probe.ms),
      findings,
      endpoints: [...new Set([...endpoints, ...probe.endpoints])]
    }
  })
}

const answeredFor = (endpoint: string, probe: Probe | undefined): boolean =>
  probe?.endpoints.has(endpoint) === true && isAnswered(probe)

function endpointsOf ({ recorder: { probes, chainsOf } }: Prober, reports: readonly CallReport[]): EndpointReport[] {
  return endpointNames.flatMap((endpoint) => {
    const own = reports.filter(({ endpoints }) => endpoints.includes(endpoint))
    if (own.length === 0) return []
    const chains = chainsOf(endpoint)
    // Logins are not sent through chains.
    const alone = chains.length > 0 ? []
      : own.filter(({ call }) => answeredFor(endpoint, probes.get(call))).map(({ call }) => call)
    const failing = own.flatMap(({ call, verdict, outcome, since }): FailingCall[] => {
      const probe = probes.get(call)
      const real = probe === undefined || probe.outcome === '' ? { verdict, outcome }
        : { verdict: verdict === 'ok' ? probe.verdict : verdict, outcome }
      return real.verdict === 'not probed' || isAnswered(real) ? []
        : [{ call, ...real, ...(since === undefined ? {} : { since }) }]
    })
    return [{
      endpoint,
      answeredBy: [...new Set([...chains.flatMap((chain) => chain.answered ?? []), ...alone])],
      failing
    }]
  })
}

function whyNot (
  call: string,
  probes: ProbeRecorder['probes'],
  sampleIds: SampleIds
): Pick<CallReport, 'verdict' | 'outcome' | 'kind'> {
  const { endpoints = [], host, afterScan } = calls[call] ?? {}
  if (afterScan === true) return { verdict: 'not probed', outcome: 'only after a code was scanned' }
  // Without an account, an invented one shows whether only the account was missing.
  const accounts = sampleIds.accounts.length > 0 ? sampleIds.accounts : ['1']
  const hadSamples = endpoints.some((name) => probesOf(name, { ...sampleIds, accounts }).length > 0)
  if (sampleIds.accounts.length === 0 && hadSamples && endpoints.some((name) => takesLogin(name))) {
    const silence = silenceOf(probes, host)
    return silence === undefined ? { verdict: 'login needed', outcome: 'no cookie' }
      : { verdict: 'unreachable', outcome: silence.outcome, kind: silence.kind }
  }
  return { verdict: 'not probed', outcome: hadSamples ? 'no other call left it a turn' : 'nothing to ask about' }
}
