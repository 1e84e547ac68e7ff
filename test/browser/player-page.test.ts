/** The player of the page / in a real browser: queue, controls, media keys, what it remembers, and on a phone. */
import type { Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import type { Visit, VisitOptions } from '../support/browser.ts'
import { cookieOf, until } from '../support/helper.ts'

const open = browserFor(t)
const skip = withoutBrowser
const wide = { viewport: { width: 1200, height: 900 } }
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

const visit = async (t: Test, path = '/', options: VisitOptions = {}): Promise<Visit> => await open(t, path, { options: { demo: true }, media: true, ...options })
const row = (page: Page, index: number): ReturnType<Page['locator']> => page.locator('#list .row').nth(index)
const title = async (page: Page): Promise<string> => await page.locator('#song').innerText()
const queued = async (page: Page): Promise<string[]> => await page.locator('#queue .name').allTextContents()
/** Resolves once an expression holds. The policy of the page forbids the browser's own way of waiting. */
async function holds (page: Page, expression: string): Promise<void> {
  const end = Date.now() + 15_000
  await until(async () => {
    if (Date.now() > end) throw new Error(`this never holds: ${expression}`)
    return await page.evaluate(expression) === true
  })
}
/** Resolves once a song plays, after `from` seconds of it. */
const plays = async (page: Page, from = 0): Promise<void> => await holds(page, `(() => { const audio = document.querySelector('audio'); return !audio.paused && audio.currentTime > ${from} })()`)
/** The songs that a search for this singer finds play without a login, or do not; the names of those in the list. */
async function lanterns ({ page, says }: Visit): Promise<string[]> {
  await page.getByRole('searchbox').fill('The Paper Lanterns')
  await page.keyboard.press('Enter')
  await says('for “The Paper Lanterns”.')
  return await page.locator('#list .row .name').allTextContents()
}
/** A chart whose first songs play without a login. */
async function chart (page: Page): Promise<string[]> {
  await page.getByRole('button', { name: /Soaring/ }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  return await page.locator('#list .row .name').allTextContents()
}

t.test('the list becomes the queue: next, previous, the end of a song, adding and removing', { skip }, async (t) => {
  const { page, complaints, says } = await visit(t, '/', { look: wide })
  const names = await chart(page)
  await row(page, 0).click()
  await plays(page)
  t.same([await title(page), await queued(page)], [names[0], names])
  await page.getByRole('button', { name: 'Next song' }).click()
  await says(`Playing ${names[1]} by`)
  t.same([await title(page), await page.locator('#list [aria-current] .name').innerText(), await page.locator('#queue-count').innerText()], [names[1], names[1], '2 / 50'])
  await page.getByRole('button', { name: 'Previous song' }).click()
  await says(`Playing ${names[0]} by`)
  await plays(page)
  await page.evaluate("(() => { const audio = document.querySelector('audio'); audio.currentTime = audio.duration - 0.3 })()")
  await says(`Playing ${names[1]} by`)

  await page.getByRole('button', { name: `Add ${names[9]} to the queue` }).click()
  await says('is in the queue.')
  t.same((await queued(page)).slice(49), [names[49], names[9]])
  await page.getByRole('button', { name: `Remove ${names[0]} from the queue` }).click()
  t.same([(await queued(page))[0], await page.locator('#queue-count').innerText()], [names[1], '1 / 50'])
  await plays(page, 0)
  await page.locator('#queue .row').nth(2).click()
  await says(`Playing ${names[3]} by`)
  await page.getByRole('button', { name: 'Clear the queue' }).click()
  t.equal(await page.locator('#player').isVisible(), false)
  t.equal(await page.evaluate("document.querySelector('audio').paused"), true)
  t.notMatch(page.url(), 'song=')
  t.same(complaints, [])
})

t.test('a song that nobody may play is left out when the one before ends, and said when it was chosen', { skip }, async (t) => {
  const { page, says, complaints } = await visit(t, '/', { look: wide })
  const search = async (words: string): Promise<void> => {
    await page.getByRole('searchbox').fill(words)
    await page.keyboard.press('Enter')
    await says(`for “${words}”.`)
  }
  await search('First Light')
  await row(page, 0).click()
  await plays(page)
  for (const words of ['Velvet Toll', 'First Light']) {
    await search(words)
    await page.getByRole('button', { name: `Add ${words} to the queue` }).click()
    await says('is in the queue.')
  }
  t.same(await queued(page), ['First Light', 'Velvet Toll', 'First Light'])
  await page.evaluate("(() => { const audio = document.querySelector('audio'); audio.currentTime = audio.duration - 0.3 })()")
  await holds(page, "document.querySelector('#queue-count').textContent === '3 / 3'")
  await plays(page)
  await page.locator('#queue .row').nth(1).click()
  await says('Velvet Toll cannot be played: Log in to play this song.')
  t.equal(await title(page), 'Velvet Toll')
  t.same(complaints, [])
})

t.test('seek, volume and media keys; the machine knows the song', { skip }, async (t) => {
  // The browser keeps the handlers to itself.
  const { page, complaints, says } = await visit(t, '/health/live', { look: wide })
  await page.addInitScript({ content: "globalThis.keys = {}; const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession); navigator.mediaSession.setActionHandler = (name, handler) => { keys[name] = handler; set(name, handler) }" })
  await page.goto(new URL('/', page.url()).href)
  const names = await chart(page)
  await row(page, 0).click()
  await plays(page)
  const [name, singers] = [await title(page), await page.locator('#singers').innerText()]
  await holds(page, 'navigator.mediaSession.metadata.artwork.length > 0')
  t.same(await page.evaluate('[navigator.mediaSession.metadata.title, navigator.mediaSession.metadata.artist, navigator.mediaSession.playbackState]'), [name, singers, 'playing'])

  const slider = page.getByRole('slider', { name: 'Position' })
  await slider.fill('30')
  await plays(page, 30)
  t.match(await slider.getAttribute('aria-valuetext'), /^0:3\d of \d:\d\d$/)
  t.match(await page.locator('#at').innerText(), /^0:3\d$/)
  await slider.focus()
  await page.keyboard.press('Home')
  await holds(page, "document.querySelector('audio').currentTime < 20")
  await page.getByRole('slider', { name: 'Volume' }).fill('40')
  t.equal(await page.evaluate("document.querySelector('audio').volume"), 0.4)
  await page.getByRole('button', { name: 'Mute' }).click()
  t.equal(await page.evaluate("document.querySelector('audio').muted"), true)
  await page.locator('#mute[aria-pressed=true]').waitFor()

  const press = async (key: string, more = ''): Promise<void> => { await page.evaluate(`keys['${key}']({ action: '${key}'${more} })`) }
  await press('seekto', ', seekTime: 50')
  await plays(page, 50)
  await press('seekforward')
  await plays(page, 60)
  await press('pause')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  t.equal(await page.evaluate('navigator.mediaSession.playbackState'), 'paused')
  await press('play')
  await plays(page)
  await press('nexttrack')
  await says(`Playing ${names[1]} by`)
  await press('previoustrack')
  await says(`Playing ${names[0]} by`)
  t.same(complaints, [])
})

t.test('space and arrows work where no control has the focus, and the tab names the song', { skip }, async (t) => {
  const { page, complaints } = await visit(t, '/', { look: wide })
  t.equal(await page.title(), 'music-relay')
  const [name = ''] = await chart(page)
  await row(page, 0).click()
  await plays(page)
  t.ok((await page.title()).startsWith(`${name} · `))
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('Space')
  await holds(page, "document.querySelector('audio').paused")
  const before = await page.evaluate<number>("document.querySelector('audio').currentTime")
  await page.keyboard.press('ArrowRight')
  await holds(page, `Math.abs(document.querySelector('audio').currentTime - ${before} - 10) < 1`)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  await plays(page, before)
  await page.getByRole('searchbox').fill('a')
  await page.keyboard.press('Space')
  t.equal(await page.getByRole('searchbox').inputValue(), 'a ', 'a field keeps its keys')
  t.equal(await page.evaluate("document.querySelector('audio').paused"), false)
  await page.getByRole('button', { name: 'Clear the queue' }).click()
  t.equal(await page.title(), 'music-relay')
  t.same(complaints, [])
})

t.test('the lyric follows, within its own frame, and a press on a line goes there', { skip }, async (t) => {
  const { page, complaints } = await visit(t, '/#song=00DemoSong0001', { look: wide })
  await page.locator('#lyric li').nth(8).waitFor()
  await page.getByRole('button', { name: /^(?:Play|Pause)$/ }).and(page.locator('[data-plays]')).waitFor()
  if (await page.evaluate("document.querySelector('audio').paused")) await page.locator('#toggle').click()
  await plays(page)
  const line = page.locator('#lyric li').nth(8)
  await line.scrollIntoViewIfNeeded()
  const before = await page.evaluate('scrollY')
  await line.click()
  await holds(page, "document.querySelector('#lyric li:nth-child(9)').getAttribute('aria-current') === 'true'")
  await page.locator('#lyric li').first().click()
  await holds(page, "document.querySelector('#lyric li:nth-child(9)').getAttribute('aria-current') === null && document.querySelector('#lyric').scrollTop < 50")
  t.equal(await page.locator('#lyric [aria-current]').count(), 1)
  t.equal(await page.evaluate('scrollY'), before, 'the page itself does not move')
  t.same(complaints, [])
})

t.test('a later visit finds queue, place in the song and volume, without a sound; never a login or an address', { skip }, async (t) => {
  const { demo, page, complaints } = await visit(t, '/', { look: wide })
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie').fill(cookieOf(demo, 'member'))
  await page.getByLabel('Cookie').press('Enter')
  await page.getByText('the login of this page').waitFor()
  const front = new URL(page.url())
  const names = await chart(page)
  await row(page, 2).click()
  await plays(page)
  await page.getByRole('slider', { name: 'Position' }).fill('30')
  await plays(page, 30)
  await page.getByRole('slider', { name: 'Volume' }).fill('25')
  await page.goto('about:blank')
  await page.goto(front.origin)
  await page.locator('#song', { hasText: names[2] as string }).waitFor()
  t.same([await queued(page), await page.locator('#at').innerText().then((at) => /^0:3\d$/.test(at)), await page.getByRole('slider', { name: 'Volume' }).inputValue()], [names, true, '25'])
  t.equal(await page.evaluate("document.querySelector('audio').hasAttribute('src')"), false)
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http|1152921504600000203/)
  await page.locator('#toggle').click()
  await plays(page, 29)
  t.equal(await title(page), names[2])
  for (const broken of ['{', '[]', '{"songs":[{"mid":1}],"at":"x","volume":7}', '{"songs":null}']) {
    await page.evaluate(`localStorage.setItem('music-relay player', ${JSON.stringify(broken)})`)
    // As another tab would have left it: this one writes when it goes.
    await page.addInitScript({ content: `if (location.protocol === 'http:') localStorage.setItem('music-relay player', ${JSON.stringify(broken)})` })
    await page.goto('about:blank')
    await page.goto(front.origin)
    await page.getByRole('button', { name: /Soaring/ }).waitFor()
    t.equal(await page.locator('#player').isVisible(), false)
  }
  t.same(complaints, [])
})

t.test('a copied link leads to the song, and "Back" to the view before', { skip }, async (t) => {
  const visited = await visit(t, '/', { look: { ...wide, permissions: ['clipboard-read', 'clipboard-write'] }, host: 'localhost' })
  const { page, says, complaints } = visited
  await chart(page)
  await lanterns(visited)
  await page.locator('#list').getByRole('button', { name: 'First Light' }).first().click()
  await says('Playing First Light')
  t.equal(new URL(page.url()).hash, '#search=The+Paper+Lanterns&song=00DemoSong0001')
  await page.getByRole('button', { name: 'Share' }).click()
  await says('The link is copied.')
  const link = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(link, new URL('/#song=00DemoSong0001', page.url()).href)
  await page.goBack()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Charts', exact: true }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  const other = await page.context().newPage()
  await other.goto(link)
  await other.locator('#song', { hasText: 'First Light' }).waitFor()
  await other.locator('#lyric li').first().waitFor()
  t.same(complaints, [])
})

t.test('on a phone results come first, taps lead to them, and the player covers nothing', { skip }, async (t) => {
  const { page, complaints, says } = await visit(t, '/', { look: phone })
  await row(page, 0).waitFor()
  const box = async (selector: string): Promise<{ y: number, height: number }> => await page.locator(selector).first().boundingBox() as { y: number, height: number }
  t.ok((await box('#list .row')).y < 500, 'the first result is on the first screen')
  t.ok((await box('.facts')).y > (await box('#list')).y + (await box('#list')).height)

  await page.getByRole('button', { name: /Soaring/ }).scrollIntoViewIfNeeded()
  await page.getByRole('button', { name: /Soaring/ }).tap()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await holds(page, "Math.abs(document.querySelector('#stage').getBoundingClientRect().top) < 30")
  const low = row(page, 8)
  await low.evaluate((element: any) => { element.scrollIntoView({ block: 'end' }) })
  await low.tap()
  await says('Playing')
  await plays(page)
  const bar = await box('#player')
  t.ok(bar.height < 130 && Math.abs(bar.y + bar.height - 740) < 1, `the bar is ${bar.height} high`)
  await holds(page, "document.querySelectorAll('#list .row')[8].getBoundingClientRect().bottom <= document.querySelector('#player').getBoundingClientRect().top")
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await holds(page, "document.querySelector('main').lastElementChild.getBoundingClientRect().bottom <= document.querySelector('#player').getBoundingClientRect().top")
  for (const name of ['Pause', 'Next song', 'Lyric, volume and queue']) t.ok(((await page.getByRole('button', { name }).boundingBox())?.height ?? 0) >= 44, name)
  t.equal(await page.locator('#lyric').isVisible(), false)
  await page.getByRole('button', { name: 'Lyric, volume and queue' }).tap()
  await page.locator('#lyric').waitFor()
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  t.ok((await box('#player')).y >= 740 * 0.15 - 1)
  await page.getByRole('button', { name: 'Lyric, volume and queue' }).tap()
  await page.locator('#lyric').waitFor({ state: 'hidden' })

  await page.getByRole('list', { name: 'Trending searches' }).getByRole('button').first().tap()
  await says(' for “')
  await holds(page, "Math.abs(document.querySelector('#search').getBoundingClientRect().top) < 30")
  t.same(complaints, [])
})
