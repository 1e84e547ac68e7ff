/**
 * The operator's proxies, and the hosts that use them. Callers and the variables of other programs (HTTP_PROXY) have no
 * influence. A proxy only forwards bytes: the relay checks the certificate of the upstream through it.
 */
import { ConfigError } from '../../common/errors.ts'
import { audioHosts, hosts, withoutBrackets } from './origins.ts'

/** The protocol of a proxy. `https`: CONNECT over TLS. Here `socks5` and `socks5h` both let the proxy resolve names. */
export type ProxyScheme = 'http' | 'https' | 'socks5' | 'socks5h'

export interface EgressProxy {
  readonly scheme: ProxyScheme
  /** Name or address; IPv6 without brackets. */
  readonly hostname: string
  readonly port: number
  /** Scheme, host and port for display: never user and password. */
  readonly shown: string
  /**
   * Returns user and password, undefined if there are none. A function, so that logging the object does not reveal
   * them.
   */
  readonly credentials: () => { readonly user: string, readonly password: string } | undefined
}

/** Which host is reached through which proxy. */
export interface Egress {
  /**
   * Returns the proxy of a host, undefined if it is reached directly. `hostname` as in a URL; IPv6 with brackets or
   * without.
   */
  proxyFor (hostname: string): EgressProxy | undefined
  /** The rules in the operator's order, without users and passwords. */
  readonly shown: readonly string[]
}

interface Rule { readonly host: string, readonly proxy: EgressProxy | undefined }

const ports: Readonly<Record<ProxyScheme, number>> = { http: 80, https: 443, socks5: 1080, socks5h: 1080 }
const ruleForm = /^(?:(\.?[0-9A-Za-z.-]{1,253}|\[[0-9A-Fa-f:.]+\])=)?(direct|\w+:\/\/.+)$/s
const proxyForm = /^(https?|socks5h?):\/\/(?:(.*)@)?([0-9A-Za-z._-]{1,253}|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?\/?$/s
const examples =
  'must be a proxy such as http://proxy.example:8080 or socks5://127.0.0.1:1080, HOST=PROXY or HOST=direct; percent-encode odd characters of user and password'

/**
 * Reads the rules of the setting `upstreamProxy`. Returns undefined if there are none. `originOverride`: origin that
 * replaces the upstream, whose host rules may also name.
 * @throws {ConfigError} A rule is wrong, or names a host that the relay does not contact. The message quotes no proxy.
 */
export function egressOf (texts: readonly string[], originOverride?: string): Egress | undefined {
  if (texts.length === 0) return undefined
  const ofOverride = originOverride === undefined ? [] : [withoutBrackets(new URL(originOverride).hostname)]
  const known = [...new Set<string>([...Object.values(hosts), ...audioHosts, ...ofOverride])]
  const rules = new Map<string, Rule>()
  const shown = texts.map((text, at) => {
    const wrong = (what: string): ConfigError => new ConfigError(`upstreamProxy[${at}]: ${what}.`)
    const [, named = '', to = ''] = ruleForm.exec(text) ?? []
    const host = withoutBrackets(named.toLowerCase())
    const proxy = to === 'direct' ? undefined : proxyOf(to, wrong)
    if (proxy === undefined && host === '') throw wrong(examples)
    if (host !== '' && !known.some((one) => covers(host, one) || covers(one, host))) {
      throw wrong(`the relay does not contact this host. Known hosts: ${known.join(', ')}`)
    }
    if (rules.has(host)) throw wrong(host === '' ? 'only one proxy can be for all hosts' : `there is another rule for ${host}`)
    rules.set(host, { host, proxy })
    return `${host === '' ? '' : `${host}=`}${proxy?.shown ?? 'direct'}`
  })
  // The longest name has priority: a full name, then a suffix, then the rule for all hosts.
  const sorted = [...rules.values()].sort((a, b) => b.host.length - a.host.length)
  return {
    proxyFor (hostname) {
      const host = withoutBrackets(hostname.toLowerCase())
      return sorted.find((rule) => rule.host === '' || covers(rule.host, host))?.proxy
    },
    shown
  }
}

/** Whether a rule for `name` applies to `host`. A name that begins with a dot matches all names below it. */
const covers = (name: string, host: string): boolean => name === host || (name.startsWith('.') && host.endsWith(name))

function proxyOf (text: string, wrong: (what: string) => ConfigError): EgressProxy {
  const [, scheme, userInfo, host = '', port] =
    proxyForm.exec(text) as [string, ProxyScheme, string | undefined, string, string | undefined] | null ?? []
  if (scheme === undefined) throw wrong(examples)
  const number = port === undefined ? ports[scheme] : Number(port)
  if (number < 1 || number > 65535) throw wrong('the port of a proxy is a number from 1 to 65535')
  const credentials = userInfo === undefined || userInfo === '' ? undefined : credentialsOf(userInfo, scheme, wrong)
  return {
    scheme,
    hostname: withoutBrackets(host),
    port: number,
    shown: `${scheme}://${host}:${number}`,
    credentials: () => credentials
  }
}

function credentialsOf (
  text: string,
  scheme: ProxyScheme,
  wrong: (what: string) => ConfigError
): { user: string, password: string } {
  const [, first = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  let user, password
  try {
    [user, password] = [decodeURIComponent(first), decodeURIComponent(rest)]
  } catch {
    throw wrong(examples)
  }
  if (/\p{Cc}/u.test(user + password)) throw wrong('user and password of a proxy have no control characters')
  const isSocks = scheme.startsWith('socks')
  if (isSocks && ![user, password].every((part) => part !== '' && Buffer.byteLength(part) <= 255)) {
    throw wrong('a SOCKS proxy takes a user and a password, of 1 to 255 bytes each')
  }
  if (!isSocks && user.includes(':')) throw wrong('the user of an HTTP proxy has no colon')
  return { user, password }
}

/**
 * The cause of a proxy failure.
 * - `connect` it cannot be reached
 * - `timeout` it did not connect in time
 * - `login` it refuses the user or the password, or requires them
 * - `refused` it does not connect to this host
 * - `protocol` its answer does not follow the proxy protocol
 * - `closed` it closed the connection while it was being opened
 * - `certificate` its own certificate is not valid
 * - `tls` no server with the certificate of the upstream is behind it
 */
export type ProxyTrouble = 'connect' | 'timeout' | 'login' | 'refused' | 'protocol' | 'closed' | 'certificate' | 'tls'

/** A connection through a proxy could not be opened. It holds no address and no password. */
export class ProxyFailure extends Error {
  readonly trouble: ProxyTrouble
  /** For logs. */
  readonly code: string
  /** The answer of the proxy, like `HTTP 403`. */
  readonly answer: string | undefined

  constructor (trouble: ProxyTrouble, answer?: string) {
    super(`proxy: ${trouble}`)
    this.name = 'ProxyFailure'
    this.trouble = trouble
    this.code = `PROXY_${trouble.toUpperCase()}`
    this.answer = answer
  }
}
