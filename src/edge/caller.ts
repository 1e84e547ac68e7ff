/**
 * Who sends a request: one frozen object, made once. Nothing overwrites it. Players, whose requests prove more in their
 * parameters, derive another one for the calls that they make (`calledAs`).
 */
import { createHmac, randomBytes } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyContextConfig, FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { RelayError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import type { BrowserSession, BrowserSessions } from '../relay/browserSessions.ts'
import { clientLimits } from '../relay/clientLimits.ts'
import { anonymousIdentity, resolveIdentity, type Identity } from '../relay/identity.ts'
import { isLoopbackBind, tellsClientsApart } from '../relay/settings.ts'
import { lackInWords } from '../upstream/wire/cookies.ts'
import {
  authorizationOf, hasAccountSecret, hostCheck, hostNotAllowed, isAccountSecret, isForeign, isOtherPage, isOwnPage,
  sessionTextOf, tokenCheck
} from './access.ts'
import { addWarning } from './headers.ts'

/** Who sends a request. */
export interface Caller {
  /** The client that is charged: the account, else the address. Undefined where addresses tell no clients apart. */
  readonly client: Client | undefined
  /** Name of the stored account whose secret, key or session the request has. */
  readonly account: string | undefined
  /**
   * What proves the account. Only `bearer` is sent by a program or page that knows the secret: a browser adds the other
   * two by itself, also for pages of other sites.
   */
  readonly proof: 'bearer' | 'basic' | 'session' | undefined
  /** The session of the browser. Undefined for other pages, players and widgets. */
  readonly session: BrowserSession | undefined
  /** Whose login is used, and the key with its limits. Nobody's if the request is refused. */
  readonly identity: Identity
  /** Whether it may use all of the relay: with the access token or an account, or if no token is set. */
  readonly admitted: boolean
  /**
   * Whether it is the operator. That is shown and never guessed from an address: with the access token or, without one,
   * with the session that the link of the start gave to a browser, which changes something only for a page of this
   * relay. With an account's secret it is that account, not the operator.
   */
  readonly operator: boolean
  /** Why it may not use the route, or not with these cookies. */
  readonly refusal: RelayError | undefined
}

/** The caller of a request that was refused before anybody looked who sends it. */
const nobody: Caller = Object.freeze({
  client: undefined,
  account: undefined,
  proof: undefined,
  session: undefined,
  identity: anonymousIdentity,
  admitted: false,
  operator: false,
  refusal: undefined
})

/** Where the hook puts the caller. */
const made = Symbol('caller')

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the client of an address. Undefined where addresses do not distinguish clients. */
    clientOf (address: string | undefined): Client | undefined
    /** Returns the client of a name that is not an address, such as an account. */
    clientNamed (name: string): Client
    /**
     * Returns the client of a connection's address. Also undefined for a proxy, because its connections carry requests
     * of others.
     */
    clientOfConnection (address: string | undefined): Client | undefined
    /**
     * Whether links in answers may name this host, which a listed proxy may have sent: `allowedHosts` must have it,
     * unless that is empty.
     */
    mayBeLinked (host: string): boolean
  }
  interface FastifyContextConfig {
    /** Requests without a token are also accepted. All limits apply. */
    tokenless?: true
    /**
     * Only programs and the relay's own pages may call the route. All other pages are refused, including those of a
     * listed origin.
     */
    ownPages?: true
    /** No token and no rate limit: the provider's own hosts would send the same to any browser or phone. */
    open?: true
  }
  interface FastifyRequest {
    readonly caller: Caller
    [made]: Caller | null
  }
}

/** Options. `secret`: hashes addresses; undefined: a random one. `sessions`: undefined if the relay keeps none. */
export interface CallerOptions {
  readonly secret: string | Buffer | undefined
  readonly sessions: BrowserSessions | undefined
}

