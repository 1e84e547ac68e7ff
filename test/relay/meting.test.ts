/** The Meting API, as the widgets of blogs speak it: lists with signed links, what the links lead to, and on whose account. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { linkSecretFile, linkSecretIn } from '../../src/cli/serve.ts'
import { createLinks } from '../../src/players/meting/tracks.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { cookieOf, demoFor, serverFor, song } from '../support/helper.ts'
import { keepsFiles, withoutFiles } from '../support/noFiles.ts'
import { exchange } from '../support/raw.ts'
import { sampleOf } from '../support/whole.ts'

interface Item {
  readonly name: string
  readonly title: string
  readonly artist: string
  readonly author: string
  readonly url: string
  readonly pic: string
  readonly cover: string
  readonly lrc: string
}
type Names = Record<string, string>
type Stage = Awaited<ReturnType<typeof relay>>

const blog = 'https://blog.example'
const other = 'https://other.example'
const secret = 'a secret of this test'

async function relay (t: Test, options: AppOptions = {}, known?: DemoUpstream) {
  const demo = known ?? await demoFor(t)
  const all: AppOptions = { meting: true, linkSecret: async () => secret, ...options }
  const server = await serverFor(t, demo, all)
  return {
    t, demo, server,
    async list (query: string, headers: Names = {}): Promise<readonly Item[]> {
      const { status, body } = await server.get(`/meting?server=tencent&${query}`, { headers })
      t.equal(status, 200, query)
      return body as Item[]
    },
    follow: async (link = '', headers: Names = {}) => await server.get(link.replace(server.address, ''), { headers })
  }
}

/** A test of a relay. `account`: with the operator's, to which song 2 belongs and strangers are refused. */
function test (
  title: string, { account = false, ...options }: AppOptions & { account?: boolean },
  body: (stage: Stage) => Promise<void>
): void {
  t.test(title, async (t) => {
    const demo = await demoFor(t)
    await body(await relay(t, account ? {
      useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'ordinary'), corsOrigins: [blog], ...options
    } : options, demo))
  })
}

const withCookie = (demo: DemoUpstream): unknown[] =>
  demo.received.filter(({ headers }) => headers['cookie'] !== undefined)
const authOf = (item: Item | undefined): string => new URL(item?.url ?? '').searchParams.get('auth') ?? ''

test('every kind of list has items that both families of widgets read', {}, async ({ t, server, demo, list }) => {
  t.match(await (await serverFor(t, demo)).get('/meting?type=song&id=1'), {
    status: 404, body: { code: 'ROUTE_NOT_FOUND' }
  }, 'only with the setting')
  const [only, ...none] = await list(`type=song&id=${song(1)}`)
  t.same(none, [])
  t.same(Object.keys(only ?? {}), ['name', 'title', 'artist', 'author', 'url', 'pic', 'cover', 'lrc'])
  t.match(only, { name: 'First Light', title: 'First Light', artist: 'The Paper Lanterns', author: 'The Paper Lanterns' })
  t.equal(only?.pic, only?.cover)
  for (const type of ['url', 'pic', 'lrc'] as const) t.match(only?.[type], new RegExp(`^${server.address}/meting\\?server=tencent&type=${type}&id=\\w+&auth=[\\w-]{22}$`), type)
  t.same(await list('type=song&id=5000001'), [only], 'by number')
  const lengths = [['type=album&id=00DemoAlbu0001', 10], ['type=artist&id=00DemoSing0001', 50], ['type=playlist&id=7700000001&auth=undefined&r=0.69', 55]] as const
  for (const [query, length] of lengths) t.equal((await list(query)).length, length, query)
  t.equal((await list('type=search&id=First%20Light'))[0]?.name, 'First Light')
  t.match(await server.get('/meting?server=tencent&type=search&id=%D4%C6'), { status: 400, body: { error: /^(?:id|key): must be well-formed/ } }, 'not UTF-8')
  t.match((await list('type=artist&id=00DemoSing0001')).find(({ artist }) => artist.includes('/'))?.artist, /\S \/ \S/)
})

