/** What the doctor says of its own machine and of the upstream's hosts, for others to read. It holds no secret. */
import type { Socket } from 'node:net'
import { Agent, buildConnector } from 'undici/index.js'
import type { UpstreamError } from '../common/errors.ts'
import { unwritable } from '../common/fileAccess.ts'
import { version } from '../common/version.ts'
import type { CallReport, Examination } from './examine.ts'
import { endpointNames } from './prober.ts'
import { inColumns, isWell } from './table.ts'
import type { Settings } from '../relay/settings.ts'
import { connectOf } from '../upstream/http/connector.ts'
import { networkError } from '../upstream/http/failures.ts'
import { hosts, streamRoot, withoutBrackets } from '../upstream/http/origins.ts'
import type { TransportOptions } from '../upstream/http/transport.ts'

interface Surroundings {
  readonly version: string
  /** ISO time. */
  readonly date: string
  readonly node: string
  readonly platform: string
  readonly proxy: boolean
  /** Whether UPSTREAM_ORIGIN replaces the upstream. */
  readonly ownOrigin: boolean
  /** `writable`, or the error code of the file system. Absent if there is no folder of settings. */
  readonly folder?: string
  /** `free`, `a relay` that runs, or why it could not listen. Absent if the relay takes any free port. */
  readonly port?: string
  /** How far this clock is ahead of the upstream's, in seconds. Absent if the upstream does not say the time. */
  readonly clockAhead?: number
}

/** A difference of the clocks that is worth a word, in seconds: certificates and expiry are judged by the clock. */
const mostAhead = 120

export const isClockRight = ({ clockAhead = 0 }: Surroundings): boolean => Math.abs(clockAhead) <= mostAhead

/** Whether a relay runs at its port, or could. */
export const isPortUsable = ({ port = 'free' }: Surroundings): boolean => port === 'free' || port === 'a relay'

type Way = Pick<TransportOptions, 'upstreamOrigin' | 'egress' | 'connectTimeoutMs'>

/** Looks at this machine. Sends one request, for the time. Never throws. `port`: its state, if it is known. */
export async function lookAround (
  settings: Settings,
  folder: string | undefined,
  options: Way,
  port?: string
): Promise<Surroundings> {
  const wrong = folder === undefined ? undefined : await unwritable(folder)
  const clockAhead = await clockAheadOf(options)
  return {
    version,
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    proxy: settings.upstreamProxy.length > 0,
    ownOrigin: settings.upstreamOrigin !== '',
    ...folder === undefined ? {} : { folder: wrong ?? 'writable' },
    ...port === undefined ? {} : { port },
    ...clockAhead === undefined ? {} : { clockAhead }
  }
}

async function clockAheadOf (
  { upstreamOrigin = `https://${hosts.musicu}`, egress, connectTimeoutMs }: Way
): Promise<number | undefined> {
  const way = connectOf(connectTimeoutMs, egress)
  // With a wrong clock every certificate looks invalid. Nothing secret is sent, and only the time is read.
  const connect = typeof way === 'function' ? way : { ...way, rejectUnauthorized: false }
  const dispatcher = new Agent({ connect, headersTimeout: connectTimeoutMs })
  try {
    const { headers, body } = await dispatcher.request({ origin: upstreamOrigin, path: '/', method: 'HEAD' })
    await body.dump()
    const time = Date.parse(String(headers['date']))
    return Number.isNaN(time) ? undefined : Math.round((Date.now() - time) / 1000)
  } catch {
    return undefined
  } finally {
    await dispatcher.destroy()
  }
}

export function surroundingsLine (around: Surroundings): string {
  const { folder, port, clockAhead } = around
  return [
    `music-relay ${around.version}`, around.date, `Node ${around.node}`, around.platform, `proxy: ${around.proxy ? 'set' : 'none'}`,
    `own origin: ${around.ownOrigin ? 'set' : 'none'}`,
    ...folder === undefined ? [] : [`folder of settings: ${folder}`],
    ...port === undefined ? [] : [`port: ${port}`],
    `clock: ${clockAhead === undefined ? 'not checked' : isClockRight(around) ? 'right' : `${Math.abs(clockAhead)} s ${clockAhead > 0 ? 'ahead' : 'behind'}, set it`}`
  ].join(' · ')
}

/** Returns how many endpoints work, and which need attention. */
export function verdictOf (
  { calls, endpoints }: Pick<Examination, 'calls' | 'endpoints'>,
  withCookie: boolean
): string {
  const ill = calls.filter((report) => !isWell(report, withCookie))
  const withLogin = withCookie
    ? []
    : endpoints.filter(({ answeredBy, failing }) =>
      answeredBy.length === 0 && failing.length > 0 && failing.every(({ verdict }) => verdict === 'login needed')
    )
  const dead = endpoints.filter((report) => report.answeredBy.length === 0 && !withLogin.includes(report))
  const touched = new Map(endpoints.flatMap(({ endpoint }) => {
    const own = ill.filter(({ endpoints: of }) => of.includes(endpoint))
    return own.length === 0 ? []
      : [[endpoint, own.map(({ call, verdict }) => `${call} ${verdict}`).join(', ')] as const]
  }))
  const all = endpointNames.length
  const parts = [
    `${all - dead.length - withLogin.length} of ${all} endpoints work`,
    ...withLogin.length === 0 ? [] : [`${withLogin.length} need a login (--cookie-file)`],
    touched.size === 0
      ? 'none needs attention'
      : `${touched.size} ${touched.size === 1 ? 'needs' : 'need'} attention: ${[...touched].map(([name, why]) => `${name} (${why})`).join(', ')}`
  ]
  return `${parts.join('; ')}.`
}

