/** Swagger UI and the documentation site (`npm run site` builds it; .ci/run does) in a real browser. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { guideFolder, hasGuide } from '../../src/edge/files.ts'
import { browserFor, pageTest, withoutBrowser } from '../support/browser.ts'
import { endpoints } from '../support/helper.ts'
import { whole } from '../support/whole.ts'

const open = browserFor(t)
// A busy machine takes minutes for all operations.
const onPage = pageTest(open, withoutBrowser, 500_000)
const onGuide = pageTest(
  open,
  withoutBrowser !== false ? withoutBrowser : hasGuide(guideFolder()) ? false : 'the site is not built (npm run site)'
)
const wide = { viewport: { width: 1280, height: 900 } }

interface Operation {
  readonly operationId: string
  readonly tags: string[]
  readonly responses: Readonly<Record<string, unknown>>
}
interface Document { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

onPage('operations are grouped, and can be tried, on a plain http name', [
  '/docs', { host: 'relay.test', options: { docs: true }, look: wide }
], async ({ t, server, page }) => {
  page.setDefaultTimeout(30_000)
  const document = (await server.get('/docs/json')).body as Document
  await page.locator('.opblock-tag').first().waitFor()

  const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods)
    .map(([method, operation]) => ({ path, method, ...operation })))
  const names = [...new Set(operations.flatMap(({ tags }) => tags))]
  t.same([
    await page.locator('.opblock-tag').count(), await page.locator('.opblock').count()
  ], [names.length, 0], 'a group is opened by who wants it')
  const wantsLogin = new Map(Object.values(endpoints).map(({ path, login }) => [path, login === 'required']))
  // Only one tag is open at a time: at each press the page draws again all that it shows.
  const turn = async (tag: string): Promise<void> => {
    await page.locator(`#operations-tag-${tag}`).dispatchEvent('click')
  }
  // The policy of the page keeps it from following a redirect to a file elsewhere.
  const leading = Object.values(endpoints)
    .filter(({ envelope }) => envelope.delivers !== undefined).map(({ path }) => path)
  t.same(leading, ['/stream', '/cover'])
  for (const name of names) {
    await turn(name)
    const own = operations.filter(({ tags }) => tags.includes(name))
    await page.locator('.opblock').first().waitFor()
    t.equal(await page.locator('.opblock').count(), own.length, name)
    // One of each kind of input tells whether the page can send it; nightly all are tried.
    const kindOf = ({ method, path }: typeof own[number]): string => `${method} ${path.includes('{')}`
    const tried = whole ? own : own.filter((one, at) => own.findIndex((other) => kindOf(other) === kindOf(one)) === at)
    for (const { path, method, operationId, responses } of tried.filter(
      ({ path }) => !leading.some((begin) => path.startsWith(begin))
    )) {
      const block = page.locator(`#operations-${name}-${operationId}`)
      // Events instead of clicks: fifty times waiting until nothing moves is what takes long.
      const press = async (part: string): Promise<void> => { await block.locator(part).dispatchEvent('click') }
      await press('.opblock-summary-control')
      await press('.try-out__btn')
      const [answer] = await Promise.all([
        page.waitForResponse((response) => new URL(response.url()).pathname
          .startsWith(`${path.replace(/\{.*/, '')}`) && response.request().method() === method.toUpperCase()),
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
}, /status of 401/)

onPage('the page asks where it was loaded from, whatever the relay believes its address to be', [
  '/docs#/charts/getRanks', { options: { docs: true, publicOrigin: 'https://elsewhere.example/relay' } }
], async ({ t, page }) => {
  page.setDefaultTimeout(30_000)
  const block = page.locator('#operations-charts-getRanks')
  await block.locator('.try-out__btn').dispatchEvent('click')
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === '/getRanks'),
    block.locator('.execute').dispatchEvent('click')
  ])
  t.equal(answer.status(), 200)
  t.equal(new URL(answer.url()).origin, new URL(page.url()).origin)
})

for (const colorScheme of ['light', 'dark'] as const) {
  onPage(`nothing keeps readers out: no critical or serious finding of axe, ${colorScheme}`, [
    '/docs#/music/batchGetSongInfo', { options: { docs: true }, look: { ...wide, colorScheme, bypassCSP: true } }
  ], async ({ t, page }) => {
    page.setDefaultTimeout(60_000)
    await page.locator('.try-out__btn').waitFor()
    await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8'))
    const findings = async (): Promise<unknown> => await page.evaluate('axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.filter(({ impact }) => /critical|serious/.test(impact)).map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]))')
    t.same(await findings(), [])
    await page.locator('.try-out__btn').dispatchEvent('click')
    await page.locator('.execute').dispatchEvent('click')
    await page.locator('.live-responses-table').waitFor()
    t.same(await findings(), [], 'with an answer')
    await page.locator('.btn.authorize').dispatchEvent('click')
    await page.locator('.auth-container').first().waitFor()
    t.same(await findings(), [], 'with the dialog')
  })
}

const token = 'open-sesame'
const asOperator = { ...wide, httpCredentials: { username: 'me', password: token } }
onPage('what Authorize has is sent; a wrong token is refused; the curl line works in a shell', [
  '/docs#/charts/getRanks', { options: { docs: true, accessToken: token }, look: asOperator }
], async ({ t, page }) => {
  page.setDefaultTimeout(60_000)
  const block = page.locator('#operations-charts-getRanks')
  const press = async (part: string): Promise<void> => { await page.locator(part).first().dispatchEvent('click') }
  const execute = async (value: string): Promise<number> => {
    await press('.btn.authorize')
    const account = page.locator('.auth-container', { hasText: 'Bearer' })
    const [field, logout] = [account.locator('input'), account.getByRole('button', { name: 'Logout' })]
    if (await logout.count() > 0) await logout.dispatchEvent('click')
    await field.fill(value)
    await account.locator('button[type=submit]').dispatchEvent('click')
    await press('.close-modal')
    const [answer] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname === '/getRanks'), press('.execute')
    ])
    return answer.status()
  }
  await block.locator('.try-out__btn').dispatchEvent('click')
  t.equal(await execute('wrong'), 401)
  t.equal(await execute(token), 200)
  const line = await block.locator('.curl').filter({ hasText: token }).first().innerText()
  t.match(
    JSON.parse((await promisify(execFile)('bash', ['-c', line.replace('curl ', 'curl --silent ')])).stdout), { code: 0 }
  )
}, /status of 401/)

onPage('below a path prefix of a proxy requests go there, too', [
  '/docs', { options: { docs: true } }
], async ({ t, server, page, complaints }) => {
  page.setDefaultTimeout(60_000)
  const proxy = createServer((asked, answer) => {
    if (!asked.url?.startsWith('/relay/')) return void answer.writeHead(404).end()
    const { host: _, ...headers } = asked.headers
    asked.pipe(request(`${server.address}${asked.url.slice('/relay'.length)}`, {
      method: asked.method ?? 'GET', headers
    }, (got) => { got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers)) }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => { proxy.close().closeAllConnections() })
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/relay/docs#/charts/getRanks`)
  await page.locator('.try-out__btn').dispatchEvent('click')
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/getRanks')),
    page.locator('.execute').dispatchEvent('click')
  ])
  t.same([answer.status(), new URL(answer.url()).port, new URL(answer.url()).pathname], [
    200, String(port), '/relay/getRanks'
  ])
  // The proxy is another origin than the page that was opened first.
  complaints.splice(0, Infinity, ...complaints.filter((line) => !line.startsWith(`asks http://127.0.0.1:${port}/`)))
})

