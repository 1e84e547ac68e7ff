/**
 * What a command that listens writes to standard output: the start-up text (version, settings, requests to try), which
 * never shows secrets except the invented ones of the demo, then the log.
 */
import { existsSync } from 'node:fs'
import { pino } from 'pino'
import { spanOf } from '../common/spans.ts'
import { version } from '../common/version.ts'
import { defaultAccount, type AccountStatus } from '../relay/accountBook.ts'
import { isLoopbackBind, isWildcardBind, tellsClientsApart, upstreamKind, type Settings } from '../relay/settings.ts'
import { variableSet } from '../relay/environment.ts'
import type { DemoUpstream } from '../demo/upstream.ts'
import { egressOf } from '../upstream/http/egress.ts'
import { variableToSet, warnOn } from './process.ts'

interface BannerFacts {
  readonly address: string
  readonly settings: Settings
  /** Path of the settings file, which may not exist. */
  readonly settingsFile: string
  readonly globalCookie: string
  readonly accounts: readonly AccountStatus[]
  readonly env: NodeJS.ProcessEnv
  /** The demo upstream, if one was started with the relay. */
  readonly demo: DemoUpstream | undefined
  readonly operatorCode?: string | undefined
}

export function banner (
  { address, settings, settingsFile, globalCookie, accounts, env, demo, operatorCode }: BannerFacts
): string {
  const { fallbackMode, cookieParamName, docs, pages, meting, metrics, redisUrl, subsonicPassword } = settings
  // What people open, or paste into a player, must be an address that they reach.
  const reached = settings.publicOrigin
    || (isWildcardBind(settings) ? address.replace(/\/\/.+(?=:)/, '//<this machine>') : address)
  const onOff = (on: boolean): string => on ? 'on' : 'off'
  const upstreamLabels = {
    'demo': 'demo (invented catalogue)',
    'live': 'live',
    'another origin': `another origin (${variableToSet(env, 'UPSTREAM_ORIGIN')})`
  } as const
  const lines = [
    `music-relay ${version}`,
    `  listening        ${address}`,
    `  settings         ${settingsFile}${existsSync(settingsFile) ? '' : ' (missing: defaults and environment apply)'}`,
    `  upstream         ${upstreamLabels[upstreamKind(settings, demo !== undefined)]}`,
    ...settings.upstreamProxy.length === 0 ? [] : [`  upstream proxy   ${shownProxies(settings).upstreamProxy?.join(', ')}`],
    `  fallback mode    ${onOff(fallbackMode)}${
      fallbackMode ? `: a request can pass its own cookie as ?${cookieParamName}=…, X-Custom-Cookie or Cookie`
        : ': cookies in requests are ignored'
    }`,
    `  global cookie    ${globalCookie}`
  ]
  if (accounts.length > 0) lines.push(`  accounts         ${accountsInWords(accounts)}`)
  if (docs) lines.push(`  documentation    ${reached}/docs`)
  if (pages) lines.push(`  try it           ${reached}/`, `  log in           ${reached}/login`)
  if (operatorCode !== undefined) lines.push(`  for you only     ${reached}/login#operator=${operatorCode} (works once, within an hour: this browser may then store logins here)`)
  if (meting) lines.push(`  blog widgets     ${reached}/meting?server=:server&type=:type&id=:id&auth=:auth&r=:r`)
  const players = demo !== undefined
    ? 'user demo, password demo'
    : [
      ...accounts.some(({ name }) => name !== defaultAccount) ? ['user: an account, password: its secret'] : [],
      ...subsonicPassword === '' ? [] : ['any other user with SUBSONIC_PASSWORD']
    ].join('; ')
  if (players !== '') lines.push(`  players          ${reached} (OpenSubsonic; ${players})`)
  if (metrics) lines.push(`  metrics          ${reached}/metrics`)
  if (redisUrl !== '') lines.push(`  shared store     ${withoutPassword(redisUrl)}`)
  if (!isLoopbackBind(settings)) {
    const open = `: everybody who can reach this address can use it; set ${variableToSet(env, 'ACCESS_TOKEN')} to change that`
    lines.push(`  access token     ${settings.accessToken === '' ? `${onOff(false)}${open}` : onOff(true)}`)
  }
  const limit = ['RATE_LIMIT', 'RATE_LIMIT_LOGIN_STARTS'].flatMap((name) => variableSet(env, name) ?? [])[0]
  if (limit !== undefined && !tellsClientsApart(settings)) {
    lines.push(`  rate limit       ${limit} has no effect here: on ${settings.host} all clients have the same address; behind a proxy, set ${variableToSet(env, 'TRUST_PROXY')}`)
  }
  if (settings.host === 'localhost') {
    // Behind a proxy, any other HOST would open the port beside it.
    const how = settings.publicOrigin === '' ? `set ${variableToSet(env, 'HOST')}=0.0.0.0 to change that`
      : `a proxy on it makes it ${settings.publicOrigin}`
    lines.push(`  only this machine can reach it; ${how}`)
  }
  // A shell would take the brackets of <this machine> for redirections.
  const here = isWildcardBind(settings) ? address.replace(/\/\/.+(?=:)/, '//localhost') : address
  const text = `${lines.join('\n')}\n`
  if (demo === undefined) return text
  const token = settings.accessToken === '' ? undefined : variableToSet(env, 'ACCESS_TOKEN')
  const accountsOfDemo = accountLines(demo, fallbackMode ? cookieParamName : undefined)
  return `${text}\n${thingsToTry(here, token)}\n${moodLine(demo)}${accountsOfDemo}`
}

