/** The Meting API, as the widgets of blogs speak it: lists with signed links, what the links lead to, and on whose account. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { linkSecretFile, linkSecretIn } from '../../src/cli/linkSecret.ts'
import { createLinks } from '../../src/players/meting/links.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, serverFor, song } from '../support/helper.ts'
import type { Reply, Server } from '../support/helper.ts'
import { exchange } from '../support/raw.ts'

interface Item { readonly name: string, readonly title: string, readonly artist: string, readonly author: string, readonly url: string, readonly pic: string, readonly cover: string, readonly lrc: string }

const blog = 'https://blog.example'
const other = 'https://other.example'
const secret = 'a secret of this test'

async function relay (t: Test, options: AppOptions = {}): Promise<{ demo: DemoUpstream, server: Server, list (query: string, headers?: Record<string, string>): Promise<readonly Item[]>, follow (link: string | undefined, headers?: Record<string, string>): Promise<Reply> }> {
  const demo = await demoFor(t)
  const all: AppOptions = { meting: true, linkSecret: async () => secret, ...options }
  const server = await serverFor(t, demo, all)
  return {
    demo,
    server,
    async list (query, headers = {}) {
      const { status, body } = await server.get(`/meting?server=tencent&${query}`, { headers })
      t.equal(status, 200, query)
      return body as Item[]
    },
    follow: async (link = '', headers = {}) => await server.get(link.replace(server.address, ''), { headers })
  }
}

/** A relay with the operator's account, to which song 2 belongs and strangers are refused. */
const withAccount = async (t: Test, options: AppOptions = {}): Promise<Awaited<ReturnType<typeof relay>>> => {
  const demo: { cookie?: string } = {}
  const made = await relay(t, { useGlobalCookie: true, globalCookie: () => demo.cookie, corsOrigins: [blog], ...options })
  demo.cookie = cookieOf(made.demo, 'ordinary')
  return made
}

t.test('without the setting there is no such path', async (t) => {
  const server = await serverFor(t, await demoFor(t))
  t.match(await server.get('/meting?type=song&id=1'), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
})

t.test('every kind of list has items that both families of widgets read', async (t) => {
  const { server, list } = await relay(t)
  const [only, ...none] = await list(`type=song&id=${song(1)}`)
  t.same(none, [])
  t.same(Object.keys(only ?? {}), ['name', 'title', 'artist', 'author', 'url', 'pic', 'cover', 'lrc'])
  t.match(only, { name: 'First Light', title: 'First Light', artist: 'The Paper Lanterns', author: 'The Paper Lanterns' })
  t.equal(only?.pic, only?.cover)
  for (const [field, type] of [['url', 'url'], ['pic', 'pic'], ['lrc', 'lrc']] as const) {
    t.match(only?.[field], new RegExp(`^${server.address}/meting\\?server=tencent&type=${type}&id=\\w+&auth=[\\w-]{22}$`), field)
  }
  t.same(await list('type=song&id=5000001'), [only], 'by number')
  t.equal((await list('type=album&id=00DemoAlbu0001')).length, 10)
  t.equal((await list('type=artist&id=00DemoSing0001')).length, 50)
  t.equal((await list('type=playlist&id=7700000001&auth=undefined&r=0.69')).length, 55)
  t.equal((await list('type=search&id=First%20Light'))[0]?.name, 'First Light')
  const together = (await list('type=artist&id=00DemoSing0001')).find(({ artist }) => artist.includes('/'))
  t.match(together?.artist, /\S \/ \S/)
})

t.test('`server` may be left out, and must otherwise name this provider', async (t) => {
  const { server } = await relay(t)
  t.equal((await server.get(`/meting?type=song&id=${song(1)}`)).status, 200)
  for (const query of [`server=netease&type=song&id=${song(1)}`, 'type=song', 'id=1', 'type=tea&id=1', 'type=search&id=%20', 'type=song&id=a-b', 'type=playlist&id=x', `type=search&id=${'x'.repeat(201)}`]) {
    t.match(await server.get(`/meting?${query}`), { status: 400, body: { code: 'INVALID_INPUT', error: /^(server|type|id): / } }, query)
  }
})

t.test('an unknown playlist, album or song is 404', async (t) => {
  const { server } = await relay(t)
  for (const query of ['type=playlist&id=99', 'type=song&id=00DemoSong9999999', 'type=song&id=9999999', 'type=album&id=00DemoAlbu999999']) {
    t.match(await server.get(`/meting?${query}`), { status: 404, body: { code: 'NOT_FOUND' } }, query)
  }
})

t.test('the links lead to audio, picture and lyric', async (t) => {
  const { demo, list, follow } = await relay(t)
  const [item] = await list(`type=song&id=${song(1)}`)
  const audio = await follow(item?.url)
  t.match(audio, { status: 302, text: '' })
  t.equal(audio.headers.get('cache-control'), 'no-store')
  t.equal((await fetch(audio.headers.get('location') ?? '')).headers.get('content-type'), 'audio/wav')
  const picture = await follow(item?.pic)
  t.equal(picture.status, 302)
  t.match(picture.headers.get('location'), new RegExp(`^${demo.origin}/.*300x300`))
  const lyric = await follow(item?.lrc)
  t.equal(lyric.headers.get('content-type'), 'text/plain; charset=utf-8')
  t.equal(lyric.headers.get('access-control-allow-origin'), '*')
  t.match(lyric.text, /^\[ti:First Light\]\n/)
})

t.test('a translation stands behind its line; no lyric is an empty text', async (t) => {
  const { server, list, follow } = await relay(t)
  const { body: { data: { lyric, parsed: { lines } } } } = await server.get(`/getLyric/${song(5)}?isFormat=1`)
  const [translated] = await list(`type=song&id=${song(5)}`)
  const { text } = await follow(translated?.lrc)
  const merged = text.split('\n')
  t.equal(merged.length, (lyric as string).split('\n').length)
  const both = (lines as { text: string, trans?: string }[]).filter(({ trans }) => trans !== undefined)
  t.ok(both.length > 3)
  for (const line of both) t.ok(merged.some((one) => one.startsWith('[') && one.endsWith(`]${line.text} (${line.trans})`)), line.text)
  t.notMatch(text, '//')
  const [without] = await list(`type=song&id=${song(4)}`)
  t.match(await follow(without?.lrc), { status: 200, text: '' })
})

t.test('a translation stands behind its line, too, where the two write the time in different ways', async (t) => {
  const { demo, list, follow } = await relay(t, { cache: false })
  const encoded = (text: string): string => Buffer.from(text).toString('base64')
  const [item] = await list(`type=song&id=${song(5)}`)
  demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: encoded('[0:01.00]one\n[00:02:50]two\n[00:02.50]'), trans: encoded('[00:01.00]eins\n[00:02.50]zwei') }) })
  t.equal((await follow(item?.lrc)).text, '[0:01.00]one (eins)\n[00:02:50]two (zwei)\n[00:02.50]')
})

