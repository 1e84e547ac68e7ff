/** The pages, without a browser: what is served, with which headers, and what they link to; /guide, where it is built in; words of the pages. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { calls } from '../../src/doctor/examine.ts'
import { errorCodes } from '../../schemas/errors.ts'
import { playReasons } from '../../schemas/common.ts'
import { demoFor, serverFor, type Server } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'

const publicFile = (file: string): string => readFileSync(new URL(`../../public/${file}`, import.meta.url), 'utf8')
const scripts = readdirSync(new URL('../../public/', import.meta.url), { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:js|css|html)$/.test(file))
const imported = async (file: string): Promise<any> => await import(new URL(`../../public/${file}`, import.meta.url).href)
const pagesFor = async (t: Test, options: AppOptions = {}): Promise<Server> => await serverFor(t, await demoFor(t), { pages: true, ...options })
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const notFound = { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }

t.test('the front page is strict about what runs on it, is never kept, answers GET and HEAD only, and can be switched off', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { pages: true })
  const policy = ["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src 'self' data: https: ${demo.origin}`, 'media-src https: http:', "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  for (const path of ['/', ...['script.js', 'player.js', 'relay.js', 'state.js', 'controls.js', 'style.css'].map((file) => `/front/${file}`)]) {
    const type = path.endsWith('.js') ? 'javascript' : path.endsWith('.css') ? 'css' : 'html'
    const { status, headers, text } = await server.get(path)
    t.same([status, headers.get('content-type'), headers.get('cache-control'), headers.get('content-security-policy')?.split('; ')], [200, `text/${type}; charset=utf-8`, 'no-store', policy], path)
    t.notMatch(text, /(?:src|href)="(?:https?:)?\/\/|url\(|@import|style="|<style|\son\w+=|innerHTML/)
    const [head, wrong] = [await server.get(path, { method: 'HEAD' }), await server.post(path, {})]
    t.same([head.status, head.text, wrong.status, wrong.headers.get('allow'), wrong.body.code], [200, '', 405, 'GET, HEAD, OPTIONS', 'METHOD_NOT_ALLOWED'], path)
  }
  const locked = await serverFor(t, demo, { accessToken: 'open-sesame', pages: false })
  t.equal((await locked.get('/')).status, 401)
  t.match(await locked.get('/', { headers: { authorization: 'Bearer open-sesame' } }), notFound)
})

t.test('each file is sent whole, whatever the request says of an older copy', async (t) => {
  const server = await pagesFor(t)
  for (const path of ['/', '/front/script.js', '/front/style.css', '/login', '/login/script.js']) {
    const { text } = await server.get(path)
    for (const [name, value] of [['if-match', '"a"'], ['if-none-match', '*'], ['if-modified-since', 'Wed, 21 Oct 2099 07:28:00 GMT'], ['if-unmodified-since', 'Wed, 21 Oct 2015 07:28:00 GMT'], ['range', 'bytes=0-9']] as const) {
      const again = await server.get(path, { headers: { [name]: value } })
      t.same([again.status, again.text === text, ...['etag', 'last-modified', 'accept-ranges'].map((none) => again.headers.get(none))], [200, true, null, null, null], `${path} with ${name}`)
    }
  }
})

t.test('every script and style of public/ is served, and pages find their parts below the path of a proxy', async (t) => {
  const server = await pagesFor(t, { docs: true })
  // guide.js is for relays that have the documentation site.
  const files = scripts.filter((file) => /(?<!\/guide)\.(?:js|css)$/.test(file))
  t.ok(files.length > 5)
  for (const file of files) t.equal((await server.get(`/${file}`)).text, publicFile(file), file)
  const parts = /(?:href|src)="(?!data:)([^"]+)"/g
  const imports = /^import .* from '([^']+)'/gm
  for (const [page, pattern, below] of [
    ['/', parts], ['/login', parts], ['/docs', parts, '/docs/static/'], ['/docs/', parts, '/docs/static/'],
    ...['/front/script.js', '/front/state.js', '/front/player.js', '/login/script.js'].map((script) => [script, imports] as const)
  ] as const) {
    const links = [...(await server.get(page)).text.matchAll(pattern)].map(([, link]) => new URL(link ?? '', `http://proxy.example/music${page}`).pathname)
    t.ok(links.length > (below === undefined ? 0 : 5), page)
    for (const path of links) {
      t.ok(path.startsWith(`/music${below ?? '/'}`), `${page} links ${path}`)
      t.equal((await server.get(path.replace('/music', ''))).status, 200, path)
    }
  }
})

t.test('a request with a body that nobody reads is the last on its connection', async (t) => {
  const { address } = await pagesFor(t, { docs: true })
  const { answers, closed } = await exchange(address, requestText('GET /docs/static/index.css HTTP/1.1', ['Content-Length: 5'], 'hello') + requestText('GET /health/live HTTP/1.1'))
  t.same([answers.map(({ status, headers }) => [status, headers.get('connection')]), closed], [[[200, 'close']], true])
})

t.test('the front page names what is in front of and behind the relay, and links only what is there', async (t) => {
  const text = async (options: AppOptions): Promise<string> => (await (await pagesFor(t, options)).get('/')).text
  t.match(await text({ demo: true, docs: true }), /<strong>Demo<\/strong>[^]*href="login"/)
  t.match(await text({ docs: true }), /href="docs"[^]*<strong>Another origin<\/strong>/)
  const live = await text({ upstreamOrigin: '', imageOrigin: '', fallbackMode: false })
  t.match(live, '<strong>Live</strong>')
  t.notMatch(live, /href="docs"|Play with an account/)
})

t.test('at an address without a route programs get JSON, and so does everybody without pages; the page has the headers of one, and nothing of the path', async (t) => {
  const [server, without] = [await pagesFor(t), await pagesFor(t, { pages: false })]
  for (const wanted of [undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.1, application/json', 'text/html;q=0, */*', 'image/*']) {
    t.match(await server.get('/nowhere', wanted === undefined ? {} : { headers: { accept: wanted } }), notFound, `${wanted}`)
  }
  t.match(await without.get('/nowhere', { headers: { accept } }), notFound)
  t.match(await server.get('/getRanks?limit=0', { headers: { accept } }), { status: 400, body: { code: 'INVALID_INPUT' } }, 'other failures stay JSON')
  t.match(await server.post('/nowhere', {}, { headers: { accept } }), notFound)
  t.match((await server.get('/nowhere', { headers: { accept: 'application/json;q=0.5, text/html;level=1' } })).headers.get('content-type'), 'text/html')

  const { status, text, headers } = await server.get('/getRankss<b>', { headers: { accept } })
  t.same([status, ...['content-type', 'cache-control', 'x-frame-options', 'cross-origin-resource-policy'].map((name) => headers.get(name))], [404, 'text/html; charset=utf-8', 'no-store', 'DENY', 'same-origin'])
  t.match([headers.get('content-security-policy'), headers.get('x-request-id')], ["script-src 'self'", /./])
  t.notMatch(text, /Rankss|<b>|\{\{|<!--|href="\.\/docs"/, 'no link to what is switched off')
  t.match((await server.get('/guide/', { headers: { accept } })).text, /not built into this relay|<title>/)
  const head = await server.get('/nowhere', { method: 'HEAD', headers: { accept } })
  t.same([head.status, head.text], [404, ''])
})

t.test('every code and reason has its Chinese sentence, and every sentence is used', async (t) => {
  const { failures, reasons } = await imported('shared/zhFailures.js') as { failures: Record<string, string>, reasons: Record<string, { title: string, hint: string }> }
  const sentences = [...Object.keys(errorCodes).map((code) => [code, failures[code]]), ...playReasons.flatMap((reason) => [[reason, reasons[reason]?.title], [reason, reasons[reason]?.hint]])]
  t.same(sentences.filter(([, text]) => !/^\p{Script=Han}.*。$/u.test(text ?? '')), [])
  const { zh } = await imported('shared/zh.js') as { zh: Record<string, string> }
  const used = scripts.filter((file) => /\.(?:js|html)$/.test(file) && !file.endsWith('zh.js')).map(publicFile).join('\n')
  const words = (text: string): string => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()
  t.same(Object.keys(zh).filter((key) => !used.includes(key) && key !== 'WeChat' && key !== 'QQ'), [])
  t.same(Object.entries(zh).filter(([key, text]) => words(text) !== words(key)), [])
})

t.test('every call has a family of words, and a call of a newer relay its own name', async (t) => {
  const { families, troublesIn } = await imported('front/troubles.js') as { families: Record<string, string>, troublesIn: (calls: readonly object[]) => string }
  t.same(Object.keys(families).sort(), [...new Set(Object.keys(calls).map((name) => name.split('.', 1)[0] as string))].sort())
  t.equal(troublesIn([{ name: 'search.a', verdict: 'refused' }, { name: 'search.b', verdict: 'refused' }, { name: 'chart.a', verdict: 'drift' }, { name: 'new.a', verdict: 'unreachable' }, { name: 'song.a', verdict: 'retired' }]),
    'Search: refused, Charts: answers that this version cannot read, new: no answer')
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
async function guideFor (t: Test, options: AppOptions = {}, content: Readonly<Record<string, string>> = site): Promise<Server> {
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
  for (const [path, file] of [['/guide/', 'index.html'], ['/guide/login', 'login.html'], ['/guide/login.html', 'login.html'], ['/guide/endpoints/', 'endpoints/index.html'], ['/guide/endpoints', 'endpoints/index.html'], ['/guide/assets/app.Abcd-123.js', 'assets/app.Abcd-123.js'], ['/guide/assets/colours.css?x', 'assets/colours.css']] as const) {
    const type = file.endsWith('html') ? 'html' : file.endsWith('js') ? 'javascript' : 'css'
    for (const [accepted, encoding] of [['gzip, br', 'gzip'], ['br;q=1, GZIP', 'gzip'], ['identity', null], ['gzip;q=0', null], ['gzip;q=0.5', 'gzip']] as const) {
      const { status, headers, text } = await server.get(path, { headers: { 'accept-encoding': accepted } })
      t.same([status, text, ...['content-encoding', 'vary', 'content-type', 'cache-control', 'x-content-type-options', 'x-frame-options', 'referrer-policy', 'cross-origin-resource-policy'].map((name) => headers.get(name))],
        [200, site[file], encoding, 'accept-encoding', `text/${type}; charset=utf-8`, file.startsWith('assets/app') ? 'private, max-age=31536000, immutable' : 'no-cache', 'nosniff', 'DENY', 'no-referrer', 'same-origin'], `${path} ${accepted}`)
    }
  }
  const { headers } = await server.get('/guide/')
  t.equal(headers.get('content-security-policy'), `default-src 'none'; script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`)
  const again = await server.get('/guide/', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  t.same([again.status, again.text], [304, ''])
  const moved = await server.get('/guide')
  t.same([moved.status, moved.headers.get('location')], [302, 'guide/'])
  t.same([(await server.get('/guide/', { method: 'HEAD' })).status, (await server.get('/guide/', { method: 'POST' })).status], [200, 405])
  for (const path of ['/guide/nothing', '/guide/index.html.gz', '/guide/../package.json', '/guide/..%2f..%2fpackage.json', '/guide//', '/guide/assets', '/guide/%00', '/guidelines']) {
    const { answers: [answer] } = await exchange(server.address, requestText(`GET ${path} HTTP/1.1`, ['Connection: close']))
    t.match([answer?.status, JSON.parse(answer?.text ?? '')], [404, { code: 'ROUTE_NOT_FOUND' }], path)
  }
})

t.test('front page and /docs link to the site only where it is, and only who may use the relay reads it', async (t) => {
  const linked = async (server: Server): Promise<unknown> => [/href="guide\/"/.test((await server.get('/')).text), /theme\/guide\.js/.test((await server.get('/docs')).text)]
  const server = await guideFor(t)
  t.same(await linked(server), [true, true])
  t.match((await server.get('/docs/static/theme/guide.js')).text, 'guide/')

  const without = await guideFor(t, {}, {})
  t.same(await linked(without), [false, false])
  for (const path of ['/guide', '/guide/', '/guide/login']) t.match(await without.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND', error: /not built.*npm run site/ } }, path)

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
