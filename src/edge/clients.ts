/** Distinguishes clients by their addresses, for everything that is counted or limited per client. */
import { createHmac, randomBytes } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Client } from '../common/ledger.ts'
import { clientLimits } from '../relay/clientLimits.ts'
import { tellsClientsApart } from '../relay/settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the client of an address. Undefined where addresses do not distinguish clients. */
    clientOf (address: string | undefined): Client | undefined
    /** Returns the client that is charged for a request: its account, if it has one, else its address. */
    chargedTo (request: FastifyRequest): Client | undefined
    /** Returns the client of a name that is not an address, such as an account. */
    clientNamed (name: string): Client
    /**
     * Returns the client of a connection's address. Also undefined for a proxy, because its connections carry requests
     * of others.
     */
    clientOfConnection (address: string | undefined): Client | undefined
  }
  interface FastifyRequest {
    /** The client that is charged for the request. */
    client: Client | undefined
  }
}

/** Options of the plugin. `secret`: hashes addresses. Undefined: a random secret. */
export interface ClientsOptions { readonly secret: string | Buffer | undefined }

const plugin: FastifyPluginAsync<ClientsOptions> = async (app, { secret = randomBytes(32) }) => {
  const { settings, tuning } = app.runtime
  const { rateLimitClients } = { ...clientLimits, ...tuning }
  app.decorateRequest('client', undefined)
  const nameOf = (name: string): string => createHmac('sha256', secret).update(name).digest('base64url')
  app.decorate('clientNamed', (name) => [nameOf(name)])
  if (!tellsClientsApart(settings)) {
    app.decorate('clientOf', () => undefined)
    app.decorate('chargedTo', () => undefined)
    app.decorate('clientOfConnection', () => undefined)
    return
  }
  // In the built command, the package has only its default export.
  const { default: { normalizeIP } } = await import('@fastify/rate-limit')
  const known = new LRUCache<string, Client>({ max: rateLimitClients })
  app.decorate('clientOf', (address = '') => {
    let client = known.get(address)
    if (client === undefined) {
      const own = normalizeIP(address, 64)
      // The network of an IPv4 address, or the IPv6 networks that a provider assigns to one customer.
      const around = own.includes(':') ? [`${normalizeIP(address, 56)}/56`, `${normalizeIP(address, 48)}/48`] : [own.replace(/\.\d+$/, '.0/24')]
      client = [nameOf(own), ...around.map(nameOf)]
      known.set(address, client)
    }
    return client
  })
  app.decorate(
    'chargedTo',
    ({ account, ip }) => account === null ? app.clientOf(ip) : app.clientNamed(`account ${account.name}`)
  )
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

export const clients = fp(plugin, { name: 'clients', fastify: '5.x', decorators: { fastify: ['runtime'] } })
