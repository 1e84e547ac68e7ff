/** The page / in a real browser: search, charts, playing a song with its lyric, and the account; by keyboard only, at any width. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { browserFor, looksOf, pageTest, withoutBrowser, type Visit, type VisitOptions } from '../support/browser.ts'
import { cookieOf, until } from '../support/helper.ts'
import { household } from '../support/household.ts'

const open = browserFor(t)
const wide = { viewport: { width: 1200, height: 900 } }

interface FrontVisit extends Visit {
  paste (text: string): Promise<void>
  /** Resolves once the panel of the account has this text and this mood. */
  shows (text: string, mood: 'good' | 'bad' | 'none'): Promise<void>
}

/** Opens the page on the demo. */
async function visit (t: Test, { options, ...rest }: VisitOptions = {}): Promise<FrontVisit> {
  const seen = await open(t, '/', { options: async (demo) => ({ docs: true, demo: true, ...typeof options === 'function' ? await options(demo) : options }), media: true, ...rest })
  const { page } = seen
  return {
    ...seen,
    async paste (text) {
      await page.locator('.own summary').click()
      await page.locator('#key').fill(text)
      await page.locator('#key').press('Enter')
      await page.locator('.own summary').click()
    },
    async shows (text, mood) { await page.locator(`#account[data-mood=${mood}]`, { hasText: text }).waitFor() }
  }
}

const onPage = pageTest(visit)

const lit = (page: Page, text: string): ReturnType<Page['locator']> => page.locator('#lyric [aria-current=true]', { hasText: text })

onPage('a person searches, plays a song, and sees its lyric line by line, on a plain http name', [{ host: 'relay.test' }], async ({ t, page, says, search, plays, choose, press }) => {
  await search('First Light')
  t.match(await page.locator('#list img').first().getAttribute('src'), /\/music\/photo_new\//)
  await choose('First Light')
  await says('Playing First Light by The Paper Lanterns.')
  await plays()
  await press('Lyric, volume and queue')
  await lit(page, 'First Light - The Paper Lanterns').waitFor()
  await page.evaluate("document.querySelector('audio').currentTime = 4.3")
  await lit(page, '词').waitFor()
  t.equal(await page.locator('#lyric [aria-current]').count(), 1)
  t.ok(await page.evaluate("document.querySelector('#cover').naturalWidth") as number > 0, 'the cover is there')
  t.equal(await page.locator('#list').getByRole('button', { name: 'First Light' }).first().getAttribute('aria-current'), 'true')
  t.same(await page.locator('.source a').allTextContents(), ['GET /getSearchByKey?key=First+Light&limit=20', 'GET /getMusicPlay?songmid=00DemoSong0001', 'GET /getLyric?songmid=00DemoSong0001&isFormat=1'])
  await page.getByText('all working').waitFor()
})

onPage('charts show their songs; a song that cannot be played says why, and its short part plays', [{ look: wide }], async ({ t, page, says, search, press, heading, plays, choose }) => {
  await press(/Soaring/)
  await heading(/Soaring/)
  t.equal(await page.evaluate('document.activeElement.id'), 'stage-title', 'a screen reader is taken along')
  t.equal(await page.locator('#list li').count(), 50)
  await choose('驿航线慢板')
  await page.getByRole('region', { name: '驿航线慢板' }).locator('#singers', { hasText: 'The Paper Lanterns' }).waitFor()
  await press('All charts')
  await heading('Charts')

  await search('Velvet Toll')
  await choose('Velvet Toll')
  await says('cannot be played: Log in to play this song.')
  t.match(await page.locator('#hint').textContent(), 'pass the cookie of an account')
  t.equal(await page.getByRole('slider', { name: 'Position' }).isDisabled(), true)
  await press('Play a preview')
  await plays()
  t.match(await page.locator('#file').textContent(), 'preview')
})

onPage('with a pasted cookie the account\'s songs play, and who comes back finds no cookie', [], async ({ t, demo, server, page, says, search, press, plays, choose, comeBack }) => {
  await page.getByText('not logged in').waitFor()
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie').fill('nonsense=1')
  await page.getByLabel('Cookie').press('Enter')
  await page.getByText('contains no usable cookie').waitFor()
  await page.getByLabel('Cookie').fill(cookieOf(demo, 'member'))
  await press('Use it')
  await page.getByText('the login of this page').waitFor()
  await search('Velvet Toll')
  await choose('Velvet Toll')
  await says('Playing Velvet Toll')
  await plays()
  t.match(await page.locator('#file').textContent(), /^128 kbit\/s · [\d.]+ [kM]B$/)
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.notMatch(page.url(), 'demoMember')
  await comeBack()
  await page.getByText('not logged in').waitFor()
  t.equal(await page.locator('#key').inputValue(), '')
  t.notMatch(server.log.join(''), 'demoMember0')
})

onPage('by keyboard alone: search, choose, pause', [{ host: 'localhost' }], async ({ t, page, says, plays, holds }) => {
  await page.getByRole('button', { name: /Soaring/ }).waitFor()
  await page.getByRole('list', { name: 'Trending searches' }).getByRole('button').first().waitFor()
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.id || document.activeElement.textContent")
  const tabTo = async (wanted: RegExp): Promise<void> => {
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press('Tab')
      if (wanted.test(String(await focused()))) {
        t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none', `the focus on ${wanted} can be seen`)
        return
      }
    }
    t.fail(`${wanted} is not reached`)
  }
  await tabTo(/^words$/)
  await page.keyboard.type('First Light')
  await page.keyboard.press('Enter')
  await says('1 song for “First Light”.')
  await tabTo(/^♪?First LightThe Paper Lanterns/)
  await page.keyboard.press('Enter')
  await says('Playing First Light')
  await plays()
  t.match(await focused(), /First Light/, 'the keyboard stays where it was')
  await tabTo(/^toggle$/)
  await page.keyboard.press('Space')
  await holds("document.querySelector('audio').paused")
  await tabTo(/^more$/)
  await page.keyboard.press('Enter')
  await tabTo(/^lyric$/)
  await page.keyboard.press('Escape')
  t.equal(await focused(), 'more')
})

