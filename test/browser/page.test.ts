/** The page in a real browser: every view by mouse and by keyboard, search, songs that do not play, failures, and the account. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { browserFor, pageTest, withoutBrowser, type Visit, type VisitOptions } from '../support/browser.ts'
import { cookieOf, until } from '../support/helper.ts'
import { household } from '../support/household.ts'

const open = browserFor(t)
const wide = { viewport: { width: 1200, height: 900 } }

/** Opens the page on the demo. */
const visit = async (t: Test, { options, ...rest }: VisitOptions = {}, path = '/'): Promise<Visit> =>
  await open(t, path, { options: async (demo) => ({
    docs: true, demo: true, ...typeof options === 'function' ? await options(demo) : options
  }), media: true, ...rest })

const onPage = pageTest(visit)
const songs = (page: Page): ReturnType<Page['locator']> => page.locator('#view .song')
const link = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.locator('#view').getByRole('link', { name, exact: typeof name === 'string' }).first().click()
}
const hash = (page: Page): string => new URL(page.url()).hash
const lit = (page: Page, text: string): ReturnType<Page['locator']> =>
  page.locator('#lyric [aria-current=true]', { hasText: text })

onPage('a walk by mouse: every view has an address, every name is a link, and "Back" leads through all of them', [{ look: wide }], async ({ t, page, heading, search, holds }) => {
  await heading('Listen')
  t.equal(await page.title(), 'music-relay')
  for (const name of ['Recommended playlists', 'New albums', 'Charts', 'Radio', 'New songs']) await heading(name)
  const seen: string[] = []
  const at = async (address: RegExp, name: string | RegExp): Promise<void> => {
    await heading(name)
    t.match(hash(page), address)
    seen.push(hash(page))
  }
  await search('Harbour')
  await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'Albums' }).click()
  await link(page, /^Harbour Lights & Other Rooms/)
  await at(/^#\/album\/00DemoAlbu0001$/, 'Harbour Lights & Other Rooms')
  await heading('Disc 2')
  t.equal(await songs(page).count(), 10)
  await link(page, 'The Paper Lanterns')
  await at(/^#\/singer\/00DemoSing0001$/, 'The Paper Lanterns')
  await page.getByText(/followers/).waitFor()
  await heading('Similar singers')
  for (const [tab, part] of [['MVs', '.cards.wide .card'], ['About', '.basics dt'], ['Albums', '.cards .card']] as const) {
    await page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: tab }).click()
    await page.locator(`#view ${part}`).first().waitFor()
  }
  t.match(hash(page), '/albums')
  await page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: 'Songs' }).click()
  await songs(page).last().scrollIntoViewIfNeeded()
  await songs(page).nth(60).waitFor({ state: 'attached' })
  await songs(page).first().locator('.album').click()
  await holds("location.hash.startsWith('#/album/')")
  await page.goBack()
  await heading('The Paper Lanterns')
  await songs(page).first().getByRole('link', { name: /^About / }).click()
  await holds("location.hash.startsWith('#/song/')")
  await heading('Similar songs')
  await link(page, 'Comments')
  await at(/^#\/comments\/song\//, 'Comments')
  await page.locator('.comments li').nth(20).waitFor()
  await page.getByRole('navigation', { name: 'Order' }).getByRole('link', { name: 'Newest' }).click()
  await page.locator('.comments > li').first().waitFor()

  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Charts' }).click()
  await at(/^#\/charts$/, 'Charts')
  await link(page, /^West/)
  await at(/^#\/chart\/3$/, /^West/)
  await songs(page).nth(49).waitFor()
  const newest = await songs(page).first().innerText()
  await page.getByLabel('Issue').selectOption('2026_40')
  await page.getByText('week 40 of 2026').first().waitFor()
  t.match(hash(page), 'period=2026_40')
  await until(async () => await songs(page).count() > 0 && await songs(page).first().innerText() !== newest)
  await songs(page).first().getByRole('link').first().click()
  await holds("/^#.singer./.test(location.hash) && document.querySelector('#view h1') !== null")

  await pages.getByRole('link', { name: 'Radio' }).click()
  await at(/^#\/radio$/, 'Radio')
  await link(page, 'Hot & Loud')
  await at(/^#\/radio\/199$/, 'Hot & Loud')
  await songs(page).nth(15).waitFor()
  await pages.getByRole('link', { name: 'MVs' }).click()
  await at(/^#\/mvs$/, 'MVs')
  await page.locator('#view .card').first().click()
  await holds("location.hash.startsWith('#/mv/') && document.querySelector('video source') !== null")
  await page.getByLabel('Definition').selectOption({ label: '480p' })
  await link(page, 'Comments')
  await heading('Comments')
  // The list grows when its end is seen, and moves what is below it away from the mouse.
  await page.getByRole('navigation', { name: 'About this relay' }).getByRole('link').press('Enter')
  await at(/^#\/about$/, 'About this relay')

  for (const address of seen.toReversed().slice(1)) {
    for (let steps = 0; hash(page) !== address && steps < 12; steps++) await page.goBack()
    t.equal(hash(page), address, 'Back leads there')
    await page.locator('#view h1').waitFor()
  }
  await page.reload()
  await heading('Harbour Lights & Other Rooms')
  await page.goto(new URL('./#search=paper', page.url()).href)
  await page.reload()
  await heading('Results for “paper”')
  t.match(hash(page), /^#\/search\?key=paper$/, 'addresses of version 2 lead to their views')
  await page.goto(new URL('./#/nowhere', page.url()).href)
  await heading('There is no such page.')
})

onPage('three hundred rows play as one queue, and are seen by scrolling; "Back" finds the place where one was', [{ look: wide }, '/#/playlist/7700000005'], async ({ t, page, holds }) => {
  await page.locator('#view h1').waitFor()
  const total = Number(/([\d,]+) songs/.exec(await page.locator('.facts').innerText())?.[1]?.replace(',', ''))
  await page.getByRole('button', { name: 'Play all' }).click()
  await holds(`JSON.parse(localStorage['music-relay player']).songs.length === ${total}`)
  await until(async () => {
    await page.mouse.wheel(0, 4000)
    return await songs(page).count() >= total
  })
  t.equal(await songs(page).count(), total)
  const low = songs(page).nth(total - 5)
  await low.scrollIntoViewIfNeeded()
  const y = await page.evaluate('scrollY') as number
  await low.getByRole('link', { name: /^About / }).click()
  await holds("location.hash.startsWith('#/song/')")
  await holds('scrollY < 50')
  await page.goBack()
  await holds(`Math.abs(scrollY - ${y}) < 60`)
  t.equal(await songs(page).count(), total, 'the rows are there at once')
})

onPage('a person searches, plays a song, and sees its lyric line by line, on a plain http name', [{
  host: 'relay.test'
}], async ({ t, page, says, search, plays, choose, press }) => {
  await search('First Light')
  t.match(await songs(page).locator('img').first().getAttribute('src'), /^cover\//)
  await choose('First Light')
  await says('Playing First Light by The Paper Lanterns.')
  await plays()
  t.equal(await songs(page).first().getAttribute('aria-current'), 'true')
  await press('More controls')
  await press('Lyric')
  await lit(page, 'First Light - The Paper Lanterns').waitFor()
  await page.evaluate("document.querySelector('audio').currentTime = 4.3")
  await lit(page, '词').waitFor()
  t.equal(await page.locator('#lyric [aria-current]').count(), 1)
  await page.locator('.sleeve img').waitFor()
  t.ok(await page.evaluate("document.querySelector('.sleeve img').naturalWidth") as number > 0, 'the cover is there')
  t.match(await page.title(), /^First Light · The Paper Lanterns/)
})

onPage('suggestions while typing, by keyboard; fewer kinds than all; what was not found says what to try', [{ look: wide }], async ({ t, page, search, heading, holds }) => {
  const field = page.getByRole('searchbox', { name: 'Song, singer or album' })
  await field.pressSequentially('paper')
  const list = page.getByRole('list', { name: 'Suggestions' })
  await list.getByRole('link').nth(3).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  t.equal(await page.evaluate('document.activeElement.id'), 'words')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await field.fill('paper l')
  await list.getByRole('link', { name: /The Paper Lanterns\s+Singer/ }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await holds("/^#.(singer|album|song)./.test(location.hash)")
  await search('paper')
  for (const [kind, part] of [['Singers', '.cover.round'], ['Playlists', '.card'], ['MVs', '.cover.wide'], ['By lyric', '.found'], ['Songs', '.song']] as const) {
    await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: kind }).click()
    await page.locator(`#view ${part}`).first().waitFor()
  }
  await search('qqqqzzzz')
  await page.getByText('Nothing was found for “qqqqzzzz”.').waitFor()
  await page.getByText('Try fewer words').waitFor()
  await heading('Results for “qqqqzzzz”')
})

onPage('a song that cannot be played says why and what helps, and its short part plays', [{ look: wide }], async (
  { t, demo, page, says, search, press, plays, choose, useCookie }
) => {
  await search('Velvet Toll')
  await choose('Velvet Toll')
  await says('cannot be played: Log in to play this song.')
  t.equal(await page.getByRole('slider', { name: 'Position' }).isDisabled(), true)
  t.equal(await page.locator('#refusal .login').isVisible(), true)
  await press('Play a preview')
  await plays()
  t.match(await page.locator('#file').textContent(), 'preview')
  await useCookie(cookieOf(demo, 'ordinary'))
  await choose('Velvet Toll')
  await says('cannot be played: This song needs a subscription or a purchase.')
  await page.locator('#hint').getByText('Get a subscription for the account from the provider, or buy the song there.').waitFor()
  t.equal(await page.locator('#refusal .login').isVisible(), false, 'no login helps')
  t.equal(await page.getByRole('button', { name: 'Play a preview' }).isVisible(), true)
})

onPage('with a pasted cookie the account\'s songs play, and who comes back finds no cookie', [], async (
  { t, demo, server, page, says, search, press, plays, choose, comeBack }
) => {
  await page.locator('.person').getByRole('link', { name: 'Log in' }).click()
  await page.getByText('I have a secret or a cookie').click()
  await page.locator('#key').fill('nonsense=1')
  await page.locator('#key').press('Enter')
  await page.getByText('contains no usable cookie').waitFor()
  await page.locator('#key').fill(cookieOf(demo, 'member'))
  await page.locator('.secret').getByRole('button', { name: 'Log in' }).click()
  await page.locator('#account', { hasText: '演示会员' }).waitFor()
  await page.getByText('until Mar 1, 2027').waitFor()
  await search('Velvet Toll')
  await choose('Velvet Toll')
  await says('Playing Velvet Toll')
  await plays()
  await press('More controls')
  t.match(await page.locator('#file').textContent(), /^128 kbit\/s · [\d.]+ [kM]B$/)
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.notMatch(page.url(), 'demoMember')
  await comeBack()
  await page.locator('.person').getByRole('link', { name: 'Log in' }).waitFor()
  t.equal(await page.locator('#key').count(), 0)
  t.notMatch(server.log.join(''), 'demoMember0')
})

onPage('by keyboard alone: search, choose, pause, the keys of the page and their list', [{ host: 'localhost', look: wide }], async ({ t, page, says, plays, holds }) => {
  await page.getByRole('list', { name: 'Trending searches' }).getByRole('link').first().waitFor()
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent")
  const tabTo = async (wanted: RegExp): Promise<void> => {
    for (let steps = 0; steps < 60; steps++) {
      await page.keyboard.press('Tab')
      if (wanted.test(String(await focused()))) {
        t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none', `the focus on ${wanted} can be seen`)
        return
      }
    }
    t.fail(`${wanted} is not reached`)
  }
  await tabTo(/^To the content$/)
  await page.keyboard.press('Enter')
  t.equal(await focused(), 'view')
  await page.keyboard.press('/')
  t.equal(await focused(), 'words')
  await page.keyboard.type('First Light')
  await page.keyboard.press('Enter')
  await page.getByText('1 result', { exact: true }).waitFor()
  await tabTo(/^Play: First Light/)
  await page.keyboard.press('Enter')
  await says('Playing First Light')
  await plays()
  t.match(await focused(), /First Light/, 'the keyboard stays where it was')
  await tabTo(/^Pause$/)
  await page.keyboard.press('Space')
  await holds("document.querySelector('audio').paused")
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('k')
  await plays()
  const before = await page.evaluate<number>("document.querySelector('audio').currentTime")
  await page.keyboard.press('ArrowRight')
  await holds(`document.querySelector('audio').currentTime - ${before} > 9`)
  await page.keyboard.press('m')
  await holds("document.querySelector('audio').muted")
  await page.keyboard.press('l')
  await page.locator('#lyric').waitFor()
  await page.keyboard.press('l')
  await page.locator('#lyric').waitFor({ state: 'detached' })
  await page.keyboard.press('q')
  await page.locator('#queue').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('/')
  await page.keyboard.type('a ')
  t.equal(await page.getByRole('searchbox').inputValue(), 'a ', 'a field keeps its keys')
  for (const key of ['Escape', 'Escape', '?']) await page.keyboard.press(key)
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
})

onPage('a failure is shown in the relay\'s own words where one is, and in words for people in "About this relay"', [{
  look: wide, options: { useGlobalCookie: true, globalCookie: () => 'uin=1000000101; qm_keyst=Q_H_L_demoOrdinary00000000000000000000000000000000000000000001' }
}], async ({ t, demo, page, press, heading }) => {
  await heading('New songs')
  const about = page.getByRole('navigation', { name: 'About this relay' }).getByRole('link')
  await about.click()
  await page.getByText('all working').waitFor()
  await page.getByText('an invented catalogue').waitFor()
  await demo.close()
  await page.getByRole('searchbox').fill('anything')
  await page.keyboard.press('Enter')
  await page.locator('.trouble', { hasText: 'The upstream' }).waitFor()
  await page.locator('.trouble').getByRole('link', { name: 'What works now, and what does not' }).click()
  await page.getByText(/kinds of calls failing/).waitFor()
  await page.locator('#health').getByText(/Search: no answer/).waitFor()
  await page.getByText('The last requests of this page').click()
  t.match(await page.locator('.source a').allTextContents(), ['GET /search?key=anything&type=song&page=1&limit=30'])
  t.same(await page.locator('.links a').evaluateAll(
    (links: any[]) => links.map((each) => each.getAttribute('href')).filter((href) => href !== 'guide/')
  ), ['docs', 'health/upstream'])
  await page.goBack()
  await page.locator('.trouble').waitFor()
  await press('Try again')
  await page.locator('.trouble').waitFor()
}, /Failed to load resource/)

onPage('the first row of a search is there after one answer of the relay; on a first visit after the page, its two files and that answer', [{ look: wide }, '/health/live'], async ({ t, page, heading }) => {
  const answered: string[] = []
  let release = (): void => {}
  const end = new Promise<void>((resolve) => { release = resolve })
  await page.route('**/*', async (route) => {
    const { pathname, searchParams } = new URL(route.request().url())
    // All else waits: what the row needed of it would keep the row away.
    if (
      /^\/(?:page\/(?:app|style)-\w+\.(?:js|css))?$/.test(pathname) || searchParams.get('page') === '1'
    ) answered.push(pathname.replace(/-\w+/, ''))
    else await end
    await route.continue().catch(() => {})
  })
  await page.goto(new URL('/#/search?key=paper', page.url()).href, { waitUntil: 'commit' })
  await songs(page).first().waitFor()
  t.same(answered.toSorted(), ['/', '/page/app.js', '/page/style.css', '/search'])
  answered.length = 0
  await page.getByRole('searchbox').fill('harbour')
  await page.keyboard.press('Enter')
  await heading('Results for “harbour”')
  await songs(page).first().waitFor()
  t.same(answered, ['/search'])
  release()
  await page.unrouteAll({ behavior: 'wait' })
})

onPage('an operator reads what is wrong now: calls, of which a fallback answers some, hosts and accounts, in both languages', [{
  look: wide, before: (demo) => { demo.moods.on('lyrics-500') },
  options: { tuning: { circuitFailures: 1, circuitPauseMs: 3_600_000 } }
}, '/health/live'], async ({ t, page, server, heading }) => {
  t.equal((await server.get('/getLyric/00DemoSong0001')).status, 200)
  await page.goto(new URL('/#/about', page.url()).href)
  await heading('Health')
  const [health, hosts] = [page.locator('#health'), page.locator('dd', { hasText: 'c.y.qq.com' })]
  t.match(
    await health.innerText(),
    /1 of 2 kinds of calls failing[^]*Lyrics, in part: no answer\nc\.y\.qq\.com: fails too often: no requests for some seconds[^]*music-relay doctor/
  )
  t.equal(await hosts.innerText(), 'c.y.qq.com: fails too often: no requests for some seconds')
  t.match(await page.getByRole('row', { name: /lyric\.classic/ }).innerText(), /no answer http_5xx/)
  t.equal(await page.getByText('u.y.qq.com: requests are sent').count(), 1)
  await page.locator('#language').click()
  t.match(await health.innerText(), /2 类请求中有 1 类异常[^]*歌词（部分）：没有响应\nc\.y\.qq\.com：连续失败，几秒内不再请求[^]*music-relay doctor/)
})

onPage('while the relay is overloaded the page asks again by itself', [{ look: wide }, '/#/about'], async ({ page }) => {
  let refusals = 2
  await page.route('**/getRecommend', async (route) => {
    if (refusals-- > 0) await route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: {
      error: 'The relay is overloaded; try again in 1 s.', code: 'OVERLOADED'
    } })
    else await route.continue()
  })
  await page.goto(new URL('./#/', page.url()).href)
  await page.locator('#view .song').first().waitFor()
}, /503/)

onPage('an answer that comes late does not speak for a later login; a cover that failed is asked for once more, then its name stands there', [{ look: wide }], async ({ t, demo, page, search, holds }) => {
  const asked: Array<() => Promise<void>> = []
  await page.locator('.person').getByRole('link', { name: 'Log in' }).click()
  await page.getByText('I have a secret or a cookie').click()
  await page.route('**/user/getCookie', async (route) => {
    const response = await route.fetch()
    asked.push(async () => { await route.fulfill({ response }).catch(() => {}) })
    if (asked.length > 1) await asked[1]?.()
  })
  for (const cookie of ['nonsense=1', cookieOf(demo, 'member')]) {
    const seen = page.waitForRequest('**/user/getCookie')
    await page.locator('#key').fill(cookie)
    await page.locator('#key').press('Enter')
    await seen
    await until(() => asked.length > 0)
  }
  await page.locator('#me', { hasText: '演示会员' }).waitFor()
  await asked[0]?.()
  let covers = 0
  await page.route('**/cover/*', async (route) => {
    covers++
    await route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"Too much.","code":"OVERLOADED"}' })
  })
  await search('Velvet Toll')
  await page.locator('#view .song .no', { hasText: 'Velvet Toll' }).waitFor()
  t.equal(covers, 2)
  t.equal(await page.locator('#me').innerText(), '演示会员')
  await holds("document.querySelector('#view .song img') === null")
}, /Failed to load resource/)

const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
onPage('texts of the upstream stay texts', [{ before: (demo) => { demo.next(
  'music.musicToplist.Toplist/GetAll', { mutate: (answer) => { answer.data.group[0].toplist[0].title = evil } }
) } }, '/#/charts'], async ({ t, page }) => {
  await page.getByText('document.title=1').first().waitFor()
  t.equal(await page.title(), 'Charts · music-relay')
  t.equal(await page.locator('#view script, #view img[src=x]').count(), 0)
})

const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

onPage('whose a login is, its subscription, and that it is not accepted any more; a provider that does not answer takes nothing away', [{ look: wide }], async ({ t, demo, page, useCookie }) => {
  await page.locator('.person').getByRole('link', { name: 'Log in' }).waitFor()
  t.equal(demo.calls(who).length, 0, 'without a login nobody is asked')
  const opened = async (name: string): Promise<void> => {
    await useCookie(cookieOf(demo, name as 'member'))
    await page.locator('.person a').click()
    await page.locator('#done').waitFor()
  }
  const out = async (): Promise<void> => {
    await page.locator('#leave').click()
    await page.locator('#scan').waitFor()
  }
  await opened('member')
  await page.locator('#done', { hasText: /演示会员[^]*until Mar 1, 2027/ }).waitFor()
  await out()
  await opened('ordinary')
  await page.locator('#done', { hasText: /Demo ordinary 🎧[^]*None/ }).waitFor()
  await out()
  await opened('expired')
  await page.getByRole('heading', { name: 'The login has ended' }).waitFor()
  await page.getByRole('button', { name: 'Log in again' }).waitFor()
  await page.locator('#language').click()
  await page.getByRole('heading', { name: '登录已失效' }).waitFor()
  await page.locator('#language').click()
  await out()
  demo.next(who, { code: 500003 }, 9)
  await opened('member')
  t.notMatch(await page.locator('#done').innerText(), /Subscription|has ended/)
}, /Failed to load resource/)

t.test('a stored account by its secret where the relay keeps no sessions; one of its keys shows nothing of the person', { skip: withoutBrowser }, async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const limited = await accounts.addKey('member', 'lamp', { noLoginEndpoints: true })
  const { useCookie, page } =
    await visit(t, { look: wide, options: { accounts, upstreamOrigin: demo.origin } as AppOptions })
  await useCookie(secrets.member)
  await page.locator('#me', { hasText: '演示会员' }).waitFor()
  await page.reload()
  await useCookie(limited)
  await page.locator('.person a').click()
  await page.locator('#done').waitFor()
  t.notMatch(await page.locator('body').innerText(), /演示会员|until Mar/)
})

for (const [account, words] of [['member', 'until Mar 1, 2027'], ['expired', 'The login has ended']] as const) {
  onPage(`the global login of the ${account} says whether it is alive, and not whose it is`, [
    { look: wide, options: (demo) => ({ useGlobalCookie: true, globalCookie: () => cookieOf(demo, account) }) },
    '/login'
  ], async ({ t, page }) => {
    await page.locator('#done', { hasText: words }).waitFor()
    await page.getByText('The login of the relay, used by everybody without one').waitFor()
    t.notMatch(await page.locator('body').innerText(), '演示会员')
  }, /./)
}

onPage('a link in the search box opens the song, album, singer, playlist, chart or MV; another link is searched for', [{ look: wide }], async ({ t, page, press, heading }) => {
  const find = async (text: string): Promise<void> => {
    await page.getByRole('searchbox').fill(text)
    await press('Search')
  }
  for (const [text, name, address] of [
    ['《First Light》 https://c6.y.qq.com/base/fcgi-bin/u?__=s00DemoSong0001 @QQ音乐', 'First Light', '#/song/00DemoSong0001'],
    ['https://y.qq.com/n/ryqq/albumDetail/00DemoAlbu0001', 'Harbour Lights & Other Rooms', '#/album/00DemoAlbu0001'],
    ['y.qq.com/n/ryqq/singer/00DemoSing0001', 'The Paper Lanterns', '#/singer/00DemoSing0001'],
    ['https://y.qq.com/n/ryqq/toplist/62', /^Soaring/, '#/chart/62'],
    ['https://y.qq.com/n/ryqq/playlist/7700000001', /^Demo "favourites"/, '#/playlist/7700000001'],
    ['https://y.qq.com/n/ryqq/mv/demoV000004', /Untitled Sketch/, '#/mv/demoV000004']
  ] as const) {
    await find(text)
    await heading(name)
    t.equal(hash(page), address, text)
  }
  await find('https://example.com/n/ryqq/songDetail/00DemoSong0001')
  await page.getByText('Nothing was found for “https://example.com').waitFor()
  await find('https://c6.y.qq.com/base/fcgi-bin/u?__=sNobody')
  await page.getByText('This short link does not exist').waitFor()
}, /status of 40[04]/)

onPage('a browser gets a page in both languages, whose links and styles work at any depth', [], async ({ t, page, server, heading }) => {
  for (const [path, meant] of [
    ['/nowhere', undefined], ['/getRankss', '/getRanks'], ['/a/b/c/d', undefined], ['/getTopLists/', '/getRanks'],
    ['/lyric', '/getLyric'], ['/getLyrics/00DemoSong0001', undefined]
  ] as const) {
    const reply = await page.goto(`${server.address}${path}`)
    t.equal(reply?.status(), 404, path)
    await heading('There is no such page. 没有这个页面。')
    t.ok(await page.evaluate("getComputedStyle(document.querySelector('section')).borderRadius !== '0px'"), `${path} has its style`)
    const links = await page.evaluate("[...document.querySelectorAll('section a')].map((link) => link.pathname)") as string[]
    t.same(
      links.filter((each) => !each.startsWith('/guide/')), [...meant === undefined ? [] : [meant], '/', '/docs'], path
    )
  }
  await page.getByText('Did you mean /getLyric/:songmid?').waitFor()
  await page.getByText('是不是想找 /getLyric/:songmid？').waitFor()
  await page.getByRole('link', { name: 'Front page' }).click()
  await heading('Listen')
}, /404/)

onPage('an MV whose files cannot be loaded says so', [{}, '/#/mvs'], async ({ page }) => {
  await page.route('**/film/**', async (route) => { await route.abort() })
  await page.locator('.card').first().click()
  await page.getByText('The MV could not be loaded from its host by this browser.').waitFor()
}, /Failed to load resource/)

onPage('own playlists whose owner the provider does not tell say why, and can be asked for again', [
  {}, '/#/mine/playlists'
], async ({ page, demo, useCookie }) => {
  const error = { error: 'The upstream cannot be reached.', code: 'UPSTREAM_UNREACHABLE' }
  await page.route('**/account', async (route) => { await route.fulfill({ status: 502, json: error }) })
  await useCookie(cookieOf(demo, 'member'))
  await page.locator('#view').getByText(error.error).waitFor()
  await page.unroute('**/account')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('#view .card').first().waitFor()
}, /Failed to load resource/)
