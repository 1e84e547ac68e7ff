/** The pages, without a browser: what is served, with which headers, and what they link to; /guide, where it is built in; words of the pages. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import {
  added, emptyQueue, following, mostSongs, moved, removed, replaced, shuffled, type Queue
} from '../../public/app/queue.ts'
import type { Track } from '../../public/app/track.ts'
import { zh } from '../../public/app/zh.ts'
import { failures, reasons } from '../../public/app/zhFailures.ts'
import type { AppOptions } from '../../src/app.ts'
import { calls } from '../../src/doctor/examine.ts'
import { errorCodes } from '../../schemas/errors.ts'
import { playReasons } from '../../schemas/common.ts'
import { demoFor, serverFor, serverOnWire, type Server } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'
import { runs } from '../support/whole.ts'

const root = new URL('../../', import.meta.url)
const sources = readdirSync(new URL('public/app/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
const source = (file: string): string => readFileSync(new URL(`public/app/${file}`, root), 'utf8')
/** The files that the page links to, as a relay serves them. */
const files = ['index.html', 'missing.html'].flatMap((name) =>
  [...readFileSync(new URL(`dist/page/${name}`, root), 'utf8').matchAll(/page\/[\w.-]+/g)].map(([file]) => `/${file}`))
const [script = '', style = ''] = ['.js', '.css'].map((ending) => files.find((file) => file.endsWith(ending)))
const pagesFor = async (t: Test, options: AppOptions = {}): Promise<Server> =>
  await serverFor(t, await demoFor(t), { pages: true, ...options })
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const notFound = { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }

t.test('the page is strict about what runs on it, is never kept, answers GET and HEAD only, and can be switched off; its files are kept for good', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { pages: true })
  const policy = ["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src 'self' data: https: ${demo.origin}`, 'media-src https: http:', "manifest-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  for (const [path, type, kept] of [
    ['/', 'text/html; charset=utf-8', 'no-store'], ['/login', 'text/html; charset=utf-8', 'no-store'],
    [script, 'text/javascript; charset=utf-8', 'private, max-age=31536000, immutable'], [style, 'text/css; charset=utf-8', 'private, max-age=31536000, immutable'],
    ['/sw.js', 'text/javascript; charset=utf-8', 'no-cache'], ['/page/manifest.webmanifest', 'application/manifest+json', 'no-cache'], ['/page/icon.svg', 'image/svg+xml', 'private, max-age=3600'], ['/page/icon-192.png', 'image/png', 'private, max-age=3600']
  ] as const) {
    const { status, headers, text } = await server.get(path)
    const names = ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options', 'cross-origin-resource-policy']
    t.same([
      status, ...names.map((name) => headers.get(name)), headers.get('content-security-policy')?.split('; ')
    ], [200, type, kept, 'no-referrer', 'nosniff', 'same-origin', policy], path)
    if (type.startsWith('text/')) t.notMatch(
      text,
      /(?:src|href)="(?:https?:)?\/\/|url\(|@import|style="|<style|\son\w+="|innerHTML\s*=(?!=)[^=]{0,20}location/, path
    )
    const [head, wrong] = [await server.get(path, { method: 'HEAD' }), await server.post(path, {})]
    t.same([
      head.status, head.text, wrong.status, wrong.headers.get('allow'), wrong.body.code
    ], [200, '', 405, 'GET, HEAD, OPTIONS', 'METHOD_NOT_ALLOWED'], path)
    const packed = await server.get(path, { headers: { 'accept-encoding': 'gzip' } })
    t.same(
      [packed.text === text, packed.headers.get('content-encoding')], [true, kept === 'no-store' ? null : 'gzip'], path
    )
  }
  t.match(await server.get('/page/other.js'), notFound)
  const locked = await serverFor(t, demo, { accessToken: 'open-sesame', pages: false })
  t.equal((await locked.get('/')).status, 401)
  t.match(await locked.get('/', { headers: { authorization: 'Bearer open-sesame' } }), notFound)
  t.match(await locked.get(script, { headers: { authorization: 'Bearer open-sesame' } }), notFound)
})