// Checks which hosts are reachable, and through which proxy, by opening a connection. Sends no request.

interface HostReach {
  /** Name of the host, with its port if it is not the default one. */
  readonly host: string
  /** The proxy that is used: scheme, host and port. Absent: none. */
  readonly proxy?: string
  readonly answers: boolean
  /** `ok`, or the class of the failure, such as `connect` or `proxy_refused`. */
  readonly outcome: string
  /** The failure in one sentence. Absent if the host is reachable. */
  readonly reason?: string
  /** Duration in milliseconds, including the TLS handshake if there is one. */
  readonly ms: number
}

/** Returns a report on each host that the relay may contact, or on the origin that replaces them. Never throws. */
export async function reachHosts (
  { upstreamOrigin, egress, connectTimeoutMs }: Pick<TransportOptions, 'upstreamOrigin' | 'egress' | 'connectTimeoutMs'>
): Promise<HostReach[]> {
  const origins = upstreamOrigin === undefined
    ? [...Object.values(hosts).map((host) => `https://${host}`), new URL(streamRoot).origin]
    : [upstreamOrigin]
  const way = connectOf(connectTimeoutMs, egress)
  const connect = typeof way === 'function' ? way : buildConnector(way)
  return await Promise.all(origins.map(async (origin): Promise<HostReach> => {
    const { hostname, host, protocol, port } = new URL(origin)
    const proxy = egress?.proxyFor(hostname)?.shown
    const begun = performance.now()
    const error = await new Promise<Error | null>((resolve) => {
      connect({ hostname: withoutBrackets(hostname), host, protocol, port }, (failed, socket: Socket | null) => {
        socket?.on('error', () => {}).destroy()
        resolve(failed)
      })
    })
    const failure: UpstreamError | undefined = error === null ? undefined
      : networkError(error, 'connection', 'request', { aborted: false, reason: undefined })
    return {
      host,
      ...proxy === undefined ? {} : { proxy },
      answers: failure === undefined,
      outcome: failure?.outcome ?? 'ok',
      ...failure === undefined ? {} : { reason: failure.message },
      ms: Math.round(performance.now() - begun)
    }
  }))
}

/** Returns one sentence if no host can be reached: why, and what to do. Undefined if one can. */
export function outageOf (hosts: readonly HostReach[], upstreamOrigin: string): string | undefined {
  if (hosts.length === 0 || hosts.some(({ answers }) => answers)) return undefined
  const reasons = hosts.map(({ reason = '' }) => reason)
  const [usual = ''] = [...new Set(reasons)].sort((a, b) =>
    reasons.filter((one) => one === b).length - reasons.filter((one) => one === a).length
  )
  const what = upstreamOrigin === '' ? `None of the ${hosts.length} hosts of the upstream answers.` : `UPSTREAM_ORIGIN (${upstreamOrigin}) does not answer.`
  return `${what} ${usual}`
}

// The report on the upstream's hosts, and whether this location seems to be blocked.

/** Returns one line per host, below a heading. */
export function hostLines (hosts: readonly HostReach[]): string[] {
  return inColumns([
    ['host', 'through', 'answers', 'outcome', 'time', 'what failed'],
    ...hosts.map(({ host, proxy = 'direct', answers, outcome, ms, reason = '' }) =>
      [host, proxy, answers ? 'yes' : 'no', answers ? '' : outcome, `${ms} ms`, reason])
  ])
}

/** Minimum number of refusals: fewer are faults of single calls. */
const fewest = 5
/** Minimum share of refused calls among the answered ones, in percent. */
const leastPercent = 20

/**
 * Returns a hint if the failures look like those of a machine whose address or region the upstream refuses, undefined
 * otherwise. The upstream has no code for this, so it is derived from the pattern of refusals. `regional`: endpoints
 * that found a song blocked in the relay's region.
 */
export function regionHint (
  hosts: readonly HostReach[],
  calls: readonly CallReport[],
  regional: ReadonlySet<string>
): string | undefined {
  const asked = calls.filter(({ verdict }) => verdict !== 'not probed' && verdict !== 'unreachable')
  const refused = asked.filter(looksBlocked)
  // Together these are no outage: only the main channel is known to refuse foreign networks.
  const loginRefused = calls.some(({ call, verdict }) => call.startsWith('login.main') && verdict === 'refused') &&
    calls.some(({ call, verdict }) => call.startsWith('login.alt') && verdict === 'ok')
  // Without names, network or a right clock, the fault is here.
  const silent = hosts.length > 1 && hosts.every(({ outcome, proxy }) =>
    outcome.startsWith('connect') && proxy === undefined)
  const signs = [
    ...refused.length >= fewest && refused.length * 100 >= asked.length * leastPercent
      ? [`${refused.length} of ${asked.length} calls are refused or empty`]
      : [],
    ...loginRefused ? ['the main login is refused and the alternative one is not'] : [],
    ...regional.size > 0 ? [`a song is not offered where the relay runs (${[...regional].join(', ')})`] : [],
    ...silent ? ['no host answers'] : []
  ]
  if (signs.length === 0) return undefined
  return `${signs.join('; ')}: perhaps the upstream refuses this address or region. ${
    hosts.some(({ proxy }) => proxy !== undefined)
      ? 'Try a proxy in another place (UPSTREAM_PROXY), or a cookie: --cookie-file.'
      : 'UPSTREAM_PROXY sends the requests through another machine: docs/running-in-public.md#through-a-proxy.'
  }`
}

/** Whether a call was refused for this address, answered without data, or refused by the gateway of the host. */
function looksBlocked ({ verdict, kind }: CallReport): boolean {
  return verdict === 'risk-controlled' || verdict === 'empty' || (verdict === 'refused' && kind === 'refused.http')
}
