/** An address without a route: a page for people, JSON for programs. */
import t from 'tap'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import { demoFor, serverFor } from '../support/helper.ts'

const open = browserFor(t)
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

t.test('a browser gets a page in both languages, whose links and styles work at any depth', { skip: withoutBrowser }, async (t) => {
  const { page, server, complaints } = await open(t, '/', { options: { docs: true }, media: true })
  for (const [path, meant] of [['/nowhere', undefined], ['/getRankss', '/getRanks'], ['/a/b/c/d', undefined], ['/getTopLists/', '/getRanks'], ['/lyric', '/getLyric'], ['/getLyrics/00DemoSong0001', undefined]] as const) {
    const reply = await page.goto(`${server.address}${path}`)
    t.equal(reply?.status(), 404, path)
    await page.getByRole('heading', { name: 'There is no such page. 没有这个页面。' }).waitFor()
    t.ok(await page.evaluate("getComputedStyle(document.querySelector('section')).borderRadius !== '0px'"), `${path} has its style`)
    const links = await page.evaluate("[...document.querySelectorAll('section a')].map((link) => link.pathname)") as string[]
    t.same(links.filter((link) => !link.startsWith('/guide/')), [...meant === undefined ? [] : [meant], '/', '/docs'], path)
  }
  await page.getByText('Did you mean /getLyric/:songmid?').waitFor()
  await page.getByText('是不是想找 /getLyric/:songmid？').waitFor()
  await page.getByRole('link', { name: 'Front page' }).click()
  await page.getByRole('heading', { name: 'The relay is running.' }).waitFor()
  t.same(complaints.filter((each) => !/404/.test(each)), [])
})

t.test('programs get JSON, and so does everybody without pages; the page has the headers of one, and nothing of the path', async (t) => {
  const demo = await demoFor(t)
  const [server, without] = [await serverFor(t, demo, { pages: true }), await serverFor(t, demo, { pages: false })]
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'application/json, text/html' }, { accept: 'text/html;q=0.1, application/json' }, { accept: 'text/html;q=0, */*' }, { accept: 'image/*' }]) t.match(await server.get('/nowhere', { headers }), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }, JSON.stringify(headers))
  t.match(await without.get('/nowhere', { headers: { accept } }), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
  t.match(await server.get('/getRanks?limit=0', { headers: { accept } }), { status: 400, body: { code: 'INVALID_INPUT' } }, 'other failures stay JSON')
  t.match(await server.post('/nowhere', {}, { headers: { accept } }), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })

  t.match((await server.get('/nowhere', { headers: { accept: 'application/json;q=0.5, text/html;level=1' } })).headers.get('content-type'), 'text/html')

  const { status, text, headers } = await server.get('/getRankss<b>', { headers: { accept } })
  t.equal(status, 404)
  t.same(['content-type', 'cache-control', 'x-frame-options', 'cross-origin-resource-policy'].map((name) => headers.get(name)), ['text/html; charset=utf-8', 'no-store', 'DENY', 'same-origin'])
  t.match(headers.get('content-security-policy'), "script-src 'self'")
  t.match(headers.get('x-request-id'), /./)
  t.notMatch(text, /Rankss|<b>|\{\{|<!--/)
  t.notMatch(text, 'href="./docs"', 'no link to what is switched off')
  t.match((await server.get('/guide/', { headers: { accept } })).text, /not built into this relay|<title>/)
  const head = await server.get('/nowhere', { method: 'HEAD', headers: { accept } })
  t.same([head.status, head.text], [404, ''])
})