onPage('the page carries our name, opens the operation that a link names, and sends what is in the token field', [
  '/docs#/music/getLyric', { options: { docs: true }, look: wide }
], async ({ t, server, page, comeBack }) => {
  t.match(await page.title(), /music-relay/)
  t.equal(await page.getByRole('banner').getByText('music-relay').isVisible(), true)
  t.equal(await page.getByRole('link', { name: /swagger/i }).count(), 0)
  const block = page.locator('#operations-music-getLyric')
  await block.locator('.try-out__btn').waitFor()

  const field = page.getByLabel('Access token, or secret of an account')
  t.equal(await field.getAttribute('type'), 'password')
  await field.fill('mr_nobody')
  await page.getByRole('status').getByText('Sent with every request').waitFor()
  // By keyboard: on a busy machine the page of that many operations may take half a minute to draw twice in the same
  // place.
  await block.locator('.try-out__btn').press('Enter')
  const [asked] = await Promise.all([page.waitForRequest(/\/getLyric/), block.locator('.execute').press('Enter')])
  t.equal((await asked.allHeaders())['authorization'], 'Bearer mr_nobody')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length]'), [0, 0])
  await comeBack()
  await page.locator('.opblock').first().waitFor()
  t.equal(await field.inputValue(), '')
  t.notMatch(server.log.join(''), 'mr_nobody')
  await page.setViewportSize({ width: 320, height: 740 })
  t.ok(((await field.boundingBox())?.width ?? 999) <= 320)
}, /status of 401/)