test('a list that is cut says so in a header, and its pages are the list', {}, async ({ t, server, demo, list }) => {
  const ask = async (page: string) => await server.get(`/meting?type=artist&id=00DemoSing0001${page}`)
  const [first, again, second] = [await ask(''), await ask('&page=1'), await ask('&page=2')]
  t.same(first.body, again.body)
  t.match(first.headers.get('x-relay-warning'), /^50 of \d+ songs; page=2 has the next ones$/)
  t.match(second.headers.get('x-relay-warning'), /^50 of \d+ songs, page 2; page=3 has the next ones$/)
  t.same((second.body as Item[]).filter(({ url }) => (first.body as Item[]).some((other) => other.url === url)), [])
  t.equal((await server.get('/meting?type=playlist&id=7700000001')).headers.get('x-relay-warning'), null, 'a whole one does not')
  for (const query of ['type=playlist&id=7700000001&page=2', 'type=album&id=00DemoAlbu0001&page=2', `type=song&id=${song(1)}&page=2`]) t.same(await list(query), [], query)
  let rows: unknown
  demo.next('musichall.song_list_server/GetSingerSongList', { mutate: ({ data }) => {
    rows ??= data.songList
    Object.assign(data, { songList: rows, totalNum: 6000 })
  } }, 9)
  for (const [page, warning] of [
    [4, /^\d+ of 6000 songs, page 4; page=5 has the next ones$/], [100, /^\d+ of 6000 songs, page 100$/]
  ] as const) t.match((await ask(`&page=${page}`)).headers.get('x-relay-warning'), warning)
  demo.reset()
  t.match(await ask('&page=0'), { status: 400, body: { error: /^page: / } })
})

test('`server` may be left out and must otherwise name this provider; what is unknown is 404', {}, async ({ t, server }) => {
  t.equal((await server.get(`/meting?type=song&id=${song(1)}`)).status, 200)
  for (const query of [`server=netease&type=song&id=${song(1)}`, 'type=song', 'id=1', 'type=tea&id=1', 'type=search&id=%20', 'type=song&id=a-b', 'type=playlist&id=x', `type=search&id=${'x'.repeat(201)}`]) {
    t.match(await server.get(`/meting?${query}`), {
      status: 400, body: { code: 'INVALID_INPUT', error: /^(server|type|id): / }
    }, query)
  }
  for (const query of [
    'type=playlist&id=99', 'type=song&id=00DemoSong9999999', 'type=song&id=9999999', 'type=album&id=00DemoAlbu999999'
  ]) t.match(await server.get(`/meting?${query}`), { status: 404, body: { code: 'NOT_FOUND' } }, query)
})

test('the links lead to audio, picture and lyric; a song that cannot be played is 404, with the reason and what to do', {}, async ({ t, demo, list, follow }) => {
  const [item] = await list(`type=song&id=${song(1)}`)
  const audio = await follow(item?.url)
  t.match([audio.status, audio.text, audio.headers.get('cache-control')], [302, '', 'no-store'])
  t.equal((await fetch(audio.headers.get('location') ?? '')).headers.get('content-type'), 'audio/mpeg')
  const picture = await follow(item?.pic)
  t.match([picture.status, picture.headers.get('location')], [302, new RegExp(`^${demo.origin}/.*300x300`)])
  const lyric = await follow(item?.lrc)
  t.match([lyric.headers.get('content-type'), lyric.headers.get('access-control-allow-origin'), lyric.text], [
    'text/plain; charset=utf-8', '*', /^\[ti:First Light\]\n/
  ])
  const [refused] = await list(`type=song&id=${song(2)}`)
  t.match(
    await follow(refused?.url), { status: 404, body: { code: 'NOT_PLAYABLE', reason: 'NO_COOKIE', hint: String } }
  )
})