t.test('a song that cannot be played is 404, with the reason and what to do', async (t) => {
  const { list, follow } = await relay(t)
  const [item] = await list(`type=song&id=${song(2)}`)
  t.match(await follow(item?.url), { status: 404, body: { code: 'NOT_PLAYABLE', reason: 'NO_COOKIE', hint: String } })
})

t.test('with the setting stream, the audio comes through the relay, on the account that the link names', async (t) => {
  const { list, follow } = await withAccount(t, { stream: 'relay' })
  const [item] = await list(`type=song&id=${song(2)}`, { origin: blog })
  const part = await fetch(item?.url ?? '', { headers: { range: 'bytes=0-99' }, redirect: 'manual' })
  t.same([part.status, part.headers.get('content-length'), (await part.arrayBuffer()).byteLength], [206, '100', 100])
  const [strange] = await list(`type=song&id=${song(2)}`, { origin: other })
  t.match(await follow(strange?.url), { status: 404, body: { code: 'NOT_PLAYABLE' } })
})

t.test('a link that this relay did not sign is 401, and asks nothing upstream', async (t) => {
  const { demo, server, list } = await relay(t)
  const [first] = await list(`type=song&id=${song(1)}`)
  const [second] = await list(`type=song&id=${song(5)}`)
  const auth = new URL(first?.url ?? '').searchParams.get('auth') ?? ''
  demo.reset()
  for (const wrong of [
    `type=url&id=${song(1)}`, `type=url&id=${song(1)}&auth=`, `type=url&id=${song(1)}&auth=undefined`, `type=url&id=${song(5)}&auth=${auth}`, `type=lrc&id=${song(1)}&auth=${auth}`,
    `type=pic&id=${song(1)}&auth=${auth}`, `type=url&id=${song(1)}&auth=zzzzzzzz.${auth}`, `type=url&id=${song(1)}&auth=${auth}x`, `type=url&id=${song(1)}&auth=${auth.slice(0, -2)}__`,
    `type=url&id=${song(1)}&auth=${createLinks('another secret', Date.now).sign('url', song(1), 'anonymous')}`
  ]) t.match(await server.get(`/meting?${wrong}`), { status: 401, body: { code: 'LINK_INVALID' } }, wrong)
  t.same(demo.received, [])
  t.equal((await server.get(new URL(second?.lrc ?? '').href.replace(server.address, ''))).status, 200)
})