onGuide('the search finds an endpoint by its name and by what it is for, without asking anybody else', ['/guide/', { look: wide, host: 'relay.test' }], async ({ t, page, server }) => {
  for (const [words, name] of [['getLyric', 'getLyric'], ['timestamped', 'getLyric'], ['suggestions while typing', 'getSmartbox']] as const) {
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('.search-input').fill(words)
    await page.locator('.result').filter({ hasText: name }).first().click()
    await page.getByRole('heading', { level: 1 }).filter({ hasText: name }).waitFor()
    t.match(page.url(), `/guide/endpoints/${name}`, words)
  }
  await page.reload()
  await page.locator('main', { hasText: "curl 'http://localhost:3200/getSmartbox?key=paper'" }).waitFor()
  const colour = async (): Promise<unknown> => await page.evaluate('[...new Set([...document.querySelectorAll(".shiki span[class^=c]")].map((part) => getComputedStyle(part).color))].length')
  t.ok(Number(await colour()) > 2, 'blocks have colours')
  // The switch is drawn before its script runs.
  do await page.locator('.VPSwitchAppearance').first().click()
  while (await page.locator('html.dark').count() === 0)
  for (const name of ['vue', 'vitepress', 'minisearch']) t.match(
    await (await fetch(`${server.address}/guide/third-party-licences.txt`)).text(),
    new RegExp(`^(@vue/)?${name}\\S* \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'), `the licence of ${name}`
  )
})

onGuide('the switch of the language leads to the same page, or to the first one where there is none; Chinese words are found', ['/guide/endpoints/getLyric', { look: wide }], async ({ t, page, server }) => {
  const change = async (): Promise<void> => {
    await page.locator('.VPNavBarTranslations button').hover()
    await page.locator('.VPNavBarTranslations .menu a').click()
  }
  const reads = async (text: string): Promise<void> => {
    await page.getByRole('heading').filter({ hasText: text }).first().waitFor()
  }
  await change()
  await page.waitForURL(`${server.address}/guide/zh/endpoints/getLyric`)
  await reads('参数')
  await change()
  await page.waitForURL(`${server.address}/guide/endpoints/getLyric`)
  await page.goto(`${server.address}/guide/decisions`)
  await reads('Decisions')
  await change()
  await page.waitForURL(`${server.address}/guide/zh/`)
  await page.locator('html[lang="zh-CN"]').waitFor()
  await page.locator('.VPNavBarSearch button').click()
  await page.locator('.search-input').fill('播放器')
  await page.locator('.result').first().waitFor()
  t.match(await page.locator('.result').first().getAttribute('href'), /^\/guide\/zh\//)
})

onGuide('the search finds what people type on the page that answers it; the changelog and the decisions come last', ['/guide/', { look: wide }], async ({ t, page, server }) => {
  const hits = async (path: string, words: string): Promise<string[]> => {
    await page.evaluate('sessionStorage.clear()') // it shows what was found before until it has found something else
    await page.goto(`${server.address}/guide/${path}`)
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('.search-input').fill(words)
    await page.locator('.result').first().waitFor()
    return await page.locator('.result').evaluateAll((results) =>
      results.map((result) => (result as { getAttribute (name: string): string }).getAttribute('href')))
  }
  for (const [path, words, answer] of [
    ['', 'rate limit', /\/(configuration|guides\/when-something-fails)#rate-limit/],
    ['', 'cookie expired', /\/guides\/when-something-fails#cookie-expired/],
    ['zh/', '限流', /\/zh\/(configuration|guides\/when-something-fails)#/],
    ['zh/', '歌词', /\/zh\/(endpoints\/(getLyric|#)|getting-started#)/]
  ] as const) {
    const found = await hits(path, words)
    t.ok(found.slice(0, 3).some((link) => answer.test(link)), `${words}: ${found.slice(0, 5).join(' ')}`)
    t.same(found.slice(0, 5).filter((link) => /\/(changelog|decisions)/.test(link)), [], words)
  }
})

onGuide('on a phone nothing is wider than the screen, and the menu opens', [
  '/guide/', { look: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } }
], async ({ t, page, server }) => {
  for (const path of ['', 'reference', 'endpoints/', 'endpoints/batchGetSongInfo', 'configuration', 'zh/', 'zh/endpoints/getLyric']) {
    await page.goto(`${server.address}/guide/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
  }
  await page.locator('html.dark').waitFor()
  await page.locator('.VPLocalNav button.menu').click()
  await page.locator('.VPSidebar a').filter({ hasText: /^getRanks$/ }).click()
  await page.waitForURL(`${server.address}/guide/zh/endpoints/getRanks`)
})

onGuide('"About this relay" and /docs lead there', [
  '/', { options: { docs: true }, media: true }
], async ({ t, page, server }) => {
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  for (const path of ['/#/about', '/docs', '/docs/']) {
    await page.goto(`${server.address}${path}`)
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.waitForURL(`${server.address}/guide/`)
  }
})
