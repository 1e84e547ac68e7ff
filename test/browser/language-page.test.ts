/** The pages in Chinese: chosen by the browser or by the person, complete, and for what goes wrong, too. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openSessions } from '../../src/accounts/sessions.ts'
import type { AppOptions } from '../../src/app.ts'
import { createLoginStorage } from '../../src/cli/storedAccounts.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { folderFor, keeperFor } from '../support/accountsHelper.ts'
import { browserFor, pageTest, withoutBrowser } from '../support/browser.ts'
import { unhurried } from '../support/unhurried.ts'

const open = browserFor(t)
const onPage = pageTest(open)
const chinese = { locale: 'zh-CN' }

/** Words of the page that are the same in every language. */
const names = /music-relay(?: doctor)?|JSON|Cookie|JavaScript|Bearer|Basic|Authorization|X-Custom-Cookie|English|QQ|MVs?|Hi-Res|GET \S+|[\w-]+\.[\w.-]+: \w+|UPSTREAM_ORIGIN|\d+ kbit\/s|OGG|AAC|mp3|[kM]B/g

/** What a person or a screen reader reads on the page, but for the names of music and people. */
const read = async (page: Page): Promise<string[]> => await page.evaluate(`(() => {
  const parts = [...document.querySelectorAll('body *')].filter((element) => !element.closest('#name, .song .names, .song .album, .song .icon, .song .tag, .card .name, .card .note, .cover, .chips, .chart, #lyric, .source, #suggestions, .head h1, .head .facts, .text, .basics, .comments, .part h2, noscript, #song, #singers, #me, #account, script, svg, textarea, code, table, .open-song'))
  const texts = parts.flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data))
  const said = parts.flatMap((element) => ['aria-label', 'placeholder', 'alt', 'aria-valuetext', 'title'].map((name) => element.getAttribute(name) ?? ''))
  return [document.title, ...texts, ...said].map((text) => text.trim()).filter((text) => text !== '')
})()`)
const english = (texts: readonly string[]): string[] =>
  texts.filter((text) => /[A-Za-z]{2,}/.test(text.replace(names, '')))
const quiet = (texts: readonly string[]): string[] => texts.filter((text) =>
  !/First Light|Velvet Toll|Paper Lanterns|Hot & Loud|Untitled Sketch|Harbour Lights|favourites|demo|演示|演唱|zzz/
    .test(text))

/** Views, each with what is there when it is loaded. */
const views = [
  ['#/', '#view .song'], ['#/charts', '.chart'], ['#/chart/3', '.song'], ['#/radio', '.card'], ['#/radio/199', '.song'], ['#/mvs', '.card'], ['#/mv/demoV000004', 'video'], ['#/album/00DemoAlbu0001', '.song'],
  ['#/singer/00DemoSing0001', '.song'], ['#/singer/00DemoSing0001/about', '.basics'], ['#/playlist/7700000001', '.song'], ['#/playlists', '.card'], ['#/albums', '.card'], ['#/song/00DemoSong0001', '.part'],
  ['#/comments/song/00DemoSong0001', '.comments li'], ['#/mine', '.empty'], ['#/queue', 'h1'], ['#/lyric', 'h1'], ['#/about', '#health'], ['#/search?key=zzzzq', '.empty'], ['#/nowhere', 'h1']
] as const

onPage('every view speaks the language of the browser, all of it, and another one at a press', ['/', {
  options: { demo: true, docs: true }, media: true, look: { ...chinese, viewport: { width: 1200, height: 900 } }
}], async ({ t, page, says, press, heading }) => {
  await heading('听歌')
  t.equal(await page.evaluate('document.documentElement.lang'), 'zh-CN')
  for (const [address, part] of views) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
    await page.locator(`#view ${part}, #view${part}`).first().waitFor()
    t.same(quiet(english(await read(page))), [], address)
  }
  await page.getByRole('searchbox', { name: '歌曲、歌手或专辑' }).fill('First Light')
  await page.keyboard.press('Enter')
  await page.getByText('1 条结果').waitFor()
  await page.locator('#view .song').first().click()
  await says('正在播放：First Light - The Paper Lanterns。')
  t.same(quiet(english(await read(page))), [])
  await page.getByRole('searchbox').fill('Velvet Toll')
  await page.keyboard.press('Enter')
  await heading('“Velvet Toll”的搜索结果')
  await page.locator('#view .song', { hasText: 'Velvet Toll' }).first().click()
  await says('《Velvet Toll》无法播放：登录后才能播放这首歌。')
  t.same(quiet(english(await read(page))), [])
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: '快捷键' }).waitFor()
  await page.keyboard.press('Escape')

  await press('English')
  await says('Velvet Toll cannot be played: Log in to play this song.')
  t.equal(await page.evaluate('document.documentElement.lang'), 'en')
  for (const [address, part] of views) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
    await page.locator(`#view ${part}, #view${part}`).first().waitFor()
    t.notMatch(quiet(await read(page)).join('').replaceAll('中文', ''), /\p{Script=Han}/u, address)
  }
  await page.reload()
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.goto(new URL('/login', page.url()).href)
  await heading('Log in with your phone')
}, /Failed to load resource/)

