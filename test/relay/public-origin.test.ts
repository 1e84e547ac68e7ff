/** The address that links in answers begin with: the setting, else what the request or a trusted proxy says. */
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { loadSettings, settingsOf } from '../../src/relay/settings.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { requirePublicOrigin } from '../../src/edge/paths.ts'
import { exchange } from '../support/raw.ts'

/** Returns what the relay takes for its address in requests with these header lines. */
async function relayWith (t: Test, options: RelayOptions = {}): Promise<(...lines: string[]) => Promise<unknown>> {
  const app = await buildApp({
    docs: false, pages: false, logLevel: 'silent', allowedHosts: ['music.example', 'inner.example'], host: '0.0.0.0',
    ...options
  })
  app.get('/where', (request, reply) => { void reply.send(JSON.stringify({ at: requirePublicOrigin(request) })) })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => { await app.close() })
  return async (...lines) => {
    const { answers: [answer] } =
      await exchange(address, ['GET /where HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'))
    const body = JSON.parse(answer?.text ?? '{}') as { at?: string, code?: string }
    return body.at ?? body.code
  }
}

const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: music.example', 'X-Forwarded-Prefix: /relay']
const inner = 'Host: inner.example'
const notHosts = ['evil.example/x', 'a@evil.example', 'a b', '"><script>', 'music.example:99999', '[::1', '', '-', 'x?y', 'x#y', 'é.example', '[::g]'].map((host) => [[`Host: ${host}`], 'INVALID_INPUT'] as const)

for (const [title, options, rows] of [
  ['without a setting it is the Host of the request, and headers that anybody can send do not count', {}, [
    [['Host: music.example'], 'http://music.example'], [['Host: music.example:8080'], 'http://music.example:8080'], [['Host: music.example:80'], 'http://music.example'], [['Host: [::1]:3200'], 'http://[::1]:3200'],
    [[inner, ...forwarded], 'http://inner.example']
  ]],
  ['a listed proxy names protocol and host, but no prefix', { trustProxy: ['127.0.0.1'] }, [
    [[inner, ...forwarded], 'https://music.example'], [[inner, 'X-Forwarded-Proto: javascript'], 'http://inner.example'], [[inner, 'X-Forwarded-Host: evil.example/path?'], 'INVALID_INPUT'],
    [[inner, 'X-Forwarded-Host: other.example'], 'HOST_NOT_ALLOWED'], [[inner, 'X-Forwarded-Host: music.example, other.example'], 'HOST_NOT_ALLOWED'], [[inner, 'X-Forwarded-Host: MUSIC.example:8443'], 'http://music.example:8443']
  ]],
  ['without listed hosts, what a listed proxy names is not checked', { trustProxy: ['127.0.0.1'], allowedHosts: [] }, [[[inner, ...forwarded], 'https://music.example']]],
  ['a proxy that is not listed names nothing', { trustProxy: ['10.0.0.1'] }, [[[inner, ...forwarded], 'http://inner.example']]],
  ['a Host that is none never becomes part of an address', { allowedHosts: [] }, [...notHosts, [[], 'INVALID_INPUT']]],
  ['the setting wins', { allowedHosts: [], publicOrigin: 'https://music.example' }, [[['Host: a@evil.example'], 'https://music.example']]],
  ['the setting wins with its path', { publicOrigin: 'https://music.example/relay/', trustProxy: ['127.0.0.1'] }, [[[inner, ...forwarded], 'https://music.example/relay']]],
  ['the setting wins without the usual port', { publicOrigin: 'http://music.example:80/', trustProxy: ['127.0.0.1'] }, [[[inner, ...forwarded], 'http://music.example']]]
] as const) {
  t.test(title, async (t) => {
    const at = await relayWith(t, options as RelayOptions)
    for (const [lines, expected] of rows) t.equal(await at(...lines), expected, lines.join())
  })
}

t.test('what is no address stops the start, and says what one looks like', async (t) => {
  for (const publicOrigin of ['music.example', 'ftp://music.example', 'https://', 'https://user:secret@music.example', 'https://music.example/?a=b', 'https://music.example/#a', 'https://music.example:99999', 'https://music.example/a//b', 'https://music.example/ä', 'https://[::g]', 'HTTPS://Music.example:443']) {
    t.throws(() => settingsOf({ publicOrigin }), {
      name: 'ConfigError', message: /^options: publicOrigin: must be an address such as https:\/\/music\.example/
    }, publicOrigin)
  }
  await t.rejects(loadSettings({ folder: 'absent', env: { PUBLIC_ORIGIN: 'music.example' } }), {
    message: /^environment variable PUBLIC_ORIGIN: publicOrigin: must be/
  })
})