onPage('a song that an account has no right to says what helps: no login does', [{ look: wide }], async ({ t, demo, page, says, search, choose, useCookie }) => {
  await useCookie(cookieOf(demo, 'ordinary'))
  await search('Velvet Toll')
  await choose('Velvet Toll')
  await says('cannot be played: This song needs a subscription or a purchase.')
  await page.locator('#hint').getByText('Get a subscription for the account from the provider, or buy the song there.').waitFor()
  t.equal(await page.locator('#refusal .login').isVisible(), false)
  t.equal(await page.getByRole('button', { name: 'Play a preview' }).isVisible(), true)
})

onPage('a failure is shown in the relay\'s own words, and in its health', [{ options: { useGlobalCookie: true, globalCookie: () => 'uin=1000000101; qm_keyst=Q_H_L_demoOrdinary00000000000000000000000000000000000000000001' } }], async ({ t, demo, page, says }) => {
  await page.getByText('used for requests without a cookie').waitFor()
  await page.getByText('all working').waitFor()
  await demo.close()
  await page.getByRole('searchbox').fill('anything')
  await page.keyboard.press('Enter')
  await says('The upstream')
  await page.getByText(/kinds of calls failing/).waitFor()
  await page.locator('#health').getByText(/^Search: no answer/).waitFor()
  t.equal(await page.getByRole('heading', { name: 'Charts', exact: true }).isVisible(), true, 'what was there stays')
}, /Failed to load resource/)

