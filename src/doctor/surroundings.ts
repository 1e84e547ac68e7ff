/**
 * What a report of the doctor says of its own machine and of the answers, for those who read it elsewhere. It holds no
 * secret.
 */
import { Agent } from 'undici/index.js'
import { unwritable } from '../common/fileAccess.ts'
import { version } from '../common/version.ts'
import type { Settings } from '../relay/settings.ts'
import { connectOf } from '../upstream/http/connector.ts'
import { hosts } from '../upstream/http/origins.ts'
import type { TransportOptions } from '../upstream/http/transport.ts'
import { endpointNames } from './prober.ts'
import type { Examination } from './examine.ts'
import { isWell } from './table.ts'

/** The machine and the settings that matter. */
export interface Surroundings {
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
  /**
   * Of the relay with these settings: `free`, `a relay` that runs, or why it could not listen. Absent if it takes any
   * free port.
   */
  readonly port?: string
  /**
   * How far this machine's clock is ahead of the upstream's, in seconds. Absent if the upstream does not say the time.
   */
  readonly clockAhead?: number
}

/** A difference of the clocks that is worth a word, in seconds: certificates and expiry are judged by the clock. */
const mostAhead = 120

/** Whether the clock of this machine is right, as far as that is known. */
export const isClockRight = ({ clockAhead = 0 }: Surroundings): boolean => Math.abs(clockAhead) <= mostAhead

/** Whether a relay runs at its port, or could. */
export const isPortUsable = ({ port = 'free' }: Surroundings): boolean => port === 'free' || port === 'a relay'

/** How connections are opened. */
type Way = Pick<TransportOptions, 'upstreamOrigin' | 'egress' | 'connectTimeoutMs'>

/**
 * Looks at this machine. Sends one request, for the time. Never throws. `port`: its state, if it has been looked at.
 */
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
