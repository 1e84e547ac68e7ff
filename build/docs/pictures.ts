/**
 * Writes docs/pictures/*.png, the pictures of the READMEs: the front page in front of the demo, as Chromium shows it (CHROMIUM names one
 * elsewhere). Needs a font with Chinese characters. Run it when the page looks different: npm run pictures
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { buildApp } from '../../src/app.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'

/** File, window, and what the person does on it. */
const pictures: ReadonlyArray<readonly [string, BrowserContextOptions, (page: Page) => Promise<void>]> = [
  ['player.png', { viewport: { width: 1200, height: 760 } }, playLantern],
  ['phone.png', { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true }, async (page) => {
    await playLantern(page)
    await page.locator('#more').click()
  }]
]

/** Plays the first song that is found, up to its first sung line. */
async function playLantern (page: Page): Promise<void> {
  await page.locator('#hot button').first().click()
  await page.locator('#list .song').first().click()
  await page.locator('#seek:enabled').fill('31')
  await page.locator('#lyric [aria-current]').waitFor({ state: 'attached' })
  await page.locator('#cover:visible').waitFor()
  await page.waitForLoadState('networkidle')
}

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
mkdirSync(folder, { recursive: true })
const demo = await startDemoUpstream()
const app = await buildApp({ logLevel: 'silent', demo: true, upstreamOrigin: demo.origin, imageOrigin: demo.origin })
const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const [file, window, act] of pictures) {
    const page = await browser.newPage({ ...window, locale: 'en', reducedMotion: 'reduce' })
    await page.goto(address)
    await act(page)
    await page.screenshot({ path: folder + file, animations: 'disabled' })
    await page.close()
  }
} finally {
  await browser.close()
  await app.close()
  await demo.close()
}
