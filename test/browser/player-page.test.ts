/** The player of the page in a real browser: queue, controls, media keys, what it remembers, and on a phone. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import {
  browserFor, changeAnswers, handsOn, overloadFor, pageTest, type Visit, type VisitOptions
} from '../support/browser.ts'
import { cookieOf, until } from '../support/helper.ts'

const open = browserFor(t)
const wide = { viewport: { width: 1200, height: 900 } }
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
const soaring = '/#/chart/62'

const onPage = pageTest(async (t: Test, path: string, options: VisitOptions) =>
  await open(t, path, { options: { demo: true }, media: true, ...options }))
const row = (page: Page, index: number): ReturnType<Page['locator']> => page.locator('#view .song').nth(index)
const title = async (page: Page): Promise<string> => await page.locator('#song').innerText()
const namesIn = async (page: Page): Promise<string[]> =>
  (await page.locator('#view .song .name').allTextContents()).map((name) => name.replace('Play: ', ''))
const named = async (page: Page, name: string): Promise<void> => {
  await page.locator('#song', { hasText: name }).waitFor()
}
const playHere = async (page: Page): Promise<void> => {
  await page.locator('#view').getByRole('button', { name: 'Play', exact: true }).click()
}
/** The names of a chart, whose first songs play without a login. */
async function chart (page: Page): Promise<string[]> {
  await row(page, 49).waitFor()
  return (await namesIn(page)).slice(0, 50)
}
const nearEnd = async (page: Page): Promise<void> => { await page.evaluate("(() => { const audio = document.querySelector('audio'); audio.currentTime = audio.duration - 0.3 })()") }

onPage('the list becomes the queue: next, previous, the end of a song, adding, removing, moving, clearing', [
  soaring, { look: wide }
], async ({ t, page, says, press, plays, holds }) => {
  const names = await chart(page)
  await row(page, 0).click()
  await plays()
  await named(page, names[0] as string)
  await press('Next song')
  await says(`Playing ${names[1]} by`)
  t.equal(await page.locator('#view [aria-current=true] .name').textContent(), `Play: ${names[1]}`)
  await press('Previous song')
  await says(`Playing ${names[0]} by`)
  await plays()
  await nearEnd(page)
  await says(`Playing ${names[1]} by`)

  await page.getByRole('button', { name: `Add ${names[9]} to the queue` }).click()
  await says('is in the queue.')
  await press('Queue')
  await page.locator('#queue').waitFor()
  const before = await namesIn(page)
  t.equal(before.at(-1), names[9])
  t.match(await page.locator('#queue-count').innerText(), /^2 \/ \d+$/)
  await page.getByRole('button', { name: `Remove ${names[0]} from the queue` }).click()
  t.same([(await namesIn(page))[0], (await page.locator('#queue-count').innerText()).slice(0, 3)], [names[1], '1 /'])
  await plays(0)

  // By keyboard: the song goes down, and the keyboard goes with it.
  await page.getByRole('button', { name: `Move ${names[2]}: arrow keys` }).focus()
  await page.keyboard.press('ArrowDown')
  await holds(`document.activeElement.getAttribute('aria-label') === ${JSON.stringify(`Move ${names[2]}: arrow keys`)}`)
  t.same((await namesIn(page)).slice(0, 3), [names[1], names[3], names[2]])
  // By pointer: it goes back up.
  const [from, to] =
    [await page.locator('.grip').nth(2).boundingBox(), await page.locator('.grip').nth(1).boundingBox()]
  await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 20)
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 20, (to?.y ?? 0) + 20, { steps: 5 })
  await page.mouse.up()
  t.same((await namesIn(page)).slice(0, 3), [names[1], names[2], names[3]])
  await row(page, 2).click()
  await says(`Playing ${names[3]} by`)
  await press('Clear the queue')
  await page.getByText('The queue is empty.').waitFor()
  t.equal(await page.evaluate("document.querySelector('audio').paused"), true)
  t.equal(await page.locator('#song').count(), 0)
})