onPage('a chart that does not exist says so; a song without a file asks for no login', [
  '/#/chart/999999', { look: { ...chinese, viewport: { width: 1200, height: 900 } }, media: true }
], async ({ t, page, says }) => {
  await page.locator('.trouble', { hasText: '找不到，可能已下架或未公开。' }).first().waitFor()
  await page.getByRole('searchbox').fill('Taken Down')
  await page.keyboard.press('Enter')
  const row = page.locator('#view .song', { hasText: 'Taken Down' }).first()
  await row.click()
  await says('《Taken Down》无法播放：这首歌没有可以播放的文件。')
  t.equal(await page.locator('#refusal .login').isVisible(), false)
  await page.route('**/getMusicPlay?*', async (route) => { await route.abort() })
  await row.click()
  await page.locator('#refusal').getByText('连不上服务器').waitFor()
}, /Failed to load resource/)

t.test('a language that is not here is English; of several the first that is', { skip: withoutBrowser }, async (t) => {
  for (const [languages, wanted] of [[['fr-FR', 'de'], 'en'], [['fr-FR', 'zh-TW', 'en'], 'zh-CN'], [['en-GB', 'zh'], 'en']] as const) {
    const { page } = await open(t, '/health/live')
    await page.addInitScript({ content: `Object.defineProperty(navigator, 'languages', { value: ${JSON.stringify(languages)} })` })
    await page.goto(new URL('/login', page.url()).href)
    await page.locator('#language:not(:empty)').waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), wanted)
  }
})

onPage('failures have a Chinese sentence in every view', ['/', { look: chinese, media: true }], async ({ demo, page, says }) => {
  let refusal: object = {}
  await page.route('**/search?*', async (route) => {
    await route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify(refusal) })
  })
  for (const [at, [body, sentence]] of ([
    [{ error: 'Late.', code: 'UPSTREAM_TIMEOUT' }, '音乐平台响应超时，请稍后再试。'],
    [{ error: 'Not playable.', code: 'NOT_PLAYABLE', reason: 'PAID' }, '这首歌需要会员或单独购买。'],
    [{ error: 'key: is too long.', code: 'INVALID_INPUT' }, '请求的参数有误。（key: is too long.）'],
    [{ error: 'A newer relay.', code: 'NEW_CODE' }, 'A newer relay.']
  ] as const).entries()) {
    refusal = body
    await page.getByRole('searchbox').fill(`anything ${at}`)
    await page.keyboard.press('Enter')
    await page.locator('.trouble', { hasText: sentence }).waitFor()
  }
  await page.route('**/health/upstream', async (route) => { await route.fulfill({ json: { calls: [
    { name: 'search.songs', verdict: 'refused', findings: [] },
    { name: 'lyric.classic', verdict: 'unreachable', findings: [] }
  ], hosts: [{ host: 'u.y.qq.com', state: 'paused' }], sharedStore: 'down', accounts: { 'log in again': 1 } } }) })
  await page.evaluate("location.hash = '#/about'")
  await page.locator('#health', { hasText: '搜索：被拒绝歌词：没有响应u.y.qq.com：要求暂缓请求账户：1 需要重新登录共享存储：没有响应' }).waitFor()
  demo.next('/connect/qrconnect', { status: 500 })
  await page.goto(new URL('/login', page.url()).href)
  await says('无法获取二维码，请重试。')
}, /Failed to load resource/)

t.test('the login page in Chinese, to the end, and at a press while the code waits', { skip: withoutBrowser }, async (t) => {
  // With the part about stored accounts.
  const storing = async (upstream: DemoUpstream): Promise<AppOptions> => {
    const folder = folderFor(t)
    const accounts = await keeperFor(t, folder, upstream)
    const runtime = createRuntime(resolveOptions({ upstreamOrigin: upstream.origin, ...unhurried }))
    t.teardown(async () => { await runtime.close() })
    const sessions = await openSessions({ folder, secret: '', accounts, log: { error () {} } })
    t.teardown(() => { sessions.close() })
    return {
      accounts, loginStorage: createLoginStorage(accounts, folder, () => ({ runtime })), sessions, operatorCode: 'once'
    }
  }
  const { demo, page, says, press, heading } =
    await open(t, '/login#operator=once', { look: chinese, options: storing })
  await says('请打开手机微信，扫描二维码。')
  t.same(quiet(english(await read(page))), [])
  t.equal(await page.title(), '登录 · music-relay')
  await press('English')
  await says('Open WeChat on your phone and scan the code.')
  await press('中文')
  await says('请打开手机微信，扫描二维码。')
  const uuid = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid, 'member')
  await heading('登录成功，已保存')
  await page.getByText('供应用使用的密钥').click()
  t.same(quiet(english(await read(page))), [])
  t.same(english(await page.locator('#done dt').allInnerTexts()), [])
  await press('复制密钥')
  await says('已复制。')
})
