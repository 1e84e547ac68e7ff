/** The pages in Chinese: chosen by the browser or by the person, complete, and for what goes wrong, too. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openSessions } from '../../src/accounts/sessions.ts'
import type { AppOptions } from '../../src/app.ts'
import { createLoginStorage } from '../../src/cli/loginAs.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { folderFor, keeperFor } from '../support/accountsHelper.ts'
import { browserFor, pageTest, withoutBrowser } from '../support/browser.ts'
import { unhurried } from '../support/unhurried.ts'

const open = browserFor(t)
const onPage = pageTest(open)
const chinese = { locale: 'zh-CN' }

/** Words of the pages that are the same in every language. */
const names = /music-relay|JSON|Cookie|JavaScript|Bearer|Basic|Authorization|X-Custom-Cookie|English|living-room|QQ|GET \S+|[\w-]+\.[\w.-]+: \w+|UPSTREAM_ORIGIN|128 kbit\/s|mp3|[kM]B/g

/** What a person or a screen reader reads on the page, but for songs and requests. */
const read = async (page: Page): Promise<string[]> => await page.evaluate(`(() => {
  const parts = [...document.querySelectorAll('body *')].filter((element) => !element.closest('#list, #queue, #hot, #lyric, .source, noscript, #song, #singers, script, svg, .version, textarea, #account, code'))
  const texts = parts.flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data))
  const said = parts.flatMap((element) => ['aria-label', 'placeholder', 'alt', 'aria-valuetext'].map((name) => element.getAttribute(name) ?? ''))
  return [document.title, ...texts, ...said].map((text) => text.trim()).filter((text) => text !== '')
})()`)
const english = (texts: readonly string[]): string[] => texts.filter((text) => /[A-Za-z]{2,}/.test(text.replace(names, '')))

onPage('the front page speaks the language of the browser, all of it, and another one at a press', ['/', { options: { demo: true, docs: true }, media: true, look: { ...chinese, viewport: { width: 1200, height: 900 } } }], async ({ t, page, says, press, heading }) => {
  await heading('排行榜')
  await page.getByText('全部响应正常').waitFor()
  t.match(await page.locator('#list').innerText(), /^\d{4} 年第 \d+ 周$/m)
  t.equal(await page.evaluate('document.documentElement.lang'), 'zh-CN')
  t.same(english(await read(page)), [])
  await page.getByRole('searchbox', { name: '歌曲、歌手或专辑' }).fill('First Light')
  await page.keyboard.press('Enter')
  await says('“First Light”：1 首歌曲。')
  await page.locator('#list .row').first().click()
  await says('正在播放：First Light - The Paper Lanterns。')
  const quiet = async (): Promise<string[]> => (await read(page)).filter((text) => !/First Light/.test(text))
  t.same(english(await quiet()), [])
  await page.getByRole('searchbox').fill('Velvet Toll')
  await page.keyboard.press('Enter')
  await says('“Velvet Toll”：1 首歌曲。')
  await page.locator('#list .row').first().click()
  await says('《Velvet Toll》无法播放：登录后才能播放这首歌。')
  t.same(english(await quiet()).filter((text) => !/Velvet Toll/.test(text)), [])

  await press('English')
  await says('Velvet Toll cannot be played: Log in to play this song.')
  t.match(await page.locator('#hint').innerText(), 'pass the cookie of an account')
  t.equal(await page.evaluate('document.documentElement.lang'), 'en')
  t.notMatch((await read(page)).join('').replace('中文', ''), /\p{Script=Han}/u)
  await page.reload()
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.goto(new URL('/login', page.url()).href)
  await heading('Log in with your phone')
})

onPage('a chart that does not exist leads back; a song without a file asks for no login', ['/#chart=999999', { look: chinese, media: true }], async ({ t, page, says, press }) => {
  await says('找不到，可能已下架或未公开。')
  await press('全部排行榜')
  await page.locator('#list .row').first().waitFor()
  await page.getByRole('searchbox').fill('Taken Down')
  await page.keyboard.press('Enter')
  await says('“Taken Down”：1 首歌曲。')
  t.not(await page.evaluate('document.activeElement.id'), 'words', 'the keyboard of a phone leaves')
  await page.locator('#list .row').first().click()
  await says('《Taken Down》无法播放：这首歌没有可以播放的文件。')
  t.equal(await page.locator('#refusal .login').isVisible(), false)
  await page.route('**/getMusicPlay?*', async (route) => { await route.abort() })
  await page.locator('#list .row').first().click()
  await page.locator('#refusal').getByText('服务器没有响应').waitFor()
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

onPage('failures have a Chinese sentence on both pages', ['/', { look: chinese, media: true }], async ({ demo, page, says }) => {
  await page.locator('#list .row').first().waitFor()
  const refuse = async (body: object, status = 503): Promise<void> => { await page.route('**/getSearchByKey?*', async (route) => { await route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) }) }, { times: 1 }) }
  for (const [body, sentence] of [
    [{ error: 'Busy.', code: 'OVERLOADED' }, '服务器繁忙，请稍后再试。'],
    [{ error: 'Not playable.', code: 'NOT_PLAYABLE', reason: 'PAID' }, '这首歌需要会员或单独购买。'],
    [{ error: 'key: is too long.', code: 'INVALID_INPUT' }, '请求的参数有误。（key: is too long.）'],
    [{ error: 'A newer relay.', code: 'NEW_CODE' }, 'A newer relay.']
  ] as const) {
    await refuse(body)
    await page.getByRole('searchbox').fill('anything')
    await page.keyboard.press('Enter')
    await says(sentence)
  }
  await page.route('**/health/upstream', async (route) => { await route.fulfill({ json: { calls: [{ name: 'search.songs', verdict: 'refused' }, { name: 'lyric.classic', verdict: 'unreachable' }] } }) })
  await page.reload()
  await page.locator('#health').getByText('搜索：被拒绝，歌词：没有响应').waitFor()
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
    return { accounts, loginStorage: createLoginStorage(accounts, folder, () => ({ runtime })), sessions, operatorCode: 'once' }
  }
  const { demo, page, says, press, heading } = await open(t, '/login#operator=once', { look: chinese, options: storing })
  await says('请打开手机微信，扫描二维码。')
  t.same(english(await read(page)), [])
  t.equal(await page.title(), '登录 · music-relay')
  await press('English')
  await says('Open WeChat on your phone and scan the code.')
  await press('中文')
  await says('请打开手机微信，扫描二维码。')
  const uuid = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid, 'member')
  await heading('登录成功')
  t.same(english(await read(page)), [])
  await press('复制 Cookie')
  await says('已复制。')
})
