/** The address that links in answers begin with: the setting, else what the request or a trusted proxy says. */
import t from 'tap'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { loadSettings, settingsOf } from '../../src/core/config.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { requirePublicOrigin } from '../../src/plugins/publicOrigin.ts'
import { exchange } from '../support/raw.ts'

/** Returns what the relay takes for its address in requests with these header lines. */
async function relayWith (t: Test, options: RelayOptions = {}): Promise<(...lines: string[]) => Promise<unknown>> {
  const app = await buildApp({ docs: false, pages: false, logLevel: 'silent', allowedHosts: ['music.example', 'inner.example'], host: '0.0.0.0', ...options })
  app.get('/where', (request, reply) => { void reply.send(JSON.stringify({ at: requirePublicOrigin(request) })) })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => { await app.close() })
  return async (...lines) => {
    const { answers: [answer] } = await exchange(address, ['GET /where HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'))
    const body = JSON.parse(answer?.text ?? '{}') as { at?: string, code?: string }
    return body.at ?? body.code
  }
}

const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: music.example', 'X-Forwarded-Prefix: /relay']

t.test('without a setting it is the Host of the request', async (t) => {
  const at = await relayWith(t)
  t.equal(await at('Host: music.example'), 'http://music.example')
  t.equal(await at('Host: music.example:8080'), 'http://music.example:8080')
  t.equal(await at('Host: music.example:80'), 'http://music.example')
  t.equal(await at('Host: [::1]:3200'), 'http://[::1]:3200')
  t.equal(await at('Host: inner.example', ...forwarded), 'http://inner.example', 'headers that anybody can send do not count')
})

t.test('a listed proxy names protocol and host, but no prefix', async (t) => {
  const at = await relayWith(t, { trustProxy: ['127.0.0.1'] })
  t.equal(await at('Host: inner.example', ...forwarded), 'https://music.example')
  t.equal(await at('Host: inner.example', 'X-Forwarded-Proto: javascript'), 'http://inner.example')
  t.equal(await at('Host: inner.example', 'X-Forwarded-Host: evil.example/path?'), 'INVALID_INPUT')
  const other = await relayWith(t, { trustProxy: ['10.0.0.1'] })
  t.equal(await other('Host: inner.example', ...forwarded), 'http://inner.example')
})

t.test('a Host that is none never becomes part of an address', async (t) => {
  const at = await relayWith(t, { allowedHosts: [], host: '0.0.0.0' })
  for (const host of ['evil.example/x', 'a@evil.example', 'a b', '"><script>', 'music.example:99999', '[::1', '', '-', 'x?y', 'x#y', 'é.example', '[::g]']) t.equal(await at(`Host: ${host}`), 'INVALID_INPUT', host)
  t.equal(await at(), 'INVALID_INPUT', 'no Host at all')
  const set = await relayWith(t, { allowedHosts: [], publicOrigin: 'https://music.example' })
  t.equal(await set('Host: a@evil.example'), 'https://music.example')
})

t.test('the setting wins, with its path', async (t) => {
  for (const [publicOrigin, expected] of [['https://music.example/relay/', 'https://music.example/relay'], ['HTTPS://Music.example:443', undefined], ['http://music.example:80/', 'http://music.example']] as const) {
    if (expected === undefined) t.throws(() => settingsOf({ publicOrigin }), { name: 'ConfigError' }, 'schemes are in lower case')
    else t.equal(await (await relayWith(t, { publicOrigin, trustProxy: ['127.0.0.1'] }))('Host: inner.example', ...forwarded), expected)
  }
})

t.test('what is no address stops the start, and says what one looks like', async (t) => {
  for (const wrong of ['music.example', 'ftp://music.example', 'https://', 'https://user:secret@music.example', 'https://music.example/?a=b', 'https://music.example/#a', 'https://music.example:99999', 'https://music.example/a//b', 'https://music.example/ä', 'https://[::g]']) {
    t.throws(() => settingsOf({ publicOrigin: wrong }), { name: 'ConfigError', message: /^options: publicOrigin: must be an address such as https:\/\/music\.example/ }, wrong)
  }
  await t.rejects(loadSettings({ folder: 'absent', env: { PUBLIC_ORIGIN: 'music.example' } }), { message: /^environment variable PUBLIC_ORIGIN: publicOrigin: must be/ })
})
