/**
 * The widgets of blogs, as they are published: MetingJS with APlayer in a real browser, in the page of the guide and in
 * one that Hexo makes. Pages are on another site than the relay, as blogs are.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
// @ts-expect-error plain script, used outside of the suite too
import { blocksOf, readPage, root } from '../docs/blocks.js'
import { launch, patienceMs, withoutBrowser } from '../support/browser.ts'
import { cookieOf, demoFor, serverOnWire, song } from '../support/helper.ts'

const folder = root as string
const types: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' }
const widget: Readonly<Record<string, string>> = {
  '/APlayer.min.js': 'node_modules/aplayer/dist/APlayer.min.js', '/APlayer.min.css': 'node_modules/aplayer/dist/APlayer.min.css', '/Meting.min.js': 'node_modules/meting/dist/Meting.min.js'
}
/** The page of the guide. */
const guide = (blocksOf(readPage('docs/guides/blog.md')) as { file?: string, code: string }[])
  .find(({ file }) => file === 'index.html')?.code ?? ''
const usual = '<meting-js server="tencent" type="playlist" id="7700000001" list-folded="true"></meting-js>'

let browser: Promise<Browser> | undefined
t.teardown(async () => { await (await browser)?.close() })

/** A web server that knows these files. Returns its origin, on a site of its own. */
async function blogOf (t: Test, fileOf: (path: string) => string | Buffer | undefined): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const path = url.endsWith('/') ? `${url}index.html` : url
    const text = fileOf(path)
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' })
      .end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  return `http://blog.test:${(server.address() as AddressInfo).port}`
}

interface Opened { readonly page: Page, readonly demo: Awaited<ReturnType<typeof demoFor>>, readonly origin: string }