t.test('the document is sent whole, whatever the request says of an older copy; its files answer 304', async (t) => {
  const server = await pagesFor(t)
  for (const path of ['/', '/login']) {
    const { text } = await server.get(path)
    for (const [name, value] of [['if-match', '"a"'], ['if-none-match', '*'], ['if-modified-since', 'Wed, 21 Oct 2099 07:28:00 GMT'], ['if-unmodified-since', 'Wed, 21 Oct 2015 07:28:00 GMT'], ['range', 'bytes=0-9']] as const) {
      const again = await server.get(path, { headers: { [name]: value } })
      t.same([again.status, again.text === text, ...['etag', 'last-modified', 'accept-ranges'].map((none) =>
        again.headers.get(none)
      )], [200, true, null, null, null], `${path} with ${name}`)
    }
  }
  const { headers } = await server.get('/sw.js')
  t.same((await server.get('/sw.js', { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status, 304)
})

t.test('every file of a page is served, and found below the path of a proxy', async (t) => {
  const server = await pagesFor(t, { docs: true })
  const parts = /(?:href|src)="(?!data:)([^"]+)"/g
  for (const [page, below, most] of [
    ['/', '/', 2], ['/login', '/', 2], ['/docs', '/docs/static/', 5], ['/docs/', '/docs/static/', 5]
  ] as const) {
    const links = [...(await server.get(page)).text.matchAll(parts)]
      .map(([, link]) => new URL(link ?? '', `http://proxy.example/music${page}`).pathname)
    t.ok(links.length > most, page)
    for (const path of links) {
      t.ok(path.startsWith(`/music${below}`), `${page} links ${path}`)
      t.equal((await server.get(path.replace('/music', ''))).status, 200, path)
    }
  }
  t.ok(files.length > 4)
  for (const file of files) t.equal((await server.get(file)).status, 200, file)
  // The service worker loads the same files.
  const { text } = await server.get('/sw.js')
  for (const file of [script, style, '/page/icon.svg']) t.ok(text.includes(file.slice(1)), file)
})

t.test('a request with a body that nobody reads is the last on its connection', async (t) => {
  const { address } = await pagesFor(t, { docs: true })
  const { answers, closed } =
    await exchange(address, requestText('GET /docs/static/index.css HTTP/1.1', ['Content-Length: 5'], 'hello') + requestText('GET /health/live HTTP/1.1'))
  t.same([answers.map(({ status, headers }) => [status, headers.get('connection')]), closed], [[[200, 'close']], true])
})

t.test('the page knows what is in front of and behind the relay, and links only what is there', async (t) => {
  const facts = async (options: AppOptions): Promise<Record<string, unknown>> => {
    const [, text = ''] = /data-facts="([^"]+)"/.exec((await (await pagesFor(t, options)).get('/')).text) ?? []
    return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as Record<string, unknown>
  }
  t.match(await facts({ demo: true, docs: true }), {
    upstream: 'demo', docs: true, sessions: false, ownLogin: true, globalCookie: false, version: /^\d/
  })
  t.match(await facts({ docs: true }), { upstream: 'another origin' })
  t.match(await facts({ upstreamOrigin: '', imageOrigin: '', fallbackMode: false }), {
    upstream: 'live', docs: false, ownLogin: false, scanPages: ''
  })
})