t.test('whatever an id is, the answer is a list, a refusal or nothing found, and no link is in the log', async (t) => {
  const { server, list } = await relay(t)
  for (const type of ['song', 'album', 'artist', 'playlist', 'search', 'url', 'pic', 'lrc']) {
    for (const id of ['0', '-1', '9'.repeat(30), '__proto__', 'a\0b', '../x', '😀', 'a b', 'http://evil.example/', 'x'.repeat(200), '1,2', '\uFEFF']) {
      const { status } = await server.get(`/meting?type=${type}&id=${encodeURIComponent(id)}`)
      t.ok([200, 400, 401, 404].includes(status), `${type} ${JSON.stringify(id)}: ${status}`)
    }
  }
  const signed = createLinks(secret, Date.now)
  for (const type of ['url', 'pic', 'lrc'] as const) {
    const { status } = await server.get(`/meting?type=${type}&id=a%20b&auth=${signed.sign(type, 'a b', 'anonymous')}`)
    t.equal(status, 400, type)
  }
  const [item] = await list(`type=song&id=${song(1)}`)
  t.ok(server.log.length > 0)
  t.notMatch(server.log.join(''), new URL(item?.url ?? '').searchParams.get('auth') ?? 'auth')
})

t.test('a page of a listed origin plays on the operator\'s account, a page of another one does not', async (t) => {
  const { demo, list, follow } = await withAccount(t)
  const query = `type=song&id=${song(2)}`
  const embedded = [{}, { 'sec-fetch-site': 'cross-site' }, { origin: other }, { origin: blog }, { referer: `${other}/` }] as Record<string, string>[]
  const [ours] = await list(query, { origin: blog })
  const [theirs] = await list(query, { origin: other, 'sec-fetch-site': 'cross-site' })
  for (const headers of embedded) {
    t.equal((await follow(ours?.url, headers)).status, 302, `listed, the audio with ${JSON.stringify(headers)}`)
    t.equal((await follow(theirs?.url, headers)).status, 404, `another, the audio with ${JSON.stringify(headers)}`)
  }
  demo.reset()
  await list('type=playlist&id=7700000001', { origin: other })
  t.same(demo.received.filter(({ headers }) => headers['cookie'] !== undefined), [], 'nor is its list read with it')
  const [program] = await list(query)
  t.equal((await follow(program?.url)).status, 302, 'a program is not a page')
})

t.test('what a browser adds by itself does not decide on whose account audio plays', async (t) => {
  const { demo, list, follow } = await withAccount(t)
  const [theirs] = await list(`type=song&id=${song(2)}`, { origin: other })
  t.equal((await follow(theirs?.url, { cookie: cookieOf(demo, 'ordinary') })).status, 404, 'a Cookie header')
  t.equal((await follow(theirs?.url, { 'x-custom-cookie': cookieOf(demo, 'ordinary') })).status, 302, 'what a program names counts')
})

t.test('after half a day a link plays as those of anonymous callers', async (t) => {
  const { follow } = await withAccount(t)
  const hours = (ago: number) => createLinks(secret, () => Date.now() - ago * 3_600_000)
  const link = (id: string, ago: number): string => `/meting?type=url&id=${id}&auth=${hours(ago).sign('url', id, 'operator')}`
  t.equal((await follow(link(song(2), 11))).status, 302)
  t.equal((await follow(link(song(2), 13))).status, 404)
  t.equal((await follow(link(song(1), 13))).status, 302, 'a song that is free for all still plays')
  const [early, late] = [createLinks(secret, () => 1), createLinks(secret, () => 9 * 60_000)]
  t.equal(early.sign('url', 'x', 'operator'), late.sign('url', 'x', 'operator'), 'lists of the same minutes are equal')
})