onPage('shuffle mixes what comes and gives it back; repeat goes on with the first song, or with the same', ['/#/album/00DemoAlbu0001', { look: wide }], async ({ t, page, says, press, plays, holds }) => {
  await row(page, 9).waitFor()
  const names = await namesIn(page)
  await row(page, 0).click()
  await plays()
  await press('Queue')
  for (let tries = 0; tries < 5 && (await namesIn(page)).join() === names.join(); tries++) {
    await press('Shuffle')
    if (await page.getByRole('button', { name: 'Shuffle' }).getAttribute('aria-pressed') !== 'true') await press('Shuffle')
  }
  t.not((await namesIn(page)).join(), names.join())
  t.same([
    (await namesIn(page))[0], (await namesIn(page)).toSorted()
  ], [names[0], names.toSorted()], 'the current song stays, and no song is lost')
  await press('Shuffle')
  t.same(await namesIn(page), names)
  await page.getByRole('button', { name: /^Repeat/ }).click()
  await page.getByRole('button', { name: 'Repeat: all songs' }).waitFor()
  await row(page, 9).click()
  await holds("document.querySelector('#queue-count').textContent === '10 / 10'")
  t.equal(await page.getByRole('button', { name: 'Next song' }).isDisabled(), false)
  await press('Next song')
  await says(`Playing ${names[0]} by`)
  await page.getByRole('button', { name: 'Repeat: all songs' }).click()
  await page.getByRole('button', { name: 'Repeat: this song' }).waitFor()
  await plays()
  await nearEnd(page)
  await holds("document.querySelector('audio').currentTime < 20")
  await plays()
  t.equal(await title(page), names[0])
})

onPage('a song that nobody may play is left out when the one before ends, and said when it was chosen', ['/', { look: wide }], async (
  { t, page, says, plays, search, choose, holds, press }
) => {
  await search('First Light')
  await choose('First Light')
  await plays()
  for (const words of ['Velvet Toll', 'First Light']) {
    await search(words)
    await page.getByRole('button', { name: `Add ${words} to the queue` }).first().click()
    await says('is in the queue.')
  }
  await press('Queue')
  const names = await namesIn(page)
  t.same(names.slice(-2), ['Velvet Toll', 'First Light'])
  const last = names.length
  await row(page, last - 3).click()
  await holds("document.querySelector('#song') !== null")
  await page.evaluate("document.querySelector('audio').pause()")
  for (let at = last - 3; at > 0; at--) await page.locator('#queue .song')
    .nth(0).getByRole('button', { name: /^Remove/ }).click()
  await row(page, 0).click()
  await plays()
  await nearEnd(page)
  await holds("document.querySelector('#queue-count').textContent === '3 / 3'")
  await plays()
  await row(page, 1).click()
  await says('Velvet Toll cannot be played: Log in to play this song.')
  t.equal(await title(page), 'Velvet Toll')
})

onPage('seek, volume and media keys; the machine knows the song, its cover and the place in it', ['/health/live', { look: wide }], async ({ t, page, says, plays, holds, press }) => {
  // The browser keeps the handlers to itself.
  await page.addInitScript({ content: "globalThis.keys = {}; const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession); navigator.mediaSession.setActionHandler = (name, handler) => { keys[name] = handler; set(name, handler) }" })
  await page.goto(new URL(soaring, page.url()).href)
  const names = await chart(page)
  await row(page, 0).click()
  await plays()
  await holds('navigator.mediaSession.metadata.artwork.length > 0')
  const [name, singers] = [await title(page), await page.locator('#singers .singers').innerText()]
  t.same(await page.evaluate('[navigator.mediaSession.metadata.title, navigator.mediaSession.metadata.artist, navigator.mediaSession.playbackState]'), [name, singers, 'playing'])

  const slider = page.getByRole('slider', { name: 'Position' })
  await slider.fill('30')
  await plays(30)
  t.match(await slider.getAttribute('aria-valuetext'), /^0:3\d of \d:\d\d$/)
  t.match(await page.locator('#at').innerText(), /^0:3\d$/)
  await slider.focus()
  await page.keyboard.press('Home')
  await holds("document.querySelector('audio').currentTime < 20")
  await page.getByRole('slider', { name: 'Volume' }).fill('40')
  t.equal(await page.evaluate("document.querySelector('audio').volume"), 0.4)
  await press('Mute')
  t.equal(await page.evaluate("document.querySelector('audio').muted"), true)
  await page.getByRole('button', { name: 'Mute', pressed: true }).waitFor()

  const key = async (action: string, more = ''): Promise<void> => {
    await page.evaluate(`keys['${action}']({ action: '${action}'${more} })`)
  }
  await key('seekto', ', seekTime: 50')
  await plays(50)
  await key('seekforward')
  await plays(60)
  await key('pause')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  t.equal(await page.evaluate('navigator.mediaSession.playbackState'), 'paused')
  await key('play')
  await plays()
  await key('nexttrack')
  await says(`Playing ${names[1]} by`)
  await key('previoustrack')
  await says(`Playing ${names[0]} by`)
})

