/** The search box of the front page takes links: in a real browser. */
import t from 'tap'
import { browserFor, withoutBrowser } from '../support/browser.ts'

const open = browserFor(t)

t.test('a link in the search box shows the song, album, singer, playlist or chart; another link is searched for', { skip: withoutBrowser }, async (t) => {
  const { page, says, complaints } = await open(t, '/', { media: true })
  const box = page.getByRole('searchbox', { name: 'Song, singer or album' })
  const find = async (text: string): Promise<void> => {
    await box.fill(text)
    await page.getByRole('button', { name: 'Search' }).click()
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
    if (count !== undefined) await says(count === 1 ? '1 song' : `${count} songs`)
    if (count !== undefined) t.equal(await rows.count(), count, text)
    t.ok(await rows.count() > 0, text)
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
  t.same(complaints.filter((each) => !/status of 40[04]/.test(each)), [])
})