t.test('with an access token the widgets still play, and only listed origins on the operator\'s account', async (t) => {
  const { demo, server, list, follow } = await withAccount(t, { accessToken: 'secret-token' })
  const query = `type=song&id=${song(2)}`
  t.equal((await server.get('/getHotkey')).status, 401)
  const [ours] = await list(query, { origin: blog })
  const [theirs] = await list(query, { origin: other })
  const [program] = await list(query)
  const [admitted] = await list(query, { authorization: 'Bearer secret-token' })
  t.same(await Promise.all([ours, theirs, program, admitted].map(async (item) => (await follow(item?.url)).status)), [302, 404, 404, 302])
  demo.reset()
  await list('type=playlist&id=7700000001', { origin: blog })
  t.same(demo.received.filter(({ headers }) => headers['cookie'] !== undefined), [], 'but lists are read without it: any program can name an origin')
  t.match(await server.get(`/meting?${query}`, { headers: { authorization: 'Bearer wrong' } }), { status: 401, body: { code: 'TOKEN_REQUIRED' } })
})

t.test('pages may read lists, lyrics and errors of any origin', async (t) => {
  for (const corsOrigins of [[], [blog]]) {
    const { server } = await relay(t, { corsOrigins })
    for (const path of [`/meting?type=song&id=${song(1)}`, '/meting?type=playlist&id=99', '/meting?type=lrc&id=x']) {
      t.equal((await server.get(path, { headers: { origin: other } })).headers.get('access-control-allow-origin'), '*', path)
    }
  }
})

t.test('the links begin with the address that the caller uses', async (t) => {
  const { server } = await relay(t, { publicOrigin: 'https://music.example/relay' })
  t.match((await server.get(`/meting?type=song&id=${song(1)}`)).body[0].url, /^https:\/\/music\.example\/relay\/meting\?/)
  const bare = await relay(t, { host: '0.0.0.0' })
  bare.demo.reset()
  const { answers: [answer] } = await exchange(bare.server.address, `GET /meting?type=song&id=${song(1)} HTTP/1.1\r\nHost: a@evil.example\r\nConnection: close\r\n\r\n`)
  t.match(answer, { status: 400, text: /INVALID_INPUT/ })
  t.same(bare.demo.received, [])
})

t.test('a list counts like any request, and what it causes upstream is charged to its client', async (t) => {
  const { server } = await relay(t, { host: '0.0.0.0', allowedHosts: ['127.0.0.1'], rateLimit: 2 })
  const path = `/meting?type=song&id=${song(1)}`
  t.same([(await server.get(path)).status, (await server.get(path)).status], [200, 200])
  t.match(await server.get(path), { status: 429, body: { code: 'RATE_LIMITED' } })
})

t.test('lists and lyrics come from the cache', async (t) => {
  const { demo, list, follow } = await relay(t, { cache: true })
  const [item] = await list('type=playlist&id=7700000001')
  await follow(item?.lrc)
  demo.reset()
  t.same((await list('type=playlist&id=7700000001&r=0.5'))[0], item)
  await follow(item?.lrc)
  t.same(demo.received, [])
})

t.test('the secret is made once for all instances of a folder, and only its owner reads it', async (t) => {
  const folder = t.testdir({})
  const warnings: string[] = []
  const log = { warn: (line: string) => { warnings.push(line) } }
  const secrets = await Promise.all(Array.from({ length: 5 }, async () => await linkSecretIn(folder, log as never)()))
  t.equal(new Set(secrets).size, 1)
  t.match(secrets[0], /^[0-9a-f]{64}$/)
  const file = join(folder, linkSecretFile)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { secret: secrets[0] })
  t.equal(await linkSecretIn(folder, log as never)(), secrets[0], 'after a restart, too')
  t.same(warnings, [])
})

t.test('where no secret can be kept, links last as long as the process, and the log says so', async (t) => {
  const folder = t.testdir({ broken: { [linkSecretFile]: '{"secret": "short"}' }, file: '' })
  const warnings: string[] = []
  const log = { warn: (line: string) => { warnings.push(line) } }
  for (const place of [join(folder, 'broken'), join(folder, 'file')]) t.match(await linkSecretIn(place, log as never)(), /^[0-9a-f]{64}$/)
  t.equal(warnings.length, 2)
  for (const line of warnings) t.match(line, /link-secret\.json: .*: links are signed with a secret that ends with this process$/)
})

t.test('instances with the same REDIS_SECRET take each other\'s links', async (t) => {
  const one = await relay(t, { redisSecret: 'shared', linkSecret: async () => 'one' })
  const two = await relay(t, { redisSecret: 'shared', linkSecret: async () => 'two' })
  const three = await relay(t, { redisSecret: 'other' })
  const [item] = await one.list(`type=song&id=${song(1)}`)
  const path = item?.lrc.replace(one.server.address, '')
  t.same([(await two.follow(path)).status, (await three.follow(path)).status], [200, 401])
})
