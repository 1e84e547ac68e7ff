/**
 * Writes docs/pictures/*.png, the pictures of READMEs and guide: the page in front of the demo, as Chromium shows it
 * (CHROMIUM names one elsewhere), with the version of the relay in each. Needs a font with Chinese characters. `npm run
 * release` runs it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { buildApp } from '../../src/app.ts'
import { version } from '../../src/common/version.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'

const phone = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true }

/** File, window, and what the person does on it. */
const pictures: ReadonlyArray<readonly [string, BrowserContextOptions, (page: Page) => Promise<void>]> = [
  ['player.png', { viewport: { width: 1200, height: 760 } }, async (page) => { await playAlbum(page) }],
  ['lyric.png', { viewport: { width: 1200, height: 760 }, colorScheme: 'dark' }, async (page) => {
    await showLyric(page)
  }],
  ['phone.png', phone, async (page) => { await showLyric(page) }]
]

/** Plays the first song of an album, up to its first sung line. */
async function playAlbum (page: Page): Promise<void> {
  await page.goto(new URL('#/album/00DemoAlbu0001', page.url()).href)
  await page.locator('#view .song .name').first().click()
  await page.locator('#seek:enabled').fill('31')
  await page.locator('#seek').blur()
  await page.locator('.head img').waitFor()
  await shown(page)
}

async function showLyric (page: Page): Promise<void> {
  await playAlbum(page)
  await page.keyboard.press('l')
  await page.locator('#lyric [aria-current]').waitFor()
  await page.locator('.sleeve img').waitFor()
  await shown(page)
}

/** Resolves once every picture that is in sight is there. The network never rests while a song plays. */
async function shown (page: Page): Promise<void> {
  await page.waitForFunction('[...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)')
}

/** Returns a PNG with the version in a text after its header, which has 33 bytes. */
function marked (png: Buffer): Buffer {
  const text = Buffer.from(`tEXtSoftware\0music-relay ${version}`, 'latin1')
  const chunk = Buffer.alloc(text.length + 8)
  chunk.writeUInt32BE(text.length - 4)
  text.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(text), text.length + 4)
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
mkdirSync(folder, { recursive: true })
const demo = await startDemoUpstream()
const app = await buildApp({ logLevel: 'silent', demo: true, upstreamOrigin: demo.origin, imageOrigin: demo.origin })
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox']
})
try {
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const [file, window, act] of pictures) {
    const page = await browser.newPage({ ...window, locale: 'en', reducedMotion: 'reduce' })
    await page.goto(address)
    await act(page)
    await page.screenshot({ path: folder + file, animations: 'disabled' })
    writeFileSync(folder + file, marked(readFileSync(folder + file)))
    await page.close()
  }
} finally {
  await browser.close()
  await app.close()
  await demo.close()
}
