/** What goes on behind the queue, what a queue loses, and double presses, in a real browser. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserFor, changeAnswers, pageTest, type VisitOptions } from '../support/browser.ts'

const open = browserFor(t)
const wide = { viewport: { width: 1200, height: 900 } }
const store = 'music-relay player'

const onPage = pageTest(async (t: Test, path: string, options: VisitOptions) =>
  await open(t, path, { options: { demo: true }, media: true, ...options }))

/** Opens the page as a later visit with this queue. */
async function visit (page: Page, stored: object): Promise<void> {
  await page.evaluate(`localStorage.setItem(${JSON.stringify(store)}, ${JSON.stringify(JSON.stringify(stored))})`)
  await page.goto(new URL('/#/queue', page.url()).href)
  await page.locator('#queue').waitFor()
}
const stored = async (page: Page): Promise<any> =>
  JSON.parse(await page.evaluate<string>(`localStorage.getItem(${JSON.stringify(store)})`))

onPage('a song that is gone leaves the queue of the last visit; names that could not be loaded come when the queue is opened again', ['/health/live', { look: wide }], async ({ t, page, holds }) => {
  await page.route('**/batchGetSongInfo', async (route) => { await route.abort() })
  await visit(page, {
    songs: [
      { mid: '00Nonesuch0001', id: 999_999 }, { mid: '00DemoSong0001', id: 5_000_001 },
      { mid: '00DemoSong0002', id: 5_000_002 }
    ],
    at: 1
  })
  t.equal(await page.locator('#queue .name', { hasText: '…' }).count(), 3)
  await page.unroute('**/batchGetSongInfo')
  await page.goto(new URL('/#/about', page.url()).href)
  await page.goto(new URL('/#/queue', page.url()).href)
  await holds("document.querySelector('#queue-count')?.textContent === '1 / 2'")
  t.equal(await page.locator('#queue .name', { hasText: '…' }).count(), 0)
  t.equal(await page.locator('#song').innerText(), 'First Light')
}, /Failed to load resource/)

onPage('a radio goes on after a reload, and when its station has only repetitions left', ['/#/radio/199', { look: wide }], async ({ t, page, holds, press }) => {
  const asked: boolean[] = []
  await changeAnswers(page, '**/getRadioSongs**', (record, url) => {
    asked.push(url.searchParams.has('cursor'))
    if (!url.searchParams.has('cursor')) return
    record.songs = []
    delete record.nextCursor
  })
  await page.locator('#view .song').nth(5).waitFor()
  await press('Listen')
  await holds(`JSON.parse(localStorage.getItem(${JSON.stringify(store)}) ?? '{}').station === '199'`)
  await page.goto(new URL('/#/queue', page.url()).href)
  await page.reload()
  await page.locator('#queue').waitFor()
  const count = (await stored(page)).songs.length
  asked.length = 0
  const more = async (above: number): Promise<void> => {
    await holds(`Number(document.querySelector('#queue-count').textContent.split(' / ')[1]) > ${above}`)
  }
  await page.locator('#queue .song').nth(count - 2).locator('.name').click()
  await more(count)
  const { length } = (await stored(page)).songs
  await page.locator('#queue .song').nth(length - 2).locator('.name').click()
  await more(length)
  t.same(asked, [false, true, false])
})

onPage('a list that is longer than the queue plays on behind it, and no song of it is missed; what does not fit is said', ['/health/live', { look: wide }], async ({ t, page, says, holds }) => {
  const all = 730
  await changeAnswers(page, '**/getSongListDetail**', (record, url) => {
    const offset = Number(url.searchParams.get('offset') ?? 0)
    record.songnum = all
    record.skipped = 0
    record.songlist = Array.from({ length: Math.max(0, Math.min(97, all - offset)) }, (_none, index) => ({
      songid: 1 + offset + index, songmid: `none${1 + offset + index}`, songname: `Song ${1 + offset + index}`,
      singer: 'Nobody', albumname: '', albummid: '', interval: 60, vid: ''
    }))
    record.skipped = record.songlist.length === 97 ? 3 : 0
  })
  await page.goto(new URL('/#/playlist/7700000005', page.url()).href)
  await page.getByRole('button', { name: 'Play all' }).click()
  await page.goto(new URL('/#/queue', page.url()).href)
  await holds("document.querySelectorAll('#queue .song').length > 400")
  const namesNow = async (): Promise<string[]> =>
    (await page.locator('#queue .name').allTextContents()).map((name) => name.replace('Play: ', ''))
  const heard = new Set(await namesNow())
  for (let tries = 0; tries < 6 && !heard.has('Song 730'); tries++) {
    await page.locator('#queue .song .name').last().click()
    await holds("document.querySelector('#queue-count').textContent.split(' / ').map(Number).reduce((at, all) => all - at) > 3").catch(() => {})
    for (const name of await namesNow()) heard.add(name)
  }
  const wanted = Array.from({ length: all }, (_none, index) => index)
    .filter((index) => index % 100 < 97).map((index) => `Song ${index + 1}`)
  t.same(wanted.filter((name) => !heard.has(name)), [])
  t.ok((await stored(page)).songs.length <= 500)
  await page.getByRole('button', { name: 'Clear the queue' }).click()
  await page.goto(new URL('/#/playlist/7700000005', page.url()).href)
  await page.locator('#view').getByRole('button', { name: 'Add to the queue', exact: true }).click()
  await says('The queue is full: 500 songs were added.')
}, /Failed to load resource/)

onPage('the numbers of a chart are those of its songs where a row was left out', ['/health/live', { look: wide }], async ({ t, page }) => {
  await changeAnswers(page, '**/getRanks**', (record) => {
    record.songInfoList.splice(1, 1)
    record.skipped = 1
  })
  await page.goto(new URL('/#/chart/62', page.url()).href)
  await page.locator('#view .song').nth(3).waitFor()
  t.same((await page.locator('#view .song .number').allTextContents()).slice(0, 3), ['1', '3', '4'])
})
