/** The command with an operator's proxy. (How the relay uses one is in proxy.test.ts.) */
import t from 'tap'
import { runToEnd, start } from '../support/commandProcess.ts'
import { demoFor } from '../support/helper.ts'
import { connectProxy, socksProxy } from '../support/proxies.ts'

t.test('the command uses a proxy, shows it without its password, and so does its doctor', async (t) => {
  const demo = await demoFor(t)
  for (const make of [connectProxy, socksProxy]) {
    const proxy = await make(t, { credentials: 'op:SECRETPASS' })
    const env = { UPSTREAM_PROXY: proxy.address.replace('://', '://op:SECRETPASS@'), LOG_LEVEL: 'trace' }
    const relay = await start(t, demo.origin, env)
    t.equal((await fetch(`${relay.address}/getHotkey`)).status, 200)
    t.ok(proxy.asked.length > 0)
    t.match(relay.said(), `\n  upstream proxy   ${proxy.address}\n`)
    t.equal(await relay.stop(), 0)
    t.notMatch(relay.said(), /SECRETPASS|Warning/)
    // Nothing listens there: an examination of all calls takes longer than a test may.
    const asked = proxy.asked.length
    const { out, err } =
      await runToEnd(['doctor', '--json'], { PORT: '0', UPSTREAM_ORIGIN: 'http://127.0.0.1:1', ...env })
    t.match(JSON.parse(out), { ok: false, hosts: [{ proxy: proxy.address, answers: false }] })
    t.same(proxy.asked.slice(asked), ['127.0.0.1:1', '127.0.0.1:1'], 'for the host, and for the clock')
    t.notMatch(out + err, /SECRETPASS|Warning/)
  }
})