onPage('the quality that a person chooses plays on from the same place, and is remembered', [
  '/#/song/00DemoSong0001', { look: wide }
], async ({ t, demo, page, plays, useCookie, holds }) => {
  await useCookie(cookieOf(demo, 'member'))
  await playHere(page)
  await plays()
  t.match(await page.locator('#file').innerText(), /^128 kbit\/s/)
  await page.getByRole('slider', { name: 'Position' }).fill('40')
  await plays(40)
  await page.getByLabel('Quality').selectOption('flac')
  await holds("document.querySelector('#file').textContent.startsWith('Lossless')")
  await plays(39)
  await page.reload()
  t.equal(await page.getByLabel('Quality').inputValue(), 'flac')
})

onPage('the lyric follows on the whole screen, within its own frame, and a press on a line goes there; an instrumental is said', ['/#/song/00DemoSong0001', { look: wide }], async ({ t, page, plays, press, holds }) => {
  await playHere(page)
  await plays()
  await press('Lyric')
  const line = page.locator('#lyric li').nth(8)
  await line.waitFor()
  const before = await page.evaluate('scrollY')
  await line.click()
  await holds("document.querySelector('#lyric li:nth-child(9)').getAttribute('aria-current') === 'true'")
  await page.locator('#lyric li').first().click()
  await holds("document.querySelector('#lyric li:nth-child(9)').getAttribute('aria-current') === null && document.querySelector('#lyric').scrollTop < 50")
  t.equal(await page.locator('#lyric [aria-current]').count(), 1)
  t.equal(await page.evaluate('scrollY'), before, 'the page itself does not move')
  await press('Lyric')
  await page.locator('#lyric').waitFor({ state: 'detached' })
  await page.goto(new URL('./#/song/00DemoSong0006', page.url()).href)
  await page.getByRole('heading', { name: 'Intermezzo No. 6' }).waitFor()
  await playHere(page)
  await press('Lyric')
  await page.getByText('This song is an instrumental.').waitFor()
})

onPage('a radio goes on by itself', ['/#/radio/199', { look: wide }], async (
  { t, demo, page, plays, press, holds, useCookie }
) => {
  await useCookie(cookieOf(demo, 'member'))
  await row(page, 5).waitFor()
  await press('Listen')
  await plays()
  await press('Queue')
  const count = async (): Promise<number> => Number((await page.locator('#queue-count').innerText()).split(' / ')[1])
  const before = await count()
  await row(page, before - 2).getByRole('button', { name: /^Play/ }).click()
  await holds(`Number(document.querySelector('#queue-count').textContent.split(' / ')[1]) > ${before}`)
  t.ok(await count() > before)
})

onPage('a later visit finds queue, place in the song and volume, without a sound; ids only, never a login or an address', [soaring, { look: wide }], async (
  { t, demo, page, plays, press, useCookie }
) => {
  await useCookie(cookieOf(demo, 'member'))
  const front = new URL('/', page.url())
  const names = await chart(page)
  await row(page, 2).click()
  await plays()
  await page.getByRole('slider', { name: 'Position' }).fill('30')
  await plays(30)
  await page.getByRole('slider', { name: 'Volume' }).fill('25')
  await page.goto('about:blank')
  await page.goto(front.href)
  await named(page, names[2] as string)
  t.same([
    await page.locator('#at').innerText().then((at) => /^0:3\d$/.test(at)),
    await page.getByRole('slider', { name: 'Volume' }).inputValue()
  ], [true, '25'])
  t.equal(await page.evaluate("document.querySelector('audio').hasAttribute('src')"), false)
  const stored = await page.evaluate<string>('JSON.stringify(localStorage)')
  t.notMatch(stored, /demoMember|vkey|http|1152921504600000203/)
  t.notOk(names.some((name) => stored.includes(name)), 'ids, no names')
  await press('Queue')
  await row(page, 49).waitFor()
  t.same((await namesIn(page)).slice(0, 50), names)
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await plays(29)
  t.equal(await title(page), names[2])
  for (const broken of ['{', '[]', '{"songs":[{"mid":1}],"at":"x","volume":7}', '{"songs":null}']) {
    // As another tab would have left it: this one writes when it goes.
    await page.addInitScript({ content: `if (location.protocol === 'http:') localStorage.setItem('music-relay player', ${JSON.stringify(broken)})` })
    await page.goto('about:blank')
    await page.goto(front.href)
    await page.getByText('Nothing plays.').waitFor()
  }
})