onPage('an answer that comes late does not speak for a later question, and a cover that was refused is asked for again', [], async ({ t, demo, page, says, search }) => {
  await page.getByText('not logged in').waitFor()
  const asked: Array<() => Promise<void>> = []
  await page.route('**/user/getCookie', async (route) => {
    const response = await route.fetch()
    asked.push(async () => { await route.fulfill({ response }).catch(() => {}) })
    if (asked.length > 1) await asked[1]?.()
  })
  await page.getByText('Play with an account').click()
  for (const cookie of ['nonsense=1', cookieOf(demo, 'member')]) {
    const seen = page.waitForRequest('**/user/getCookie')
    await page.getByLabel('Cookie').fill(cookie)
    await page.getByLabel('Cookie').press('Enter')
    await seen
    await until(() => asked.length > 0)
  }
  await page.getByText('the login of this page').waitFor()
  await asked[0]?.()
  await page.route('**/getImageUrl?*', async (route) => { await route.fulfill({ status: 429, contentType: 'application/json', body: '{"error":"Too much.","code":"OVERLOADED"}' }) })
  await search('Velvet Toll')
  await page.unroute('**/getImageUrl?*')
  t.equal(await page.locator('#list .cover img').count(), 0)
  await search('Velvet Toll')
  await page.locator('#list .cover img').first().waitFor()
  await says('Velvet Toll')
  t.match(await page.locator('#account').innerText(), 'the login of this page')
}, /Failed to load resource/)

const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
onPage('texts of the upstream stay texts', [{ before: (demo) => { demo.next('music.musicToplist.Toplist/GetAll', { mutate: (answer) => { answer.data.group[0].toplist[0].title = evil } }) } }], async ({ t, page }) => {
  await page.getByText('document.title=1').first().waitFor()
  t.equal(await page.title(), 'music-relay')
  t.equal(await page.locator('#list script, #list img[src=x]').count(), 0)
})

for (const { width, name, visit: look, readable } of looksOf([320, 'dark'], [360, 'light'], [1200, 'light'])) {
  onPage(`it fits at ${name}, has text that can be read, and works behind Basic`, [look], async ({ t, page, says, search, choose, press }) => {
    const fits = async (what: string): Promise<void> => { t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, what) }
    await page.getByRole('button', { name: /Soaring/ }).waitFor()
    await fits('charts')
    await search('The Paper Lanterns')
    await fits('songs')
    await choose('Velvet Toll')
    await says('cannot be played')
    await fits('a refusal')
    if (width < 832) await press('Lyric, volume and queue')
    await readable(t, page, ['#reason', '#hint', '#part'])
    await choose('First Light')
    await says('Playing')
    await lit(page, 'First Light').waitFor()
    await readable(t, page, ['h1', ...width < 832 ? [] : ['.lead'], 'nav a', '#language', '#at', '#share', '#queue .name', '#queue-count', '.facts dt', '.facts dd span', '.status', '.primary', '.chips button', '.row:not([aria-current]) .name', '.row:not([aria-current]) .singers', '.row[aria-current] .name', '.row[aria-current] .singers', '.tail', '#file', '#lyric li:not([aria-current])', '#lyric li[aria-current]', 'summary'])
  }, /401/)
}

const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

onPage('a pasted cookie: whose it is, its subscription, and that it is not accepted any more', [], async ({ t, demo, page, paste, shows }) => {
  await shows('not logged in', 'none')
  t.equal(demo.calls(who).length, 0, 'without a login nobody is asked')
  await paste(cookieOf(demo, 'member'))
  await shows('演示会员 · the login of this page · subscription until Mar 1, 2027', 'good')
  await paste(cookieOf(demo, 'ordinary'))
  await shows('Demo ordinary 🎧 · the login of this page · no subscription', 'good')
  await paste(cookieOf(demo, 'expired'))
  await shows('the login of this page · log in again', 'bad')
  await page.locator('#language').click()
  await shows('请重新登录', 'bad')
})

onPage('a provider that does not answer takes nothing away', [], async ({ t, demo, page, paste, shows }) => {
  demo.next(who, { code: 500003 }, 9)
  const answered = page.waitForResponse((response) => response.url().endsWith('/account') && !response.url().endsWith('/login/account'))
  await paste(cookieOf(demo, 'member'))
  t.equal((await answered).status(), 502)
  await shows('the login of this page', 'good')
  t.notMatch(await page.locator('#account').innerText(), /subscription|log in/)
}, /Failed to load resource/)