const plugin: FastifyPluginAsync<CallerOptions> = async (app, { secret: hashSecret, sessions }) => {
  const { settings, globalCookie, accounts } = app.runtime
  const { accessToken, allowedHosts, cookieParamName, trustProxy } = settings
  const tellsApart = tellsClientsApart(settings)
  await decorateClients(app, hashSecret)
  const isAllowedHost = hostCheck(allowedHosts, isLoopbackBind(settings))
  app.decorate('mayBeLinked', hostCheck(allowedHosts, false))
  const isToken = accessToken === '' ? undefined : tokenCheck(accessToken)
  const trusted = new Set(settings.corsOrigins)
  app.decorateRequest(made, null)
  app.decorateRequest('caller', { getter () { return this[made] ?? nobody } })

  function callerOf (request: FastifyRequest): Caller {
    const { config } = request.routeOptions
    const authorization = authorizationOf(request)
    const { scheme, secret } = authorization
    const hasToken = isToken?.(secret) ?? false
    // Routes without a token are those of players and widgets.
    const sessionText = sessions === undefined || config.tokenless === true ? undefined : sessionTextOf(request)
    // Another page does not learn whether the session lives, and does not prolong it.
    const isWithheld = sessionText !== undefined && isOtherPage(request)
    // Browsers send the access token, too, once it was typed, and the password of a proxy. Who sends another secret is
    // not the browser's account.
    const isOther = isToken === undefined ? hasAccountSecret(request.headers.authorization, authorization)
      : request.headers.authorization !== undefined && !hasToken
    const session = sessionText === undefined || isWithheld || isOther ? undefined : sessions?.find(sessionText)
    const owner = secret === undefined || accounts === undefined ? undefined : accounts.bySecret(secret)
    const account = session?.account ?? owner?.name
    const bySession = session?.account !== undefined
    const key = bySession ? undefined : owner?.key
    const proof = bySession ? 'session' : owner === undefined ? undefined : scheme === 'basic' ? 'basic' : 'bearer'
    const isOfAccount = account === undefined && accounts !== undefined
      && hasAccountSecret(request.headers.authorization, authorization)
    // A browser whose account in use was logged out has to choose another one.
    const isLoggedIn = account !== undefined || (session?.others ?? []).length > 0
    const admitted = isLoggedIn || (isToken === undefined ? !isOfAccount : hasToken)
    let refusal = refusalOf(request, config, admitted, secret, isOfAccount)
    let identity = anonymousIdentity
    try {
      if (refusal === undefined) identity = identityOf(request, account, proof === 'basic' || bySession)
    } catch (error) {
      refusal = error as RelayError
    }
    if (isWithheld && identity.source === 'none') identity = { ...identity, withheld: true }
    return Object.freeze({
      client: !tellsApart || config.probe === true || config.open === true ? undefined
        : account === undefined ? app.clientOf(request.ip) : app.clientNamed(`account ${account}`),
      account,
      proof,
      session,
      identity: key === undefined ? identity : { ...identity, key },
      admitted,
      operator: proof !== 'bearer' && proof !== 'basic' && (isToken === undefined
        ? session?.operator === true && (request.method === 'GET' || request.method === 'HEAD' || isOwnPage(request))
        : hasToken),
      refusal
    })
  }

  /** `isAmbient`: a browser may have added the proof of the account by itself. */
  function identityOf (request: FastifyRequest, name: string | undefined, isAmbient: boolean): Identity {
    const { 'cookie': cookieHeader, 'x-custom-cookie': customHeader } = request.headers
    const query = (request.query as Record<string, unknown>)[cookieParamName]
    const global = globalCookie()
    if (
      name === undefined && query === undefined && customHeader === undefined && cookieHeader === undefined
      && global === undefined
    ) {
      return anonymousIdentity
    }
    const account = name === undefined ? undefined : { name, cookie: accounts?.cookieOf(name) }
    const named = { query, customHeader, ...(isAmbient ? {} : { account }) }
    const ambient = { cookieHeader, global, ...(isAmbient ? { account } : {}) }
    if (!isForeign(request, trusted)) return resolveIdentity({ ...named, ...ambient }, settings)
    const own = resolveIdentity(named, settings)
    const withheld = own.source === 'none' && resolveIdentity(ambient, settings).credential !== undefined
    return withheld ? { ...own, withheld } : own
  }

  function refusalOf (
    request: FastifyRequest,
    { probe, open, tokenless, ownPages, operation }: FastifyContextConfig,
    admitted: boolean,
    secret: string | undefined,
    isOfAccount: boolean
  ): RelayError | undefined {
    if (probe === true) return undefined
    if (!isAllowedHost(request.headers.host ?? '')) return hostNotAllowed('Host')
    const isFree = open === true || (tokenless === true && secret === undefined && !isOfAccount)
    if (!admitted && !isFree) return tokenRequired(secret, isOfAccount)
    if (ownPages === true && isOtherPage(request)) {
      return new RelayError(
        'CROSS_SITE',
        'A page of another origin asks: only this relay\'s own pages and programs may. (A proxy in front must pass on the Host header.)'
      )
    }
    if (operation?.endpoint.loginStep === undefined || !isOtherPage(request, trusted)) return undefined
    return new RelayError(
      'CROSS_SITE',
      'A page of another origin asks for a login: only this relay\'s own pages and programs may, and origins that are listed in corsOrigins. (A proxy in front must pass on the Host header.)'
    )
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    const forwarded = headers['x-forwarded-for']
    if (trustProxy.length > 0 && typeof forwarded === 'string') headers['x-forwarded-for'] = withoutPorts(forwarded)
    request[made] = callerOf(request)
    done()
  })
}

