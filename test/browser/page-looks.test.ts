/** How the page looks and what it weighs: axe on every view, light and dark, phone and desktop; no outside request; the shell without the relay. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserFor, looksOf, pageTest, withoutBrowser, type VisitOptions } from '../support/browser.ts'
import { cookieOf } from '../support/helper.ts'
import { sampleOf } from '../support/whole.ts'

const open = browserFor(t)
const onPage = pageTest(async (t: Test, path: string, { options, ...rest }: VisitOptions) => await open(
  t, path, { options: { demo: true, docs: true, ...options }, media: true, ...rest }
), withoutBrowser, 600_000)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every view, each with what is there when it is loaded. */
const views = [
  ['', '.song'], ['search?key=paper', '.song'], ['search?key=paper&type=album', '.card'], ['search?key=paper&type=singer', '.card'], ['search?key=paper&type=mv', '.card'], ['search?key=paper&type=lyric', '.found'], ['search?key=qqqzzz', '.empty'],
  ['album/00DemoAlbu0001', '.song'], ['singer/00DemoSing0001', '.song'], ['singer/00DemoSing0001/albums', '.card'], ['singer/00DemoSing0001/mvs', '.card'], ['singer/00DemoSing0001/about', '.basics'], ['playlist/7700000001', '.song'],
  ['charts', '.chart'], ['chart/3', '.song'], ['radio', '.card'], ['radio/199', '.song'], ['mvs', '.card'], ['mv/demoV000004', 'video'], ['comments/song/00DemoSong0001', '.comments li'], ['song/00DemoSong0005', '.part'], ['albums', '.card'], ['playlists', '.card'],
  ['mine', '.song'], ['mine/playlists', '.card'], ['mine/collected', '.card'], ['mine/albums', '.card'], ['mine/singers', '.card'], ['mine/daily', '.song'], ['mine/recommended', '.song'],
  ['queue', '.song'], ['lyric', '#lyric'], ['about', '#health'], ['nowhere', 'h1']
] as const

/** Resolves with what axe finds: rule, and the first element. */
async function findings (page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate("axe.run({ rules: { 'target-size': { enabled: true } } })") as {
    violations: { id: string, nodes: { html: string, failureSummary: string }[] }[]
  }
  return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html.slice(0, 200)} ${node?.failureSummary.slice(0, 200)}`)
}

// axe takes most of the time: the gate asks it once about each view, and in other looks about a third of them.
for (const [width, colorScheme, some] of [
  [1200, 'light', views], [390, 'dark', sampleOf(views, 3)], [320, 'light', views],
  [1200, 'dark', sampleOf(views, 3, 1)]
] as const) {
  const isWhole = width !== 320
  onPage(`axe finds nothing on any view at ${width} px, ${colorScheme}, and nothing is wider than the window`, [
    '/#/album/00DemoAlbu0001', { look: { viewport: { width, height: 760 }, colorScheme } }
  ], async ({ t, demo, page, useCookie, plays }) => {
    await useCookie(cookieOf(demo, 'member'))
    await page.locator('#view .song .name').first().click()
    await plays()
    for (const [address, part] of some) {
      await page.evaluate(`location.hash = '#/${address}'`)
      await page.locator(`#view ${part}`).first().waitFor()
      if (isWhole) t.same(await findings(page), [], address)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), address)
    }
    await page.locator('.person a').click()
    await page.locator('#done').waitFor()
    t.same(await findings(page), [], 'who is logged in')
    await page.locator('#leave').click()
    await page.locator('#scan #picture').waitFor()
    t.same(await findings(page), [], 'the scan')
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    t.same(await findings(page), [], 'the keys')
  })
}

for (const { name, visit: look, readable } of looksOf([320, 'dark'], [1200, 'light'])) {
  onPage(`at ${name} a refusal and a lyric can be read, behind Basic`, ['/', look], async (
    { t, page, says, search, choose, plays, press }
  ) => {
    await search('Velvet Toll')
    await choose('Velvet Toll')
    await says('cannot be played')
    await readable(t, page, ['#reason', '#hint', '#part'])
    await search('First Light')
    await choose('First Light')
    await plays()
    if (await page.getByRole('button', { name: 'More controls' }).isVisible()) await press('More controls')
    await readable(t, page, ['#top nav a', '#language', '#at', '#file', '.song[aria-current] .name', '.song[aria-current] .singers a', '.tail', '#singers', '.foot a'])
    await press('Lyric')
    await page.locator('#lyric [aria-current]').waitFor()
    await readable(t, page, ['#lyric li:not([aria-current])', '#lyric li[aria-current]'])
  }, /401/)
}

onPage('script and style sheet are one file each, for good, and 60 KB together at most; the first paint waits for no answer of the upstream, and its answers move little', ['/health/live', {}], async ({ t, page, server }) => {
  let answer = (): void => {}
  const waiting = new Promise<void>((resolve) => { answer = resolve })
  await page.route(/getRecommend|getHotkey|getRadioLists/, async (route) => {
    await waiting
    await route.continue()
  })
  await page.goto(`${server.address}/`)
  await page.getByRole('heading', { name: 'Listen' }).waitFor()
  t.ok(await page.getByRole('searchbox').isVisible())
  await page.evaluate("window.shift = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shift += value }).observe({ type: 'layout-shift', buffered: true })")
  answer()
  await page.locator('#view .song').first().waitFor()
  t.ok(await page.evaluate<number>('window.shift') < 0.1, 'what comes later moves little')
  const loaded = await page.evaluate<{ name: string, encodedBodySize: number, initiatorType: string }[]>(
    "performance.getEntriesByType('resource').map(({ name, encodedBodySize, initiatorType }) => ({ name, encodedBodySize, initiatorType }))"
  )
  const files = loaded.filter(({ name }) => /\.(?:js|css)$/.test(name) && !name.endsWith('/sw.js'))
  t.match(files.map(({ name }) => new URL(name).pathname).toSorted(), [
    /^\/page\/app-[A-Z0-9]{8}\.js$/, /^\/page\/style-[A-Z0-9]{8}\.css$/
  ])
  t.equal(files.length, 2)
  const weight = files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  t.ok(weight > 10_000 && weight <= 60 * 1024, `${weight} bytes`)
  for (const { name } of files) {
    t.match((await server.get(new URL(name).pathname)).headers.get('cache-control'), 'immutable')
  }
})

onPage('the page can be installed, and without the relay its shell says that it cannot be reached', [
  '/', { host: 'localhost', look: { serviceWorkers: 'allow' } }
], async ({ t, page, holds }) => {
  const manifest = await (await fetch(new URL('/page/manifest.webmanifest', page.url())))
    .json() as { start_url: string, icons: { src: string, type: string, sizes: string }[] }
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(new URL(`/page/${src}`, page.url()))
    t.same([icon.status, icon.headers.get('content-type')], [200, type], src)
  }
  t.equal(new URL(manifest.start_url, new URL('/page/', page.url())).pathname, '/')
  await holds("navigator.serviceWorker.controller !== null")
  await page.context().setOffline(true)
  await page.goto(new URL('/#/charts', page.url()).href)
  await page.reload()
  await page.getByText('The relay cannot be reached.').first().waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  t.notMatch(await page.evaluate('(async () => (await (await caches.open("music-relay shell")).keys()).map(({ url }) => url).join())()'), /get|user|account/, 'no answer is kept')
}, /Failed to load resource|ERR_/)