t.test('a stored account by its secret; one of its keys shows nothing of the person', { skip: withoutBrowser }, async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const limited = await accounts.addKey('member', 'lamp', { noLoginEndpoints: true })
  const { paste, shows, page } = await visit(t, { options: { accounts, upstreamOrigin: demo.origin } as AppOptions })
  await paste(secrets.member)
  await shows('subscription until Mar 1, 2027', 'good')
  t.match(await page.locator('#account strong').innerText(), 'member')
  await paste(limited)
  await page.locator('#account', { hasText: 'Mar 1, 2027' }).waitFor({ state: 'detached' })
  t.notMatch(await page.locator('#account').innerText(), /演示会员|subscription/)
})

for (const [account, words, mood] of [['member', 'subscription until Mar 1, 2027', 'good'], ['expired', 'log in again', 'bad']] as const) {
  onPage(`the global login of the ${account} says whether it is alive, and not whose it is`, [{ options: (demo) => ({ useGlobalCookie: true, globalCookie: () => cookieOf(demo, account) }) }], async ({ t, shows, page }) => {
    await shows(`used for requests without a cookie · ${words}`, mood)
    t.notMatch(await page.locator('#account').innerText(), '演示会员')
  }, /./)
}

onPage('a link in the search box shows the song, album, singer, playlist or chart; another link is searched for', [], async ({ t, page, says, press }) => {
  const find = async (text: string): Promise<void> => {
    await page.getByRole('searchbox', { name: 'Song, singer or album' }).fill(text)
    await press('Search')
  }
  const title = page.locator('#stage-title')
  const rows = page.locator('#list > li')
  for (const [text, name, count] of [
    ['《First Light》 https://c6.y.qq.com/base/fcgi-bin/u?__=s00DemoSong0001 @QQ音乐', 'First Light', 1],
    ['https://y.qq.com/n/ryqq/albumDetail/00DemoAlbu0001', 'Harbour Lights & Other Rooms', undefined],
    ['y.qq.com/n/ryqq/singer/00DemoSing0001', 'The Paper Lanterns', 50],
    ['https://y.qq.com/n/ryqq/toplist/62', undefined, 50]
  ] as const) {
    await find(text)
    if (name !== undefined) await title.filter({ hasText: name }).waitFor()
    if (count === undefined) t.ok(await rows.count() > 0, text)
    else {
      await says(count === 1 ? '1 song' : `${count} songs`)
      t.equal(await rows.count(), count, text)
    }
  }
  await find('https://y.qq.com/n/ryqq/playlist/7700000001')
  await page.locator('#stage-source a', { hasText: 'getSongListDetail' }).waitFor()
  t.ok(await rows.count() > 1)
  t.match(page.url(), /search=/, 'the address of the page keeps the link')
  await find('https://y.qq.com/n/ryqq/mv/demoV000004')
  await says('The link leads to an MV.')
  await find('https://example.com/n/ryqq/songDetail/00DemoSong0001')
  await says('Nothing was found for “https://example.com')
  await find('https://c6.y.qq.com/base/fcgi-bin/u?__=sNobody')
  await says('This short link does not exist')
}, /status of 40[04]/)

onPage('a browser gets a page in both languages, whose links and styles work at any depth', [], async ({ t, page, server, heading }) => {
  for (const [path, meant] of [['/nowhere', undefined], ['/getRankss', '/getRanks'], ['/a/b/c/d', undefined], ['/getTopLists/', '/getRanks'], ['/lyric', '/getLyric'], ['/getLyrics/00DemoSong0001', undefined]] as const) {
    const reply = await page.goto(`${server.address}${path}`)
    t.equal(reply?.status(), 404, path)
    await heading('There is no such page. 没有这个页面。')
    t.ok(await page.evaluate("getComputedStyle(document.querySelector('section')).borderRadius !== '0px'"), `${path} has its style`)
    const links = await page.evaluate("[...document.querySelectorAll('section a')].map((link) => link.pathname)") as string[]
    t.same(links.filter((link) => !link.startsWith('/guide/')), [...meant === undefined ? [] : [meant], '/', '/docs'], path)
  }
  await page.getByText('Did you mean /getLyric/:songmid?').waitFor()
  await page.getByText('是不是想找 /getLyric/:songmid？').waitFor()
  await page.getByRole('link', { name: 'Front page' }).click()
  await heading('The relay is running.')
}, /404/)