/** Returns the rules of the setting `upstreamProxy` without users and passwords; nothing if there are none. */
export function shownProxies (
  { upstreamProxy, upstreamOrigin }: Settings
): { readonly upstreamProxy?: readonly string[] } {
  const egress = egressOf(upstreamProxy, upstreamOrigin || undefined)
  return egress === undefined ? {} : { upstreamProxy: egress.shown }
}

/** Number of accounts that the banner names. A household has fewer. */
const mostAccounts = 8

/** Returns the accounts in one line, first those that need somebody: how long each key lasts, or what to do. */
export function accountsInWords (accounts: readonly AccountStatus[]): string {
  const rank = ({ state }: AccountStatus): number => state === 'ok' ? 1 : 0
  const named = [...accounts].sort((a, b) => rank(a) - rank(b)).slice(0, mostAccounts)
    .map(({ name, state, expiresIn, trouble }) => {
      const left = expiresIn === undefined ? [] : [expiresIn > 0 ? spanOf(expiresIn) : 'expired']
      return `${name} (${[...left, ...trouble === undefined ? [] : [`${state}: ${trouble.command}`]].join(', ') || state})`
    })
  return [...named, ...accounts.length > mostAccounts ? [`${accounts.length - mostAccounts} more`] : []].join(', ')
}

/** Returns the address of a store without user, password and options. */
function withoutPassword (url: string): string {
  const [, scheme, address] = /^(\w+:\/\/)(?:[^/?]*@)?([^?]*)/.exec(url) ?? []
  return `${scheme}${address}`
}

export function demoUpstreamBanner (demo: DemoUpstream): string {
  return `demo upstream listening on ${demo.origin}\n\n  UPSTREAM_ORIGIN=${demo.origin} IMAGE_ORIGIN=${demo.origin} music-relay\n\n${moodLine(demo)}${accountLines(demo, 'cookie')}`
}

/** `token`: name of the variable with the access token, if there is one. */
function thingsToTry (address: string, token: string | undefined): string {
  const curl = token === undefined ? 'curl' : `curl -H "Authorization: Bearer $${token}"`
  const paths = [
    '/getRanks?topId=62&limit=3&resolveMid=true', '/getLyric/00DemoSong0001?isFormat=1',
    '/getMusicPlay?songmid=00DemoSong0001'
  ]
  return `Try it:\n${paths.map((path) => `  ${curl} '${address}${path}'\n`).join('')}`
}

const moodLine = ({ origin, moods }: DemoUpstream): string => {
  const on = moods.list().filter((mood) => mood.on).map(({ name }) => name)
  return `Make the demo upstream fail: ${origin}/demo/moods${on.length > 0 ? `\n  now ${on.join(', ')}` : ''}\n\n`
}

/** `parameter`: name of the parameter that takes a cookie. Undefined: no request may bring one. */
function accountLines ({ accounts }: DemoUpstream, parameter: string | undefined): string {
  const how = parameter === undefined ? '' : ` (pass one as X-Custom-Cookie or ?${parameter}=)`
  return `Demo accounts${how}:\n${accounts.map(({ name, cookie }) => `  ${name.padEnd(9)} ${cookie}\n`).join('')}\n`
}

