/** HTTP 401 of the upstream: with a cookie it is the caller's login that is refused, without one it is the call. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { relayFor } from '../support/helper.ts'

t.test('HTTP 401 to a call that carried a cookie rejects the cookie, to any other call it refuses the call', async (t) => {
  let status = 401
  const cookies = new Set<boolean>()
  const upstream = createServer(({ headers }, answer) => {
    cookies.add(headers.cookie !== undefined)
    answer.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => { upstream.once('listening', resolve) })
  t.teardown(() => {
    upstream.closeAllConnections()
    upstream.close()
  })
  const relay = relayFor(t, { origin: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` })
  const cookie = 'uin=10001; provider_key=Q_H_L_1; provider_keyst=Q_H_L_1'
  const failureOf = async (options: { readonly cookie?: string }): Promise<unknown> => {
    cookies.clear()
    const failure: unknown = await relay.getSongInfo({ songmid: '00DemoSong0001' }, options).catch(({ code, outcome, fault }) => ({ code, outcome, fault }))
    t.same([...cookies], [options.cookie !== undefined])
    return failure
  }
  t.same(await failureOf({ cookie }), { code: 'COOKIE_REJECTED', outcome: 'auth', fault: 'caller' })
  t.same(await failureOf({}), { code: 'UPSTREAM_REFUSED', outcome: 'auth', fault: 'call' })
  status = 403
  t.same(await failureOf({ cookie }), { code: 'UPSTREAM_REFUSED', outcome: 'http_4xx', fault: 'call' })
})