test('a translation stands behind its line, even where the two write the time in different ways; no lyric is an empty text', { cache: false }, async ({ t, demo, server, list, follow }) => {
  const { body: { data: { parsed: { lines } } } } = await server.get(`/getLyric/${song(5)}?isFormat=1`)
  const [translated] = await list(`type=song&id=${song(5)}`)
  const { text } = await follow(translated?.lrc)
  const merged = text.split('\n')
  const both = (lines as { text: string, trans?: string }[]).filter(({ trans }) => trans !== undefined)
  t.ok(both.length > 3)
  t.same(both.filter(({ text, trans }) => !merged.some(
    (one) => one.startsWith('[') && one.endsWith(`]${`${text} (${trans})`.trimStart()}`)
  )), [])
  t.notMatch(text, '//')
  const [without] = await list(`type=song&id=${song(4)}`)
  t.match(await follow(without?.lrc), { status: 200, text: '' })
  demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { status: 404 }, 9)
  demo.next('music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', { mutate: ({ data }) => { data.lyric = '' } }, 9)
  const none = await follow(translated?.lrc)
  t.same([none.status, none.text, none.headers.get('cache-control')], [200, '', 'no-store'], 'it may come soon')
  demo.reset()
  t.match((await follow(translated?.lrc)).headers.get('cache-control'), /max-age=86400/)
  const encoded = (text: string): string => Buffer.from(text).toString('base64')
  demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { mutate: () => ({
    retcode: 0, code: 0, subcode: 0, lyric: encoded('[0:01.00]one\n[00:02:50]two\n[00:02.50]'),
    trans: encoded('[00:01.00]eins\n[00:02.50]zwei')
  }) })
  t.equal((await follow(translated?.lrc)).text, '[00:01.00]one (eins)\n[00:02.50]two (zwei)\n[00:02.50]')
})

test('with the setting stream, the audio comes through the relay, on the account that the link names', { account: true, stream: 'relay' }, async ({ t, list, follow }) => {
  const [item] = await list(`type=song&id=${song(2)}`, { origin: blog })
  const part = await follow(item?.url, { range: 'bytes=0-99' })
  t.match([part.status, part.headers.get('content-length'), part.text.slice(0, 4)], [206, '100', '\ufffd\ufffd\ufffd\ufffd'])
  const [strange] = await list(`type=song&id=${song(2)}`, { origin: other })
  t.match(await follow(strange?.url), { status: 404, body: { code: 'NOT_PLAYABLE' } })
})

test('a link that this relay did not sign is 401, and asks nothing upstream', {}, async ({ t, demo, server, list, follow }) => {
  const [[first], [second]] = [await list(`type=song&id=${song(1)}`), await list(`type=song&id=${song(5)}`)]
  const auth = authOf(first)
  demo.reset()
  const one = `type=url&id=${song(1)}`
  const foreign = createLinks('another secret', Date.now).sign('url', song(1), 'anonymous')
  for (const wrong of [
    one, ...['', 'undefined', `zzzzzzzz.${auth}`, `${auth}x`, `${auth.slice(0, -2)}__`, foreign].map((auth) => `${one}&auth=${auth}`),
    ...[`type=url&id=${song(5)}`, `type=lrc&id=${song(1)}`, `type=pic&id=${song(1)}`].map((link) => `${link}&auth=${auth}`)
  ]) t.match(await server.get(`/meting?${wrong}`), { status: 401, body: { code: 'LINK_INVALID' } }, wrong)
  t.same(demo.received, [])
  t.equal((await follow(second?.lrc)).status, 200)
})

