/** /guide: the documentation site where it is built in, and how to build it where it is not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { demoFor, serverFor } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'

const inline = 'document.title += "!"'
const files = {
  'index.html': `<!doctype html><script>${inline}</script><script type="module" src="/guide/assets/app.Abcd-123.js"></script><p>Start`,
  'login.html': '<!doctype html><a href="/guide/endpoints/getLyric">getLyric</a>',
  'endpoints/index.html': '<!doctype html><p>Endpoints',
  'assets/app.Abcd-123.js': 'export default "/guide/"',
  'assets/colours.css': '.c0{color:red}'
}

const folderFor = (t: Test, content: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'))
  t.teardown(() => { rmSync(folder, { recursive: true, force: true }) })
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
  return folder
}

const guideFor = async (t: Test, options: AppOptions = {}, content: Readonly<Record<string, string>> = files): Promise<Server> =>
  await serverFor(t, await demoFor(t), { pages: true, docs: true, guide: folderFor(t, content), ...options } as AppOptions)

t.test('pages, scripts and styles come compressed to those who take it, with the headers of a page', async (t) => {
  const server = await guideFor(t)
  for (const [path, file] of [['/guide/', 'index.html'], ['/guide/login', 'login.html'], ['/guide/login.html', 'login.html'], ['/guide/endpoints/', 'endpoints/index.html'], ['/guide/endpoints', 'endpoints/index.html'], ['/guide/assets/app.Abcd-123.js', 'assets/app.Abcd-123.js'], ['/guide/assets/colours.css?x', 'assets/colours.css']] as const) {
    for (const [accepted, encoding] of [['gzip, br', 'gzip'], ['br;q=1, GZIP', 'gzip'], ['identity', null], ['gzip;q=0', null], ['gzip;q=0.5', 'gzip']] as const) {
      const { status, headers, text } = await server.get(path, { headers: { 'accept-encoding': accepted } })
      t.same([status, text, headers.get('content-encoding'), headers.get('vary')], [200, files[file], encoding, 'accept-encoding'], `${path} ${accepted}`)
      t.equal(headers.get('content-type'), `text/${file.endsWith('html') ? 'html' : file.endsWith('js') ? 'javascript' : 'css'}; charset=utf-8`)
      t.equal(headers.get('cache-control'), file.startsWith('assets/app') ? 'private, max-age=31536000, immutable' : 'no-cache', path)
      t.match([headers.get('x-content-type-options'), headers.get('x-frame-options'), headers.get('referrer-policy'), headers.get('cross-origin-resource-policy')], ['nosniff', 'DENY', 'no-referrer', 'same-origin'])
    }
  }
  const { headers } = await server.get('/guide/')
  t.equal(headers.get('content-security-policy'), `default-src 'none'; script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`)
  const again = await server.get('/guide/', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  t.same([again.status, again.text], [304, ''])
  const moved = await server.get('/guide')
  t.same([moved.status, moved.headers.get('location')], [302, 'guide/'])
  t.same([(await server.get('/guide/', { method: 'HEAD' })).status, (await server.get('/guide/', { method: 'POST' })).status], [200, 405])
})

t.test('nothing but the files of the site is there', async (t) => {
  const { address } = await guideFor(t)
  for (const path of ['/guide/nothing', '/guide/index.html.gz', '/guide/../package.json', '/guide/..%2f..%2fpackage.json', '/guide//', '/guide/assets', '/guide/%00', '/guidelines']) {
    const { answers: [answer] } = await exchange(address, requestText(`GET ${path} HTTP/1.1`, ['Connection: close']))
    t.match(answer, { status: 404 }, path)
    t.match(JSON.parse(answer?.text ?? ''), { code: 'ROUTE_NOT_FOUND' }, path)
  }
})

t.test('front page and /docs link to it only where it is', async (t) => {
  const linked = async (server: Server): Promise<unknown> => [/href="guide\/"/.test((await server.get('/')).text), /theme\/guide\.js/.test((await server.get('/docs')).text)]
  const server = await guideFor(t)
  t.same(await linked(server), [true, true])
  t.match((await server.get('/docs/static/theme/guide.js')).text, 'guide/')

  const without = await guideFor(t, {}, {})
  t.same(await linked(without), [false, false])
  for (const path of ['/guide', '/guide/', '/guide/login']) t.match(await without.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND', error: /not built.*npm run site/ } }, path)

  const off = await guideFor(t, { pages: false })
  t.match(await off.get('/guide/'), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
  t.notMatch((await off.get('/guide/')).text, 'npm run site')
  t.notMatch((await off.get('/docs')).text, 'guide.js')
})

t.test('who may not use the relay does not read it', async (t) => {
  const server = await guideFor(t, { accessToken: 'a-token-of-some-length' })
  t.match(await server.get('/guide/'), { status: 401, body: { code: 'TOKEN_REQUIRED' } })
  t.match(await server.get('/guide/', { headers: { authorization: 'Bearer a-token-of-some-length' } }), { status: 200 })
})

t.test('behind a proxy that has the relay under a path of its own, its links begin with that path', async (t) => {
  const server = await guideFor(t, { publicOrigin: 'https://music.example/relay' })
  t.match((await server.get('/guide/login')).text, 'href="/relay/guide/endpoints/getLyric"')
  const script = await server.get('/guide/assets/app.Abcd-123.js', { headers: { 'accept-encoding': 'gzip' } })
  t.same([script.text, script.headers.get('cache-control')], ['export default "/relay/guide/"', 'no-cache'])
  t.match((await (await guideFor(t, { publicOrigin: 'https://music.example' })).get('/guide/login')).text, 'href="/guide/endpoints/getLyric"')
})
