/** Who may ask at all: the Host check against DNS rebinding, and the optional access token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../config.ts'
import { RelayError } from '../errors.ts'
import { isProbe } from './health.ts'

export function guard (app: FastifyInstance, settings: Pick<Settings, 'accessToken' | 'allowedHosts'> & { readonly loopback: boolean }): void {
  const hostAllowed = hostCheck(settings)
  const tokenRight = settings.accessToken === '' ? undefined : tokenCheck(settings.accessToken)
  app.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.routeOptions.url)) return done()
    if (!hostAllowed(request.headers.host ?? '')) {
      return done(new RelayError('HOST_NOT_ALLOWED', 'The Host header names a host that this relay does not serve; add it to allowedHosts.'))
    }
    if (tokenRight !== undefined && !tokenRight(request)) {
      void reply.header('www-authenticate', 'Basic realm="music-relay"')
      return done(new RelayError('TOKEN_REQUIRED', 'This relay asks for its access token: send it as Authorization: Bearer, or as the password of Basic.'))
    }
    done()
  })
}

/** A page of another site can make its own name resolve to this machine; what it cannot do is send another Host. */
function hostCheck ({ allowedHosts, loopback }: { readonly allowedHosts: readonly string[], readonly loopback: boolean }): (host: string) => boolean {
  if (!loopback && allowedHosts.length === 0) return () => true
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()))
  let last: string | undefined
  const isAllowed = (host: string): boolean => {
    const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
    return allowed.has(name) || name === 'localhost' || name === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  }
  return (host) => {
    if (host !== last && !isAllowed(host)) return false
    last = host // nearly always the same
    return true
  }
}

const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compared as hashes, so that neither length nor common beginning can be timed. */
function tokenCheck (token: string): (request: FastifyRequest) => boolean {
  const wanted = hashed(token)
  return ({ headers: { authorization = '' } }) => {
    const [, scheme = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? []
    if (scheme.toLowerCase() === 'bearer') return timingSafeEqual(hashed(value), wanted)
    if (scheme.toLowerCase() !== 'basic') return false
    const pair = Buffer.from(value, 'base64').toString('utf8')
    return timingSafeEqual(hashed(pair.slice(pair.indexOf(':') + 1)), wanted)
  }
}