t.test('at an address without a route programs get JSON, and so does everybody without pages; the page has the headers of one, and nothing of the path', async (t) => {
  // HEAD has no body on the wire
  const [server, without] =
    [await serverOnWire(t, await demoFor(t), { pages: true }), await pagesFor(t, { pages: false })]
  for (const wanted of [undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.1, application/json', 'text/html;q=0, */*', 'image/*']) {
    t.match(
      await server.get('/nowhere', wanted === undefined ? {} : { headers: { accept: wanted } }), notFound, `${wanted}`
    )
  }
  t.match(await without.get('/nowhere', { headers: { accept } }), notFound)
  t.match(await server.get('/getRanks?limit=0', { headers: { accept } }), {
    status: 400, body: { code: 'INVALID_INPUT' }
  }, 'other failures stay JSON')
  t.match(await server.post('/nowhere', {}, { headers: { accept } }), notFound)
  t.match((await server.get('/nowhere', { headers: { accept: 'application/json;q=0.5, text/html;level=1' } })).headers.get('content-type'), 'text/html')

  const { status, text, headers } = await server.get('/getRankss<b>', { headers: { accept } })
  t.same([status, ...['content-type', 'cache-control', 'x-frame-options', 'cross-origin-resource-policy'].map((name) => headers.get(name))], [404, 'text/html; charset=utf-8', 'no-store', 'DENY', 'same-origin'])
  t.match([headers.get('content-security-policy'), headers.get('x-request-id')], ["script-src 'self'", /./])
  t.notMatch(text, /Rankss|<b>|\{\{|<!--|href="\.\/docs"/, 'no link to what is switched off')
  for (const path of ['/nowhere', '/no/where', '/no/where/else']) {
    const page = await server.get(path, { headers: { accept } })
    for (const [, link = ''] of page.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      t.equal((await server.get(new URL(link, `http://localhost${path}`).pathname)).status, 200, `${path}: ${link}`)
    }
  }
  t.match((await server.get('/guide/', { headers: { accept } })).text, /not built into this relay|<title>/)
  const head = await server.get('/nowhere', { method: 'HEAD', headers: { accept } })
  t.same([head.status, head.text], [404, ''])
})

t.test('every code and reason has its Chinese sentence, and every sentence is used', async (t) => {
  const sentences = [
    ...Object.keys(errorCodes).map((code) => [code, failures[code as keyof typeof failures]]),
    ...playReasons.flatMap((reason) => [[reason, reasons[reason].title], [reason, reasons[reason].hint]])
  ]
  t.same(sentences.filter(([, text]) => !/^\p{Script=Han}.*。$/u.test(text ?? '')), [])
  const used = sources.filter((file) => !/zh(?:Failures)?\.ts$/.test(file)).map(source).join('\n')
  const words = (text: string): string => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()
  t.same(Object.keys(zh).filter(
    (key) => !used.includes(`'${key}'`) && !used.includes(`"${key}"`) && key !== 'WeChat' && key !== 'QQ'
  ), [])
  t.same(Object.entries(zh).filter(([key, text]) => words(text) !== words(key)), [])
})

t.test('every call has a family of words', async (t) => {
  const families = /families[^{]+\{([^}]+)\}/.exec(source('troubles.ts'))?.[1] ?? ''
  t.same([...families.matchAll(/(\w+):/g)].map(([, name]) => name).sort(), [
    ...new Set(Object.keys(calls).map((name) => name.split('.', 1)[0] as string))
  ].sort())
})

t.test('a queue keeps its songs and its current one, whatever is done to it', async (t) => {
  const track = (id: number): Track => ({
    mid: `m${id}`, id, name: `Song ${id}`, singers: [], cover: '', seconds: 0, paid: false, vid: '', disc: 1, number: 0,
    whole: true
  })
  const ids = (queue: Queue): number[] => queue.entries.map((entry) => entry.track.id)
  const step = fc.oneof(
    fc.record({ do: fc.constant('move' as const), a: fc.nat(30), b: fc.nat(30) }),
    fc.record({ do: fc.constant('shuffle' as const), a: fc.nat(1), b: fc.nat(1) }),
    fc.record({ do: fc.constant('remove' as const), a: fc.nat(30), b: fc.nat(1) }),
    fc.record({ do: fc.constant('add' as const), a: fc.nat(3), b: fc.nat(1) })
  )
  fc.assert(fc.property(fc.integer({
    min: 1, max: 20
  }), fc.nat(19), fc.array(step, { maxLength: 30 }), (length, index, steps) => {
    let queue = replaced(emptyQueue, Array.from({ length }, (_none, id) => track(id)), index % length)
    let next = length
    for (const { do: what, a, b } of steps) {
      const current = queue.entries[queue.at]
      const before = ids(queue)
      if (what === 'move') queue = moved(queue, a, b)
      else if (what === 'shuffle') queue = shuffled(queue, a === 1)
      else if (what === 'add') queue = added(queue, Array.from({ length: a }, () => track(next++)))
      else if (a < queue.entries.length) {
        const gone = queue.entries[a]?.track.id
        queue = removed(queue, a)
        if (ids(queue).join() !== before.filter((id) => id !== gone).join()) return false
        if (current?.track.id === gone) continue
      }
      if (what !== 'remove' && ids(queue).filter((id) => before.includes(id)).length !== before.length) return false
      if (current !== undefined && queue.entries[queue.at] !== current) return false
      if (queue.entries.length > 0 && (queue.at < 0 || queue.at >= queue.entries.length)) return false
    }
    const straight = ids(shuffled(queue, false))
    return straight.join() === straight.toSorted((x, y) => x - y).join()
  }), runs(t, 500))
  const long = Array.from({ length: 800 }, (_none, id) => track(id))
  const cut = replaced(emptyQueue, long, 700)
  t.same(
    [cut.entries.length, cut.entries[cut.at]?.track.id, added(cut, long).entries.length], [mostSongs, 700, mostSongs]
  )
  const last = { ...replaced(emptyQueue, long.slice(0, 3), 2) }
  t.same([
    following(last), following({ ...last, repeat: 'all' }), following({ ...last, repeat: 'one' }, true),
    following({ ...last, repeat: 'one' })
  ], [-1, 0, 2, -1])
})

const inline = 'document.title += "!"'
const site = {
  'index.html': `<!doctype html><script>${inline}</script><script type="module" src="/guide/assets/app.Abcd-123.js"></script><p>Start`,
  'login.html': '<!doctype html><a href="/guide/endpoints/getLyric">getLyric</a>',
  'endpoints/index.html': '<!doctype html><p>Endpoints',
  'assets/app.Abcd-123.js': 'export default "/guide/"',
  'assets/colours.css': '.c0{color:red}'
}

/** A relay with this documentation site. */
async function guideFor (
  t: Test, options: AppOptions = {}, content: Readonly<Record<string, string>> = site
): Promise<Server> {
  const guide = mkdtempSync(join(tmpdir(), 'guide-'))
  t.teardown(() => { rmSync(guide, { recursive: true, force: true }) })
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(guide, name)), { recursive: true })
    writeFileSync(join(guide, `${name}.gz`), gzipSync(text))
  }
  return await pagesFor(t, { docs: true, guide, ...options } as AppOptions)
}

t.test('files of the site come compressed to those who take it, with the headers of a page; nothing else is there', async (t) => {
  const server = await guideFor(t)
  for (const [path, file] of [
    ['/guide/', 'index.html'], ['/guide/login', 'login.html'], ['/guide/login.html', 'login.html'],
    ['/guide/endpoints/', 'endpoints/index.html'], ['/guide/endpoints', 'endpoints/index.html'],
    ['/guide/assets/app.Abcd-123.js', 'assets/app.Abcd-123.js'], ['/guide/assets/colours.css?x', 'assets/colours.css']
  ] as const) {
    const type = file.endsWith('html') ? 'html' : file.endsWith('js') ? 'javascript' : 'css'
    for (const [accepted, encoding] of [
      ['gzip, br', 'gzip'], ['br;q=1, GZIP', 'gzip'], ['identity', null], ['gzip;q=0', null], ['gzip;q=0.5', 'gzip']
    ] as const) {
      const { status, headers, text } = await server.get(path, { headers: { 'accept-encoding': accepted } })
      t.same([status, text, ...[
        'content-encoding', 'vary', 'content-type', 'cache-control', 'x-content-type-options', 'x-frame-options',
        'referrer-policy', 'cross-origin-resource-policy'
      ].map((name) => headers.get(name))],
        [200, site[file], encoding, 'accept-encoding', `text/${type}; charset=utf-8`, file.startsWith('assets/app') ? 'private, max-age=31536000, immutable' : 'no-cache', 'nosniff', 'DENY', 'no-referrer', 'same-origin'], `${path} ${accepted}`)
    }
  }
  const { headers } = await server.get('/guide/')
  t.equal(headers.get('content-security-policy'), `default-src 'none'; script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`)
  const again = await server.get('/guide/', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  t.same([again.status, again.text], [304, ''])
  const moved = await server.get('/guide')
  t.same([moved.status, moved.headers.get('location')], [302, 'guide/'])
  t.same([
    (await server.get('/guide/', { method: 'HEAD' })).status, (await server.get('/guide/', { method: 'POST' })).status
  ], [200, 405])
  for (const path of ['/guide/nothing', '/guide/index.html.gz', '/guide/../package.json', '/guide/..%2f..%2fpackage.json', '/guide//', '/guide/assets', '/guide/%00', '/guidelines']) {
    const { answers: [answer] } =
      await exchange(server.address, requestText(`GET ${path} HTTP/1.1`, ['Connection: close']))
    t.match([answer?.status, JSON.parse(answer?.text ?? '')], [404, { code: 'ROUTE_NOT_FOUND' }], path)
  }
})

t.test('front page and /docs link to the site only where it is, and only who may use the relay reads it', async (t) => {
  const linked = async (server: Server): Promise<unknown> => [
    /&quot;guide&quot;:true/.test((await server.get('/')).text),
    /theme\/guide\.js/.test((await server.get('/docs')).text)
  ]
  const server = await guideFor(t)
  t.same(await linked(server), [true, true])
  t.match((await server.get('/docs/static/theme/guide.js')).text, 'guide/')

  const without = await guideFor(t, {}, {})
  t.same(await linked(without), [false, false])
  for (const path of ['/guide', '/guide/', '/guide/login']) t.match(
    await without.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND', error: /not built.*npm run site/ } }, path
  )

  const off = await guideFor(t, { pages: false })
  t.match(await off.get('/guide/'), notFound)
  t.notMatch((await off.get('/guide/')).text, 'npm run site')
  t.notMatch((await off.get('/docs')).text, 'guide.js')

  const locked = await guideFor(t, { accessToken: 'a-token-of-some-length' })
  t.match(await locked.get('/guide/'), { status: 401, body: { code: 'TOKEN_REQUIRED' } })
  t.match(await locked.get('/guide/', { headers: { authorization: 'Bearer a-token-of-some-length' } }), { status: 200 })
})

t.test('behind a proxy that has the relay under a path of its own, the links of the site begin with that path', async (t) => {
  const server = await guideFor(t, { publicOrigin: 'https://music.example/relay' })
  t.match((await server.get('/guide/login')).text, 'href="/relay/guide/endpoints/getLyric"')
  const script = await server.get('/guide/assets/app.Abcd-123.js', { headers: { 'accept-encoding': 'gzip' } })
  t.same([script.text, script.headers.get('cache-control')], ['export default "/relay/guide/"', 'no-cache'])
  t.match((await (await guideFor(t, { publicOrigin: 'https://music.example' })).get('/guide/login')).text, 'href="/guide/endpoints/getLyric"')
})