// The log, with protection against a full disk or a slow reader.

/** Maximum size of the buffer for a slow reader; further lines are lost. Bytes. */
const mostWaiting = 16 * 1024 * 1024
/** Synchronous attempts, one every 100 ms, for a reader that takes nothing. They block; then lines are lost. */
const mostTries = 10

/**
 * Creates the output. Lines that arrive during a write go out together. A line that cannot be written, as on a full
 * disk, is lost. The relay goes on and writes line by line until there is room again. The logger's own output would end
 * the process instead, and would block at its end for as long as lines wait. `shape` may change each text before it is
 * written.
 */
export function logOutput (shape: (text: string) => string = (text) => text) {
  let ending = false
  let warned = false
  let triesLeft = mostTries
  const open = (sync: boolean): ReturnType<typeof pino.destination> => {
    let blocks = sync
    const opened = pino.destination({
      fd: 1,
      sync,
      maxLength: mostWaiting,
      retryEAGAIN: () => !blocks || triesLeft-- > 0
    })
    opened.on('error', ({ code }: NodeJS.ErrnoException) => {
      opened.destroy()
      if (!warned) warnOn(process.stderr)(`the log cannot be written (${code}); the relay goes on without it`)
      warned = true
      if (opened === output) output = open(true)
    })
    opened.on('write', (written) => { if (written > 0) triesLeft = mostTries })
    if (sync) opened.once('write', () => { if (!ending) output = open(false) })
    else {
      // The logger calls this when the process ends.
      const { flushSync } = opened
      opened.flushSync = () => {
        blocks = true
        try {
          flushSync.call(opened)
        } catch { /* no reader */ }
      }
    }
    return opened
  }
  let output = open(false)
  return {
    write: (line: string): void => { output.write(shape(line)) },
    /** From now on each line is written synchronously, so that none is lost when the process ends. */
    oneByOne (): void {
      ending = true
      output = open(true)
    }
  }
}

// Log lines for a person at a terminal. Programs get the JSON of the logger.

/** The fields of a line, besides level and time. */
type Fields = Readonly<Record<string, unknown>>
type LoggedFailure = Readonly<Partial<Record<'stack' | 'message' | 'type' | 'code', string>>>

/**
 * Returns a line of the logger as text, such as `10:15:02 info  GET /getRanks 200 in 14 ms, MISS, chart.detail ok`. The
 * time is local. Any other text, such as the banner, is returned unchanged.
 */
export function readable (line: string): string {
  if (!line.startsWith('{"level":')) return line
  const { level, time, ...entry } = JSON.parse(line) as Fields & { readonly level: string, readonly time: string }
  const clock = new Date(time).toLocaleTimeString('en-GB')
  return `${clock} ${level.padEnd(5)} ${printable(entry.msg === 'request' ? requestOf(entry) : eventOf(entry))}\n`
}

function requestOf (
  { msg: _msg, reqId, method, route, called, status, failed, ms, cookie_source: cookie, cache, upstream, ...more }:
    Fields
): string {
  const sent =
    (upstream as readonly { readonly calls: readonly string[], readonly outcome: string }[] | undefined ?? []).map((
      { calls, outcome }
    ) => `${calls.join('+')} ${outcome}`)
  return [
    [method, route ?? '(no such route)', called, status, `in ${Math.round(Number(ms))} ms`].filter((word) =>
      word !== undefined
    ).join(' '),
    ...[failed, cache].filter((word) => word !== undefined),
    ...cookie === 'none' ? [] : [`cookie: ${String(cookie)}`],
    ...sent,
    ...restOf(Number(status) >= 500 ? { reqId, ...more } : more)
  ].join(', ')
}

function eventOf ({ msg, err, ...more }: Fields): string {
  const { stack, message, type, code } = (err ?? {}) as LoggedFailure
  const cause = err === undefined ? []
    : [stack ?? message ?? [type, code].filter((word) => word !== undefined).join(' ')]
  return [msg, ...restOf(more), ...cause].join(', ')
}

const restOf = (fields: object): string[] =>
  Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  )

/** A terminal would obey control characters. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, '?')