onPage('a copied link leads to the song, and "Back" to the view before', [
  '/#/charts', { look: { ...wide, permissions: ['clipboard-read', 'clipboard-write'] }, host: 'localhost' }
], async ({ t, page, says, search, choose, press, heading, plays }) => {
  await page.getByRole('link', { name: /Soaring/ }).click()
  await heading(/Soaring/)
  await search('The Paper Lanterns')
  await choose('First Light')
  await says('Playing First Light')
  await page.locator('#bar').getByRole('link', { name: 'About First Light' }).click()
  await heading('First Light')
  await press('Share')
  await says('The link is copied.')
  const link = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(link, new URL('/#/song/00DemoSong0001', page.url()).href)
  await plays()
  await page.goBack()
  await heading(/^Results/)
  await page.goBack()
  await heading(/Soaring/)
  await page.goBack()
  await heading('Charts')
  await page.goForward()
  await heading(/Soaring/)
  await plays()
  const other = await page.context().newPage()
  await other.goto(link)
  await other.getByRole('heading', { name: 'First Light' }).waitFor()
})

onPage('on a phone results come first, the bar has everything, and covers nothing', [
  '/#/charts', { look: phone }
], async ({ t, page, says, heading, plays, holds, press }) => {
  const box = async (selector: string): Promise<{ y: number, height: number }> =>
    await page.locator(selector).first().boundingBox() as { y: number, height: number }
  await page.getByRole('link', { name: /Soaring/ }).tap()
  await heading(/Soaring/)
  await row(page, 0).waitFor()
  t.ok((await box('#view .song')).y < 620, 'the first result is on the first screen')
  const low = row(page, 8)
  await low.scrollIntoViewIfNeeded()
  await low.getByRole('button', { name: /^Play/ }).tap()
  await says('Playing')
  await plays()
  const bar = await box('#bar')
  t.ok(bar.height < 130 && Math.abs(bar.y + bar.height - 740) < 1, `the bar is ${bar.height} high`)
  // The list goes on twice.
  await holds("scrollTo(0, document.documentElement.scrollHeight), document.querySelector('.foot').getBoundingClientRect().bottom <= document.querySelector('#bar').getBoundingClientRect().top")
  for (const name of ['Pause', 'Next song', 'Previous song', 'More controls']) {
    t.ok(((await page.getByRole('button', { name }).boundingBox())?.height ?? 0) >= 44, name)
  }
  await page.getByRole('button', { name: 'More controls' }).tap()
  for (const name of ['Shuffle', /^Repeat/, 'Mute', 'Lyric', 'Queue']) {
    t.ok(await page.getByRole('button', { name, exact: typeof name === 'string' }).isVisible(), String(name))
  }
  for (const label of ['Volume', 'Quality', 'Position']) {
    t.ok(await page.getByLabel(label, { exact: true }).isVisible(), label)
  }
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  // What is fixed widens no page, and is cut off.
  for (const width of [320, 390, 460, 360]) {
    await page.setViewportSize({ width, height: 740 })
    t.same(await page.evaluate("[...document.querySelectorAll('#bar :is(button, input, select, .note)')].filter((each) => { const { left, right, bottom } = each.getBoundingClientRect(); return left < 0 || right > innerWidth || bottom > innerHeight }).map((each) => each.outerHTML)"), [], `what the bar has can be reached at ${width} px`)
  }
  t.ok((await box('#bar')).y >= 740 * 0.5, 'half of the screen stays')
  await press('Lyric')
  await page.locator('#lyric').waitFor()
  t.ok((await box('#bar')).height < 130, 'the lyric has the screen')
  await press('Lyric')
  await page.getByRole('searchbox').fill('paper')
  await page.keyboard.press('Enter')
  await heading('Results for “paper”')
  t.not(await page.evaluate('document.activeElement.id'), 'words', 'the keyboard of a phone leaves')
})