/** Opens the page of a blog in front of a relay. `pageOf`: its files, for the address of the relay. `account`: whether the relay has one that the blog may use. */
async function open (
  t: Test, pageOf: (address: string) => (path: string) => string | Buffer | undefined,
  { path = '/', account }: { path?: string, account?: 'listed' | 'not listed' } = {}
): Promise<Opened> {
  const demo = await demoFor(t)
  let files: ((path: string) => string | Buffer | undefined) | undefined
  const origin = await blogOf(t, (path) => files?.(path))
  const options: AppOptions = { meting: true, cache: true, ...(account === undefined ? {} : {
    useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'ordinary'),
    corsOrigins: [account === 'listed' ? origin : 'https://other.example']
  }) }
  const { address } = await serverOnWire(t, demo, options)
  files = pageOf(address)
  browser ??= launch('--autoplay-policy=no-user-gesture-required', '--mute-audio')
  const own = await (await browser).newContext()
  own.setDefaultTimeout(patienceMs)
  t.teardown(async () => { await own.close() })
  const page = await own.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${origin}${path}`)
  return { page, demo, origin }
}

/** The page of the guide with another widget in the place of its own. */
const withWidget = (element = usual) => (address: string) => (path: string): string | Buffer | undefined => {
  if (path === '/index.html') return guide.replace(usual, element).replaceAll('http://localhost:3200', address)
  return widget[path] === undefined ? undefined : readFileSync(join(folder, widget[path]))
}

/** The player of MetingJS 2, as expressions in the page. */
const player = 'document.querySelector("meting-js").aplayer'
const ready = async (page: Page): Promise<void> => { await page.waitForFunction(`${player}?.list.audios.length > 0`) }
const names = async (page: Page): Promise<string[]> => await page.evaluate(`${player}.list.audios.map(({ name }) => name)`)
const plays = async (page: Page, of = player): Promise<void> => {
  await page.evaluate(`void ${of}.play()`)
  await page.waitForFunction(`${of}.audio.currentTime > 0.3`)
}

t.test('the page of the guide plays a playlist: sound, cover and lyric', { skip: withoutBrowser }, async (t) => {
  t.ok(guide.includes(usual))
  const { page } = await open(t, withWidget())
  await ready(page)
  t.equal((await names(page)).length, 55)
  const free = await page.evaluate(`${player}.list.audios.findIndex(({ url }) => url.includes('00DemoSong0001'))`)
  await page.evaluate(`${player}.list.switch(${free === -1 ? 0 : free})`)
  await plays(page)
  const cover = await page.evaluate('getComputedStyle(document.querySelector(".aplayer-pic")).backgroundImage') as string
  t.match(cover, /type=pic/)
  const picture = await page.evaluate(`new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = reject; image.src = ${JSON.stringify(cover.slice(5, -2))} })`)
  t.ok(Number(picture) > 10, 'the cover is a picture')
  await page.waitForFunction('document.querySelectorAll(".aplayer-lrc-contents p").length > 3')
})

t.test('an album, a search, a singer and a link of the music service', { skip: withoutBrowser }, async (t) => {
  for (const [element, count, first] of [
    ['<meting-js server="tencent" type="album" id="00DemoAlbu0001"></meting-js>', 10, 'First Light'],
    ['<meting-js server="tencent" type="search" id="First Light"></meting-js>', undefined, 'First Light'],
    ['<meting-js server="tencent" type="artist" id="00DemoSing0001"></meting-js>', 50, undefined],
    [`<meting-js auto="https://y.qq.com/n/yqq/song/${song(1)}.html"></meting-js>`, 1, 'First Light'],
    ['<meting-js auto="https://y.qq.com/n/ryqq/playlist/7700000001.html"></meting-js>', 55, undefined]
  ] as const) {
    const { page } = await open(t, withWidget(element))
    await ready(page)
    const found = await names(page)
    if (count !== undefined) t.equal(found.length, count, element)
    if (first !== undefined) t.equal(found[0], first, element)
  }
})

t.test('a lyric has its translation; a song that is refused is skipped', { skip: withoutBrowser }, async (t) => {
  const { page } = await open(t, withWidget('<meting-js server="tencent" type="album" id="00DemoAlbu0001"></meting-js>'))
  await ready(page)
  const [refused, next] = await page.evaluate(`(async () => {
    const statuses = await Promise.all(${player}.list.audios.map(async ({ url }) => (await fetch(url, { redirect: 'manual' })).type === 'opaqueredirect'))
    const at = statuses.findIndex((plays, index) => !plays && statuses[index + 1])
    return [at, at + 1]
  })()`) as [number, number]
  t.ok(refused >= 0, 'the album has a song that is refused before one that plays')
  await page.evaluate(`${player}.list.switch(${refused})`)
  await page.evaluate(`${player}.play()`)
  await page.waitForFunction(`${player}.list.index === ${next} && ${player}.audio.currentTime > 0.3`)
  const translated = await page.evaluate(`(async () => await (await fetch((await (await fetch(window.meting_api.replace(':server', 'tencent').replace(':type', 'song').replace(':id', '${song(5)}'))).json())[0].lrc)).text())()`)
  t.match(translated, /^\[\d\d:\d\d\.\d\d\].+ \(.+\)$/m)
})

t.test('a blog that is listed plays on the operator\'s account, another one does not', { skip: withoutBrowser }, async (t) => {
  const element = `<meting-js server="tencent" type="song" id="${song(2)}"></meting-js>`
  const listed = await open(t, withWidget(element), { account: 'listed' })
  await ready(listed.page)
  await plays(listed.page)
  const other = await open(t, withWidget(element), { account: 'not listed' })
  await ready(other.page)
  // The player may have tried it already.
  await other.page.evaluate(`void ${player}.play()`)
  await other.page.waitForFunction(`${player}.audio.error !== null`)
  t.equal(await other.page.evaluate(`${player}.audio.currentTime`), 0)
})

t.test('a page of another origin plays with nothing but an <audio> element', { skip: withoutBrowser }, async (t) => {
  const { page } = await open(t, (address) => (path) => path === '/index.html'
    ? `<!doctype html><audio controls></audio><script type="module">
        const [{ url }] = await (await fetch('${address}/meting?type=song&id=${song(1)}')).json()
        document.querySelector('audio').src = url
        await document.querySelector('audio').play()
      </script>`
    : undefined)
  await page.waitForFunction('document.querySelector("audio").currentTime > 0.3')
})

const hexo = fileURLToPath(new URL('../foreign/node_modules/hexo/bin/hexo', import.meta.url))
const withoutHexo = withoutBrowser === false && !existsSync(hexo)
  ? 'Hexo is not installed: npm ci --prefix test/foreign --ignore-scripts'
  : withoutBrowser

t.test('a post of Hexo with the tag of the guide plays', { skip: withoutHexo }, async (t) => {
  const blocks = blocksOf(readPage('docs/guides/blog.md')) as { lang: string, code: string }[]
  const config = blocks.find(({ lang, code }) => lang === 'yaml' && code.startsWith('aplayer:'))?.code ?? ''
  const tag = blocks.find(({ code }) => code.startsWith('{% meting'))?.code ?? ''
  const demo = await demoFor(t)
  const { address } = await serverOnWire(t, demo, { meting: true })
  const site = t.testdir({
    'package.json': '{"private":true,"hexo":{"version":""},"dependencies":{"hexo-tag-aplayer":"3.0.4"}}',
    'node_modules': t.fixture('symlink', fileURLToPath(new URL('../foreign/node_modules', import.meta.url))),
    '_config.yml': `title: My blog\nurl: http://blog.test\ntheme: plain\n${config.replace('http://localhost:3200', address)}\n`,
    'source': { _posts: { 'music.html': `---\ntitle: Music\ndate: 2026-01-01\npermalink: music/\n---\n${tag}\n` } },
    'themes': { plain: { layout: { 'post.njk': '<!doctype html><html><head><title>My blog</title></head><body>{{ page.content | safe }}</body></html>' } } }
  })
  const child = spawn(process.execPath, [hexo, 'generate'], { cwd: site, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8')
    .on('data', (text: string) => { said += text })
  const [code] = await once(child, 'close') as [number]
  t.equal(code, 0, said)
  const { page } = await open(
    t, () => (path) => existsSync(join(site, 'public', path)) ? readFileSync(join(site, 'public', path)) : undefined,
    { path: '/music/' }
  )
  // MetingJS 1 keeps its players in a variable of the page.
  await page.waitForFunction('typeof aplayers === "object" && aplayers[0]?.list.audios.length === 55')
  const free = await page.evaluate('aplayers[0].list.audios.findIndex(({ url }) => url.includes("00DemoSong0001"))')
  await page.evaluate(`aplayers[0].list.switch(${free === -1 ? 0 : free})`)
  await plays(page, 'aplayers[0]')
})
