/** The documentation site in a real browser. `npm run site` builds it; .ci/run does. */
import t from 'tap'
import { guideFolder, hasGuide } from '../../src/plugins/guide.ts'
import { browserFor, withoutBrowser } from '../support/browser.ts'

const skip = withoutBrowser !== false ? withoutBrowser : hasGuide(guideFolder()) ? false : 'the site is not built (npm run site)'
const open = browserFor(t)
const wide = { viewport: { width: 1280, height: 900 } }

t.test('the search finds an endpoint by its name and by what it is for, without asking anybody else', { skip }, async (t) => {
  const { page, server, complaints } = await open(t, '/guide/', { look: wide, host: 'relay.test' })
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
  await page.locator('.VPSwitchAppearance').first().click()
  await page.locator('html.dark').waitFor()
  t.same(complaints, [])
  for (const name of ['vue', 'vitepress', 'minisearch']) t.match(await (await fetch(`${server.address}/guide/third-party-licences.txt`)).text(), new RegExp(`^(@vue/)?${name}\\S* \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'), `the licence of ${name}`)
})

t.test('the switch of the language leads to the same page, or to the first one where there is none; Chinese words are found', { skip }, async (t) => {
  const { page, server, complaints } = await open(t, '/guide/endpoints/getLyric', { look: wide })
  const change = async (): Promise<void> => {
    await page.locator('.VPNavBarTranslations button').hover()
    await page.locator('.VPNavBarTranslations .menu a').click()
  }
  const reads = async (text: string): Promise<void> => { await page.getByRole('heading').filter({ hasText: text }).first().waitFor() }
  await change()
  await page.waitForURL(`${server.address}/guide/zh/endpoints/getLyric`)
  await reads('参数')
  await change()
  await page.waitForURL(`${server.address}/guide/endpoints/getLyric`)
  await page.goto(`${server.address}/guide/decisions/0001-one-validator`)
  await reads('One validator')
  await change()
  await page.waitForURL(`${server.address}/guide/zh/`)
  await page.locator('html[lang="zh-CN"]').waitFor()
  await page.locator('.VPNavBarSearch button').click()
  await page.locator('.search-input').fill('播放器')
  await page.locator('.result').first().waitFor()
  t.match(await page.locator('.result').first().getAttribute('href'), /^\/guide\/zh\//)
  t.same(complaints, [])
})

t.test('on a phone nothing is wider than the screen, and the menu opens', { skip }, async (t) => {
  const { page, server, complaints } = await open(t, '/guide/', { look: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } })
  for (const path of ['', 'reference', 'endpoints/', 'endpoints/batchGetSongInfo', 'configuration', 'zh/', 'zh/endpoints/getLyric']) {
    await page.goto(`${server.address}/guide/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
  }
  await page.locator('html.dark').waitFor()
  await page.locator('.VPLocalNav button.menu').click()
  await page.locator('.VPSidebar a').filter({ hasText: /^getRanks$/ }).click()
  await page.waitForURL(`${server.address}/guide/zh/endpoints/getRanks`)
  t.same(complaints, [])
})

t.test('the front page and /docs lead there', { skip }, async (t) => {
  const { page, server, complaints } = await open(t, '/', { options: { docs: true }, media: true })
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  for (const path of ['/', '/docs', '/docs/']) {
    await page.goto(`${server.address}${path}`)
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.waitForURL(`${server.address}/guide/`)
  }
  t.same(complaints, [])
})
