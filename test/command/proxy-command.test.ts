/** The command with an operator's proxy. (How the relay uses one is in proxy.test.ts.) */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { commandLine, emptyFolder } from '../support/command.ts'
import { root, start } from '../support/commandProcess.ts'
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
    relay.child.kill('SIGTERM')
    t.equal(await relay.ended, 0)
    t.notMatch(relay.said(), /SECRETPASS|Warning/)
    // Nothing listens there: an examination of all calls takes longer than a test may.
    const doctorEnv = { PATH: process.env['PATH'], CONFIG_DIR: emptyFolder, PORT: '0', UPSTREAM_ORIGIN: 'http://127.0.0.1:1', ...env }
    const asked = proxy.asked.length
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...commandLine, 'doctor', '--json'], { cwd: root, env: doctorEnv }).catch((error) => error)
    t.match(JSON.parse(stdout), { ok: false, hosts: [{ proxy: proxy.address, answers: false }] })
    t.same(proxy.asked.slice(asked), ['127.0.0.1:1', '127.0.0.1:1'], 'for the host, and for the clock')
    t.notMatch(stdout + stderr, /SECRETPASS|Warning/)
  }
})