onPage('after a reload, the arrow keys go on from the kept place', [soaring, { look: wide }], async ({ page, plays }) => {
  await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await page.evaluate("document.querySelector('audio').currentTime = 60")
  await plays(60)
  await page.reload()
  const at = async (time: string): Promise<void> => { await page.locator('#at', { hasText: time }).waitFor() }
  await at('1:0')
  await page.locator('#view h1').click()
  await page.keyboard.press('ArrowRight')
  await at('1:1')
  await page.keyboard.press('ArrowLeft')
  await at('1:0')
})

onPage('a list goes on behind a page whose rows were all left out', ['/health/live', { look: wide }], async ({ page, holds }) => {
  await changeAnswers(page, '**/getSongListDetail**', (record, url) => {
    if (/offset=100(?:&|$)/.test(url.href)) {
      record.skipped = record.songlist.length
      record.songlist = []
    }
  })
  await page.goto(new URL('/#/playlist/7700000005', page.url()).href)
  await page.locator('#view h1').waitFor()
  await page.getByRole('button', { name: 'Play all' }).click()
  await row(page, 99).waitFor()
  await page.mouse.move(500, 400)
  await until(async () => {
    await page.mouse.wheel(0, 6000)
    return await page.locator('#view .song').count() > 150
  })
  await holds("JSON.parse(localStorage['music-relay player']).songs.length > 150")
})

onPage('while the relay cannot be reached, or the login has ended, the queue stands at the next song', [soaring, { look: wide }], async ({ t, page, says, plays }) => {
  const names = await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await page.route('**/getMusicPlay**', async (route) => { await route.abort() })
  await nearEnd(page)
  await page.locator('#reason', { hasText: 'cannot be reached' }).waitFor()
  t.equal(await title(page), names[1])
  await page.unroute('**/getMusicPlay**')
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await says(`Playing ${names[1]} by`)
  await plays()
  await changeAnswers(page, '**/getMusicPlay**', (record) => {
    Object.assign(record, { url: '', reason: 'COOKIE_EXPIRED', availableQualities: [] })
  })
  await nearEnd(page)
  await page.locator('#reason', { hasText: 'The login has expired.' }).waitFor()
  t.equal(await title(page), names[2])
}, /Failed to load resource/)

onPage('a press on Queue in a page that was opened there leads home, and not to the site before', ['/health/live', { look: wide }], async ({ t, page }) => {
  await page.goto(new URL('/#/queue', page.url()).href)
  await page.locator('#view h1', { hasText: 'Queue' }).waitFor()
  await page.locator('#bar').getByRole('button', { name: 'Queue' }).click()
  await page.locator('#view[data-view=""]').waitFor()
  t.equal(new URL(page.url()).pathname, '/')
  await page.locator('#bar').getByRole('button', { name: 'Queue' }).click()
  await page.locator('#view h1', { hasText: 'Queue' }).waitFor()
  await page.locator('#bar').getByRole('button', { name: 'Queue' }).click()
  await page.locator('#view[data-view=""]').waitFor()
})

onPage('a file whose address expires in mid-song is no longer said to play, and a press on Play goes on from the same place', [soaring, { look: wide }], async ({ t, page, plays }) => {
  await chart(page)
  let broken = 0
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'media' || broken === 2) return await route.continue()
    if (broken === 1) return await route.fulfill({ status: 403, body: '' })
    const body = await (await route.fetch({ headers: {} })).body()
    const half = body.length >> 1
    await route.fulfill({ status: 206, body: body.subarray(0, half), headers: {
      'accept-ranges': 'bytes', 'content-type': 'audio/mpeg', 'content-range': `bytes 0-${half - 1}/${body.length}`
    } })
    broken = 1
  })
  await row(page, 0).locator('.name').click()
  await plays()
  await page.evaluate("document.querySelector('audio').currentTime = 100")
  await page.locator('#reason', { hasText: 'could not be loaded' }).waitFor()
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).waitFor()
  broken = 2
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await plays(99)
  t.equal(await page.locator('#reason').count(), 0)
  broken = 1
  await row(page, 1).locator('.name').click()
  await page.locator('#reason', { hasText: 'could not be loaded' }).waitFor()
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).waitFor()
}, /Failed to load resource/)