/** The decorators that tell clients apart by their addresses, for everything that is counted or limited per client. */
async function decorateClients (app: FastifyInstance, secret: string | Buffer = randomBytes(32)): Promise<void> {
  const { settings, tuning } = app.runtime
  const { rateLimitClients } = { ...clientLimits, ...tuning }
  const nameOf = (name: string): string => createHmac('sha256', secret).update(name).digest('base64url')
  app.decorate('clientNamed', (name) => [nameOf(name)])
  if (!tellsClientsApart(settings)) {
    app.decorate('clientOf', () => undefined)
    app.decorate('clientOfConnection', () => undefined)
    return
  }
  // In the built command the package has only its default export, elsewhere it may have none.
  const packed = await import('ip-address')
  const { Address6 } = packed.default ?? packed
  /** Returns the first address of a network of IPv6. Other addresses are returned, those that are IPv4 in its form. */
  function networkOf (address: string, bits: number): string {
    if (!isIPv6(address)) return address.toLowerCase()
    const own = new Address6(`${address}/${bits}`)
    return own.isMapped4() ? own.to4().correctForm() : own.startAddress().correctForm()
  }
  const known = new LRUCache<string, Client>({ max: rateLimitClients })
  app.decorate('clientOf', (address = '') => {
    let client = known.get(address)
    if (client === undefined) {
      const own = networkOf(address, 64)
      // The network of an IPv4 address, or the IPv6 networks that a provider assigns to one customer.
      const around = own.includes(':') ? [56, 48].map((bits) => `${networkOf(address, bits)}/${bits}`)
        : [own.replace(/\.\d+$/, '.0/24')]
      client = [nameOf(own), ...around.map(nameOf)]
      known.set(address, client)
    }
    return client
  })
  const proxies = networksOf(settings.trustProxy)
  app.decorate(
    'clientOfConnection',
    (address = '') => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? undefined : app.clientOf(address)
  )
}

function networksOf (list: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const each of list) {
    const [address = '', bits] = each.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return networks
}

function tokenRequired (secret: string | undefined, isOfAccount: boolean): RelayError {
  return new RelayError(
    'TOKEN_REQUIRED',
    isAccountSecret(secret)
      ? 'No account of this relay has this secret or key (any more): music-relay accounts shows them.'
      : isOfAccount
      ? 'The secret or key of an account is sent in a form that this relay does not read. Send it as it was shown: Authorization: Bearer <secret>, or as the password of Basic.'
      : 'This relay asks for its access token: send it as Authorization: Bearer, or as the password of Basic.'
  )
}

/**
 * Some gateways add the client's port to its address in X-Forwarded-For. The framework would treat each connection as
 * another client, and would not recognise such an address as that of a trusted proxy.
 */
function withoutPorts (forwarded: string): string {
  return forwarded.replace(/(^|,)\s*(?:(\d+(?:\.\d+){3}):\d+|\[([\dA-Fa-f:.]+)\](?::\d+)?)\s*(?=,|$)/g, '$1$2$3')
}

export const caller = fp(plugin, {
  name: 'callers', // functions have a property caller
  dependencies: ['refusals']
})

/** Refuses who may not use the route, after the limits. Says which cookies of a request are ignored. */
const refusePlugin: FastifyPluginAsync = async (app) => {
  const { cookieParamName } = app.runtime.settings
  app.addHook('onRequest', (request, reply, done) => {
    const { identity, refusal } = request.caller
    if (refusal?.code === 'TOKEN_REQUIRED') void reply.header('www-authenticate', 'Basic realm="music-relay"')
    if (refusal !== undefined) return done(refusal)
    for (const warning of warningsOf(identity, cookieParamName)) addWarning(reply, warning)
    // Before the body is read: on an unknown path, an error in the body does not matter.
    done(request.is404 ? app.routeError(request, reply) : undefined)
  })
}

/** Returns what is wrong with the cookies of a request. It never quotes them, and says nothing of the relay's own. */
function warningsOf ({ source, ignored = [], lack }: Identity, cookieParamName: string): string[] {
  const placeOf = (from: Identity['source']): string =>
    from === 'query' ? `?${cookieParamName}=` : from === 'header' ? 'X-Custom-Cookie' : 'Cookie'
  const own = source === 'query' || source === 'header' || source === 'cookie'
  return [
    ...ignored.length === 0 ? [] : [`${ignored.map(placeOf).join(' and ')} ignored: it has ${lackInWords([])}`],
    ...own && lack !== undefined ? [`${placeOf(source)} is no login: it has ${lack}`] : []
  ]
}

export const refuseCallers = fp(refusePlugin, { name: 'refuse-callers', dependencies: ['callers', 'limits'] })

// @mutate identity: callers safety bad-input cookies login-keep account-requests fairness connections server-limits
