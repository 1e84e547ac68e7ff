/**
 * Loaded before a client: its requests to the provider go to UPSTREAM instead, with the host in `x-sent-to`, because
 * `fetch` sends no other Host than the true one. A request to anybody else fails, so nothing leaves this machine.
 */
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { urlToHttpOptions } from 'node:url'

const upstream = new URL(process.env.UPSTREAM)

/** The host of a request to the provider; undefined for one to this machine. */
function providerHost (name) {
  if (/(^|\.)qq\.com$/.test(name)) return name
  if (['127.0.0.1', 'localhost'].includes(name)) return undefined
  throw new Error(`a request to ${name}, which is not the provider`)
}

const ownFetch = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  const { hostname, pathname, search } = new URL(request.url)
  const host = providerHost(hostname)
  if (host === undefined) return await ownFetch(request)
  const redirected = new Request(new URL(pathname + search, upstream), request)
  redirected.headers.set('x-sent-to', host)
  return await ownFetch(redirected)
}

const ownRequest = http.request

function redirectedRequest (own) {
  return (...args) => {
    const [first, ...rest] = args
    const more = typeof rest[0] === 'object' ? rest[0] : {}
    const asked = typeof first === 'string' || first instanceof URL ? { ...urlToHttpOptions(new URL(first)), ...more }
      : first
    const host = providerHost(asked.hostname ?? asked.host)
    if (host === undefined) return own(...args)
    const { method, path, headers, signal, timeout } = asked
    return ownRequest({
      method, path, signal, timeout, headers: { ...headers, 'x-sent-to': host }, hostname: upstream.hostname,
      port: upstream.port
    }, rest.find((each) => typeof each === 'function'))
  }
}

for (const protocol of [http, https]) {
  protocol.request = redirectedRequest(protocol.request)
  protocol.get = (...args) => protocol.request(...args).end()
}
syncBuiltinESMExports()