test('whatever an id is, the answer is a list, a refusal or nothing found, and no link is in the log', {}, async ({ t, server, list }) => {
  const ids = ['0', '-1', '9'.repeat(30), '__proto__', 'a\0b', '../x', '😀', 'a b', 'http://evil.example/', 'x'.repeat(200), '1,2', '\uFEFF']
  for (const [at, type] of ['song', 'album', 'artist', 'playlist', 'search', 'url', 'pic', 'lrc'].entries()) {
    for (const id of sampleOf(ids, 3, at)) {
      const { status } = await server.get(`/meting?type=${type}&id=${encodeURIComponent(id)}`)
      t.ok([200, 400, 401, 404].includes(status), `${type} ${JSON.stringify(id)}: ${status}`)
    }
  }
  const signed = createLinks(secret, Date.now)
  for (const type of ['url', 'pic', 'lrc'] as const) t.equal(
    (await server.get(`/meting?type=${type}&id=a%20b&auth=${signed.sign(type, 'a b', 'anonymous')}`)).status, 400, type
  )
  const [item] = await list(`type=song&id=${song(1)}`)
  t.ok(server.log.length > 0)
  t.notMatch(server.log.join(''), authOf(item))
})

test('a page of a listed origin plays on the operator\'s account, a page of another one does not', { account: true }, async ({ t, demo, list, follow }) => {
  const query = `type=song&id=${song(2)}`
  const [[ours], [theirs], [program]] = [
    await list(query, { origin: blog }), await list(query, { origin: other, 'sec-fetch-site': 'cross-site' }),
    await list(query)
  ]
  // What a browser adds by itself does not decide; what a program names counts.
  for (const headers of [
    {}, { 'sec-fetch-site': 'cross-site' }, { origin: other }, { origin: blog }, { referer: `${other}/` },
    { cookie: cookieOf(demo, 'ordinary') }
  ] as Names[]) {
    t.same([
      (await follow(ours?.url, headers)).status, (await follow(theirs?.url, headers)).status
    ], [302, 404], `the audio with ${JSON.stringify(headers)}`)
  }
  t.equal((await follow(theirs?.url, { 'x-custom-cookie': cookieOf(demo, 'ordinary') })).status, 302)
  t.equal((await follow(program?.url)).status, 302, 'a program is not a page')
  demo.reset()
  await list('type=playlist&id=7700000001', { origin: other })
  t.same(withCookie(demo), [], 'nor is its list read with it')
})

test('after half a day a link plays as those of anonymous callers', { account: true }, async ({ t, follow }) => {
  const statusOf = async (id: string, hours: number): Promise<number> =>
    (await follow(`/meting?type=url&id=${id}&auth=${createLinks(secret, () => Date.now() - hours * 3_600_000).sign('url', id, 'operator')}`)).status
  t.same([
    await statusOf(song(2), 11), await statusOf(song(2), 13), await statusOf(song(1), 13)
  ], [302, 404, 302], 'a song that is free for all still plays')
  const [early, late] = [createLinks(secret, () => 1), createLinks(secret, () => 9 * 60_000)]
  t.equal(early.sign('url', 'x', 'operator'), late.sign('url', 'x', 'operator'), 'lists of the same minutes are equal')
})

test('with an access token the widgets still play, and only listed origins on the operator\'s account', {
  account: true, accessToken: 'secret-token'
}, async ({ t, demo, server, list, follow }) => {
  const query = `type=song&id=${song(2)}`
  t.equal((await server.get('/getHotkey')).status, 401)
  const ways: readonly (readonly [Names, number])[] =
    [[{ origin: blog }, 302], [{ origin: other }, 404], [{}, 404], [{ authorization: 'Bearer secret-token' }, 302]]
  for (const [headers, status] of ways) {
    t.equal((await follow((await list(query, headers))[0]?.url)).status, status, JSON.stringify(headers))
  }
  demo.reset()
  await list('type=playlist&id=7700000001', { origin: blog })
  t.same(withCookie(demo), [], 'but lists are read without it: any program can name an origin')
  t.match(await server.get(`/meting?${query}`, { headers: { authorization: 'Bearer wrong' } }), {
    status: 401, body: { code: 'TOKEN_REQUIRED' }
  })
})