onPage('a song and a film do not sound at once', [soaring, { look: wide }], async ({ page, plays, holds }) => {
  await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'MVs' }).click()
  await page.locator('#view .card').first().click()
  await page.locator('video').waitFor()
  await page.evaluate("document.querySelector('video').play()")
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await plays()
  await holds("document.querySelector('video').paused")
})

onPage('of two tabs only the one that began last sounds, with a song or a film', [
  soaring, { look: wide }
], async ({ page, server, plays, holds }) => {
  await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  const other = await page.context().newPage()
  await other.goto(`${server.address}/#/mvs`)
  await other.locator('#view .card').first().click()
  await other.locator('video').waitFor()
  await other.evaluate("document.querySelector('video').play()")
  await holds("document.querySelector('audio').paused")
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await plays()
  await handsOn(other).holds("document.querySelector('video').paused")
  await other.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await handsOn(other).plays()
  await holds("document.querySelector('audio').paused")
})

onPage('a quality that is chosen while the song is paused makes no sound', [
  '/#/song/00DemoSong0001', { look: wide }
], async ({ t, demo, page, plays, useCookie, holds }) => {
  await useCookie(cookieOf(demo, 'member'))
  await playHere(page)
  await plays()
  await page.locator('#bar').getByRole('button', { name: 'Pause' }).click()
  await page.getByLabel('Quality').selectOption('flac')
  await page.waitForTimeout(1500)
  t.equal(await page.evaluate("document.querySelector('audio').paused"), true)
  await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
  await holds("document.querySelector('#file').textContent.startsWith('Lossless')")
})

onPage('a film that begins while a song is loading keeps the sound', [soaring, { look: wide }], async ({ t, page }) => {
  await chart(page)
  let release = (): void => {}
  const end = new Promise<void>((resolve) => { release = resolve })
  await page.route('**/getMusicPlay**', async (route) => { await end; await route.continue().catch(() => {}) })
  await row(page, 0).locator('.name').click()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'MVs' }).click()
  await page.locator('#view .card').first().click()
  await page.locator('video').waitFor()
  await page.evaluate("document.querySelector('video').play()")
  await page.waitForTimeout(200)
  release()
  await page.waitForTimeout(1500)
  t.same(await page.evaluate("[document.querySelector('video').paused, document.querySelector('audio').paused]"), [false, true])
})

