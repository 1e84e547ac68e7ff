/** The first mistakes of new users: each is answered with the sentence that ends it. */
import type { AppOptions } from '../../src/app.ts'
import { cookieOf, endpoints, serverFor, type Ask } from '../support/helper.ts'
import { exchange } from '../support/raw.ts'
import { test } from '../support/stage.ts'

interface Mistake { readonly path: string, readonly ask?: Ask }

const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'songs=1' }
const json = (body: string): Ask => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })

const mistakes: readonly (readonly [what: string, Mistake, status: number, error: RegExp | undefined, warning?: RegExp])[] = [
  ['a wrong name', { path: '/getLyric?id=00DemoSong0001' }, 400, /^songmid: is required\. id is not its name\.$/, /^id ignored: did you mean songmid\?$/],
  ['a wrong name that is not required', { path: '/getRanks?limt=1' }, 200, undefined, /^limt ignored: did you mean limit\?$/],
  ['an unknown name', { path: '/getRanks?whatever=1' }, 200, undefined, /^whatever ignored: unknown$/],
  ['nothing', { path: '/getLyric' }, 400, /^songmid: is required\.$/],
  ['a wrong type', { path: '/getRanks?limit=ten' }, 400, /^limit: must be a whole number from 1 to 100\.$/],
  ['a number instead of a MID', { path: '/getMusicPlay?songmid=5000001' }, 400, /^songmid: is a number, not a MID\. \/resolve\?text= finds/],
  ['GET instead of POST', { path: '/batchGetSongInfo' }, 405, /^This path answers POST only, with a JSON body\.$/],
  ['POST instead of GET', { path: '/getRanks', ask: json('{}') }, 405, /^This path answers GET and HEAD only, with parameters in the address\.$/],
  ['a form instead of JSON', { path: '/batchGetSongInfo', ask: form }, 415, /^content-type: must be application\/json \(curl: -H 'content-type: application\/json'\)\.$/],
  ['a wrong key of a body', { path: '/batchGetSongInfo', ask: json('{"ids":[1]}') }, 200, undefined, /^ids ignored: did you mean songs\?$/],
  ['a wrong key of a body that is required', { path: '/checkMainLoginQr', ask: json('{"qrSig":"x"}') }, 400, /^qrsig: is required\. qrSig is not its name\.$/, /did you mean qrsig/],
  ['no JSON', { path: '/batchGetSongInfo', ask: json('{songs:1}') }, 400, /^body: must be valid JSON\.$/],
  ['an unknown path', { path: '/health' }, 404, /Did you mean \/health\/live, \/health\/ready or \/health\/upstream\?/],
  ['half a path', { path: '/getSong?songmid=x' }, 404, /Did you mean \/getSongInfo, /],
  ['a slash in a word', { path: '/getSearchByKey/AC/DC' }, 400, /^path: .*%2F.*\?key=/]
]

test('each first mistake gets the sentence that ends it', async ({ t, server }) => {
  for (const [what, { path, ask }, status, error, warning] of mistakes) {
    const { headers, body, ...reply } = await server.get(path, ask)
    t.equal(reply.status, status, what)
    if (error !== undefined) t.match(body.error, error, what)
    t.match(headers.get('x-relay-warning') ?? '', warning ?? /^$/, what)
  }
})

test('a refused cookie and half of one', async ({ t, demo, server }) => {
  const as = async (path: string, cookie: string): Promise<any> => await server.get(path, { headers: { 'x-custom-cookie': cookie } })
  for (const { path } of Object.values(endpoints).filter(({ login }) => login === 'required')) {
    t.match(await as(path, cookieOf(demo, 'expired')), { status: 401, body: { code: 'COOKIE_REJECTED', error: /expired or invalid; log in again\.$/ } }, path)
    t.match(await as(path, 'uin=1000000101'), { status: 401, body: { code: 'LOGIN_REQUIRED', error: /an account but no key: copy qm_keyst/ } }, path)
  }
  t.match((await as('/getRanks?limit=1', 'uin=1000000101')).headers.get('x-relay-warning'), /an account but no key: copy qm_keyst/)
})

test('raw Chinese in an address is read, and what is no UTF-8 is refused with how to write it', async ({ t, server }) => {
  await server.get('/getRanks?limit=1')
  const ask = async (key: Buffer): Promise<unknown> => {
    const packet = Buffer.concat([Buffer.from('GET /getSmartbox?key='), key, Buffer.from(' HTTP/1.1\r\nhost: localhost\r\n\r\n')])
    return (await exchange(server.address, packet)).answers[0]
  }
  t.match(await ask(Buffer.from('云')), { status: 200, text: /"songList":\[\{/ })
  t.match(await ask(Buffer.from([0xd4, 0xc6])), { status: 400, text: /percent-encode the address \(curl: --data-urlencode with -G\)/ })
})

test('a limit says when to come back', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { rateLimit: 1, trustProxy: ['127.0.0.1'] } as AppOptions)
  const ask = async (): Promise<any> => await server.get('/getRanks?limit=1', { headers: { 'x-forwarded-for': '192.0.2.7' } })
  t.equal((await ask()).status, 200)
  const { status, headers, body } = await ask()
  t.match([status, body.code, body.error], [429, 'RATE_LIMITED', /try again in \d+ s/])
  t.match(headers.get('retry-after'), /^[1-9]\d*$/)
})