t.test('pages may read lists, lyrics and errors of any origin, and links begin with the address that the caller uses', async (t) => {
  const demo = await demoFor(t)
  const path = `/meting?type=song&id=${song(1)}`
  for (const corsOrigins of [[], [blog]]) {
    const { server } = await relay(t, { corsOrigins, publicOrigin: 'https://music.example/relay' }, demo)
    for (const each of [path, '/meting?type=playlist&id=99', '/meting?type=lrc&id=x']) t.equal(
      (await server.get(each, { headers: { origin: other } })).headers.get('access-control-allow-origin'), '*', each
    )
    t.match((await server.get(path)).body[0].url, /^https:\/\/music\.example\/relay\/meting\?/)
  }
  const { server } = await relay(t, { host: '0.0.0.0' }, demo)
  demo.reset()
  const { answers: [answer] } = await exchange(server.address, `GET ${path} HTTP/1.1\r\nHost: a@evil.example\r\nConnection: close\r\n\r\n`)
  t.match(answer, { status: 400, text: /INVALID_INPUT/ })
  t.same(demo.received, [])
})

test('lists and lyrics come from the cache, and count like any request', {
  cache: true, host: '0.0.0.0', allowedHosts: ['127.0.0.1'], rateLimit: 4
}, async ({ t, demo, server, list, follow }) => {
  const [item] = await list('type=playlist&id=7700000001')
  await follow(item?.lrc)
  demo.reset()
  t.same((await list('type=playlist&id=7700000001&r=0.5'))[0], item)
  await follow(item?.lrc)
  t.same(demo.received, [])
  t.match(await server.get(`/meting?type=song&id=${song(1)}`), { status: 429, body: { code: 'RATE_LIMITED' } })
})

t.test('the secret is made once for all instances of a folder, and only its owner reads it; where none can be kept, the log says so', async (t) => {
  const folder = t.testdir({ kept: {}, broken: { [linkSecretFile]: '{"secret": "short"}' }, file: '' })
  const warnings: string[] = []
  const secretIn = async (name: string): Promise<string> =>
    await linkSecretIn(join(folder, name), { warn: (line: string) => { warnings.push(line) } } as never)()
  const secrets = await Promise.all(Array.from({ length: 5 }, async () => await secretIn('kept')))
  t.same(new Set([...secrets, await secretIn('kept')]).size, 1, 'after a restart, too')
  t.match(secrets[0], /^[0-9a-f]{64}$/)
  const file = join(folder, 'kept', linkSecretFile)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { secret: secrets[0] })
  t.same(warnings, [])
  for (const name of ['broken', 'file']) t.match(await secretIn(name), /^[0-9a-f]{64}$/)
  t.equal(warnings.length, 2)
  for (const line of warnings) {
    t.match(line, /link-secret\.json: .*: links are signed with a secret that ends with this process$/)
  }
})

t.test('a first request while the process can open no file does not make all links invalid until a restart', { skip: keepsFiles }, async (t) => {
  const folder = folderFor(t)
  const secretIn = (): (() => Promise<string>) => linkSecretIn(folder, { warn () {} } as never)
  const before = await relay(t, { linkSecret: secretIn() })
  const path = (await before.list(`type=song&id=${song(1)}`))[0]?.lrc.replace(before.server.address, '')
  const { follow } = await relay(t, { linkSecret: secretIn() }, before.demo)
  await withoutFiles(async () => { t.match(await follow(path), { status: 503, body: { code: 'OVERLOADED' } }) })
  t.equal((await follow(path)).status, 200)
})

t.test('instances with the same REDIS_SECRET take each other\'s links', async (t) => {
  const demo = await demoFor(t)
  const one = await relay(t, { redisSecret: 'shared', linkSecret: async () => 'one' }, demo)
  const [two, three] = [
    await relay(t, { redisSecret: 'shared', linkSecret: async () => 'two' }, demo),
    await relay(t, { redisSecret: 'other' }, demo)
  ]
  const path = (await one.list(`type=song&id=${song(1)}`))[0]?.lrc.replace(one.server.address, '')
  t.same([(await two.follow(path)).status, (await three.follow(path)).status], [200, 401])
})
