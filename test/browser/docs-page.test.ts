/** Swagger UI in a real browser: every operation opens and runs its example on the demo upstream. */
import t from 'tap'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import { demoFor, endpoints, serverFor } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'

const open = browserFor(t)

interface Operation { readonly operationId: string, readonly tags: string[], readonly responses: Readonly<Record<string, unknown>> }
interface Document { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

t.test('behind a proxy that has the relay under a path of its own, the page finds its parts', async (t) => {
  const server = await serverFor(t, await demoFor(t), { docs: true })
  for (const page of ['/docs', '/docs/']) {
    const html = await (await fetch(`${server.address}${page}`)).text()
    const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => new URL(link ?? '', `http://proxy.example/music${page}`))
    t.ok(links.length > 5, page)
    for (const { pathname } of links) {
      t.match(pathname, /^\/music\/docs\/static\//)
      t.equal((await fetch(`${server.address}${pathname.replace('/music', '')}`)).status, 200, pathname)
    }
  }
})

t.test('a request with a body that nobody reads is the last on its connection', async (t) => {
  const server = await serverFor(t, await demoFor(t), { docs: true })
  const { answers, closed } = await exchange(server.address, requestText('GET /docs/static/index.css HTTP/1.1', ['Content-Length: 5'], 'hello') + requestText('GET /health/live HTTP/1.1'))
  t.same([answers.map(({ status, headers }) => [status, headers.get('connection')]), closed], [[[200, 'close']], true])
})

t.test('every operation can be tried, on a plain http name', { skip: withoutBrowser }, async (t) => {
  const { server, page, complaints } = await open(t, '/docs', { host: 'relay.test', options: { docs: true }, look: { viewport: { width: 1200, height: 900 } } })
  page.setDefaultTimeout(30_000)
  const document = (await server.get('/docs/json')).body as Document
  await page.locator('.opblock').first().waitFor()

  const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })))
  t.equal(await page.locator('.opblock').count(), operations.length)
  const wantsLogin = new Map(Object.values(endpoints).map(({ path, login }) => [path, login === 'required']))
  // Only one tag is open at a time: at each press the page draws again all that it shows.
  const turn = async (tag: string): Promise<void> => { await page.locator(`#operations-tag-${tag}`).dispatchEvent('click') }
  // The policy of the page keeps it from following a redirect to a file elsewhere.
  const leading = Object.values(endpoints).filter(({ envelope }) => envelope.delivers !== undefined).map(({ path }) => path)
  t.same(leading, ['/stream', '/cover'])
  const names = [...new Set(operations.flatMap(({ tags }) => tags))]
  for (const name of names) await turn(name)
  for (const name of names) {
    await turn(name)
    for (const { path, method, operationId, responses } of operations.filter(({ tags, path }) => tags.includes(name) && !leading.some((own) => path.startsWith(own)))) {
      const block = page.locator(`#operations-${name}-${operationId}`)
      // Events instead of clicks: fifty times waiting until nothing moves is what takes long.
      const press = async (part: string): Promise<void> => { await block.locator(part).dispatchEvent('click') }
      await press('.opblock-summary-control')
      await press('.try-out__btn')
      const [answer] = await Promise.all([
        page.waitForResponse((response) => new URL(response.url()).pathname.startsWith(`${path.replace(/\{.*/, '')}`) && response.request().method() === method.toUpperCase()),
        press('.execute')
      ])
      const status = await block.locator('.live-responses-table .response .response-col_status').first().textContent() ?? ''
      t.match(status, new RegExp(`^${wantsLogin.get(path) === true ? 401 : 200}`), `${operationId} answers ${status}`)
      t.ok(Object.hasOwn(responses, String(answer.status())), `${operationId} documents ${answer.status()}`)
      await press('.opblock-summary-control')
    }
    await turn(name)
  }
  // The browser itself logs every 401.
  t.same(complaints.filter((line) => !/status of 401/.test(line)), [])
})

t.test('the page asks where it was loaded from, whatever the relay believes its address to be', { skip: withoutBrowser }, async (t) => {
  const { page } = await open(t, '/docs', { options: { docs: true, publicOrigin: 'https://elsewhere.example/relay' } })
  page.setDefaultTimeout(30_000)
  const block = page.locator('#operations-charts-getRanks')
  await block.locator('.opblock-summary-control').dispatchEvent('click')
  await block.locator('.try-out__btn').dispatchEvent('click')
  const [answer] = await Promise.all([page.waitForResponse((response) => new URL(response.url()).pathname === '/getRanks'), block.locator('.execute').dispatchEvent('click')])
  t.equal(answer.status(), 200)
  t.equal(new URL(answer.url()).origin, new URL(page.url()).origin)
})

t.test('the page carries our name, opens the operation that a link names, and sends what is in the token field', { skip: withoutBrowser }, async (t) => {
  const { server, page, complaints } = await open(t, '/docs#/music/getLyric', { options: { docs: true }, look: { viewport: { width: 1200, height: 900 } } })
  t.match(await page.title(), /music-relay/)
  t.equal(await page.getByRole('banner').getByText('music-relay').isVisible(), true)
  t.equal(await page.getByRole('link', { name: /swagger/i }).count(), 0)
  const block = page.locator('#operations-music-getLyric')
  await block.locator('.try-out__btn').waitFor()

  const field = page.getByLabel('Access token, or secret of an account')
  t.equal(await field.getAttribute('type'), 'password')
  await field.fill('mr_nobody')
  await page.getByRole('status').getByText('Sent with every request').waitFor()
  // By keyboard: on a busy machine the page of that many operations may take half a minute to draw twice in the same place.
  await block.locator('.try-out__btn').press('Enter')
  const [asked] = await Promise.all([page.waitForRequest(/\/getLyric/), block.locator('.execute').press('Enter')])
  t.equal((await asked.allHeaders())['authorization'], 'Bearer mr_nobody')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length]'), [0, 0])
  await page.goto('about:blank')
  await page.goBack()
  await page.locator('.opblock').first().waitFor()
  t.equal(await field.inputValue(), '')
  t.notMatch(server.log.join(''), 'mr_nobody')
  await page.setViewportSize({ width: 320, height: 740 })
  t.ok(((await field.boundingBox())?.width ?? 999) <= 320)
  t.same(complaints.filter((line) => !/status of 401/.test(line)), [])
})