onPage('a view that failed is asked for again while the song plays on', [soaring, { look: wide }], async ({ page, plays, heading }) => {
  await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await page.route('**/getSongInfo**', async (route) => {
    await route.fulfill({ status: 502, json: { error: 'No answer.', code: 'UPSTREAM_UNREACHABLE' } })
  })
  await page.evaluate("location.hash = '#/song/00DemoSong0001'")
  await page.getByText('No answer.').waitFor()
  await page.unroute('**/getSongInfo**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await heading('First Light')
  await plays()
}, /Failed to load resource/)

/** Goes on to the stations while an answer is on its way, which then leads nowhere. */
async function goesOnBefore (
  answer: string, { t, page, heading }: Pick<Visit, 'page' | 'heading'> & { readonly t: Test },
  asks: () => Promise<unknown>
): Promise<void> {
  let release = (): void => {}
  const end = new Promise<void>((resolve) => { release = resolve })
  await page.route(answer, async (route) => { await end; await route.continue() })
  await asks()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Radio' }).click()
  await heading('Radio')
  const late = page.waitForResponse(answer)
  release()
  await late
  await page.waitForTimeout(500)
  t.equal(new URL(page.url()).hash, '#/radio')
}

onPage('an answer that comes after one went on leads nowhere', ['/#/charts', { look: wide }], async ({ t, page, heading }) => {
  await goesOnBefore('**/resolve**', { t, page, heading }, async () => {
    await page.getByRole('searchbox').fill('https://y.qq.com/n/ryqq/songDetail/00DemoSong0001')
    await page.keyboard.press('Enter')
  })
})

onPage('the singer of a song whose record comes late is not shown to who went on', ['/#/charts', { look: wide }], async ({ t, page, heading }) => {
  await goesOnBefore('**/getSongInfo**', { t, page, heading }, async () => {
    await page.evaluate("location.hash = '#/singer?songmid=00DemoSong0001'")
    await page.locator('#view[data-view=singer]').waitFor()
  })
})

onPage('a song that is taken out of the queue by keyboard leaves the keyboard at the next one', [soaring, { look: wide }], async ({ t, page, plays, press }) => {
  const names = await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await press('Queue')
  await page.getByRole('button', { name: `Remove ${names[3]} from the queue` }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `Remove ${names[3]} from the queue` }).waitFor({ state: 'detached' })
  t.match(await page.evaluate('document.activeElement.ariaLabel'), `Remove ${names[4]} from`)
  await page.getByRole('button', { name: 'Clear the queue' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The queue is empty').waitFor()
  t.equal(await page.evaluate('document.activeElement.id'), 'view')
})

onPage('the title of the page is never that of the view before', ['/#/charts', { look: wide }], async ({ t, page, heading }) => {
  await heading('Charts')
  t.equal(await page.title(), 'Charts · music-relay')
  await page.route('**/getAlbumInfo**', async (route) => {
    await route.fulfill({ status: 404, json: { error: 'There is no such album.', code: 'NOT_FOUND' } })
  })
  await page.evaluate("location.hash = '#/album/00DemoAlbu0001'")
  await page.getByText('There is no such album.').waitFor()
  t.equal(await page.title(), 'music-relay')
  await page.goBack()
  await heading('Charts')
  t.equal(await page.title(), 'Charts · music-relay')
}, /Failed to load resource/)

onPage('the same thing done twice is said twice', [soaring, { look: wide }], async ({ page, says, holds }) => {
  const names = await chart(page)
  const add = page.getByRole('button', { name: `Add ${names[4]} to the queue` })
  await add.click()
  await says('is in the queue.')
  await page.evaluate("globalThis.first = document.querySelector('#status p')")
  await add.click()
  await holds('!first.isConnected')
})

onPage('why a film has no file is said in the language of the page', ['/#/mvs', { look: { ...wide, locale: 'zh-CN' } }], async ({ page }) => {
  await changeAnswers(page, '**/getMvPlay**', (record) => {
    Object.assign(record, { urls: [], reason: 'PAID', hint: 'The account has no right to it.' })
  })
  await page.locator('#view .card').first().click()
  await page.getByText('这个视频需要会员或单独购买').waitFor()
})

onPage('shuffle gives back the order also after a reload', ['/#/album/00DemoAlbu0001', { look: wide }], async ({ t, page, plays, press }) => {
  await row(page, 9).waitFor()
  const names = await namesIn(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await press('Queue')
  await page.locator('#queue').waitFor()
  for (let tries = 0; tries < 5 && (await namesIn(page)).join() === names.join(); tries++) {
    await press('Shuffle')
    if (await page.getByRole('button', { name: 'Shuffle' }).getAttribute('aria-pressed') !== 'true') await press('Shuffle')
  }
  await page.reload()
  await page.locator('#queue').getByText(names[9] as string).waitFor()
  await press('Shuffle')
  t.same(await namesIn(page), names)
})

onPage('a second tab that played nothing takes nothing away when it closes', [soaring, { look: wide }], async ({ t, page, plays }) => {
  const names = await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  const other = await page.context().newPage()
  await other.goto(new URL('/#/charts', page.url()).href)
  await other.locator('#song', { hasText: names[0] as string }).waitFor()
  await row(page, 3).locator('.name').click()
  await named(page, names[3] as string)
  await plays()
  const front = new URL('/', page.url()).href
  await page.goto('about:blank')
  await other.goto('about:blank')
  await page.goto(front)
  await named(page, names[3] as string)
  t.equal(await title(page), names[3])
})

onPage('songs of the last visit get their names from a relay that is overloaded for a moment', [soaring, { look: wide }], async ({ page, plays }) => {
  const names = await chart(page)
  await row(page, 0).locator('.name').click()
  await plays()
  await overloadFor(page, '**/batchGetSongInfo', 1)
  await page.reload()
  await page.locator('#song', { hasText: names[0] as string }).waitFor()
}, /503/)
