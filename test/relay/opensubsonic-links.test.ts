/** Players search for a link: search3 and search2 find what it names, and other links stay words. */
import t from 'tap'
import { demoFor, serverFor } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { play } from '../support/opensubsonicHelper.ts'

const link = (token: string): string => `https://c6.y.qq.com/base/fcgi-bin/u?__=${token}`

t.test('a link finds the song, the album, the singer, the songs of the playlist or chart, in both searches', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await serverFor(t, demo, { accounts, cache: true } as Parameters<typeof serverFor>[2])
  const user = { u: 'member', p: secrets.member }
  for (const [method, name] of [['search3', 'searchResult3'], ['search2', 'searchResult2']] as const) {
    const find = async (query: string, more = {}): Promise<any> => {
      const { status, body, error } = await play(server, method, { ...user, query, ...more })
      t.equal(status, 'ok', `${query}: ${JSON.stringify(error)}`)
      const { song = [], album = [], artist = [] } = body[name]
      return { songs: song.map(({ id }: any) => id), albums: album.map(({ id }: any) => id), artists: artist.map(({ id }: any) => id) }
    }
    t.same(await find(`《First Light》 ${link('s00DemoSong0001')} @QQ音乐`), { songs: ['so-00DemoSong0001'], albums: [], artists: [] })
    t.same(await find('y.qq.com/n/ryqq/songDetail/00DemoSong0001'), { songs: ['so-00DemoSong0001'], albums: [], artists: [] })
    t.same(await find(`"${link('a00DemoAlbu0001')}"`), { songs: [], albums: ['al-00DemoAlbu0001'], artists: [] }, 'as a client quotes it')
    t.same(await find('https://y.qq.com/n/ryqq/singer/00DemoSing0001'), { songs: [], albums: [], artists: ['ar-00DemoSing0001'] })
    const playlist = (await play(server, 'getPlaylist', { ...user, id: 'pl-7700000001' })).body.playlist.entry.map(({ id }: any) => id)
    t.same((await find(link('p7700000001'), { songCount: 500 })).songs, playlist.slice(0, 500))
    t.same((await find(link('p7700000001'), { songCount: 3, songOffset: 2 })).songs, playlist.slice(2, 5))
    const chart = (await play(server, 'getPlaylist', { ...user, id: 'ch-62' })).body.playlist.entry.map(({ id }: any) => id)
    t.same((await find('https://y.qq.com/n/ryqq/toplist/62', { songCount: 4 })).songs, chart.slice(0, 4))
    const nothing = { songs: [], albums: [], artists: [] }
    for (const query of ['https://y.qq.com/n/ryqq/mv/demoV000004', link('sNobody'), link('u1'), 'https://y.qq.com/n/ryqq/songDetail/Nobody']) t.same(await find(query), nothing, query)
    t.same(await find(link('s00DemoSong0001'), { songCount: 0 }), nothing)
    t.same(await find(link('s00DemoSong0001'), { songOffset: 1 }), nothing)
    // A link of somebody else is words, which find nothing; so is what only looks like a link.
    demo.reset()
    t.same(await find('https://example.com/n/ryqq/songDetail/00DemoSong0001'), nothing)
    // The second method is answered from the cache.
    if (method === 'search3') t.equal(demo.calls('/soso/fcgi-bin/client_search_cp')[0]?.query['w'], 'https://example.com/n/ryqq/songDetail/00DemoSong0001')
    t.ok((await find('paper')).songs.length > 0)
  }
})

t.test('what the upstream refuses is a failure, and a text that is too long is refused', async (t) => {
  const demo = await demoFor(t)
  const { accounts, secrets } = await household(t)
  const server = await serverFor(t, demo, { accounts } as Parameters<typeof serverFor>[2])
  const user = { u: 'member', p: secrets.member }
  demo.next('/base/fcgi-bin/u', { status: 403 })
  t.match(await play(server, 'search3', { ...user, query: link('s00DemoSong0001') }), { status: 'failed', error: { code: 0 } })
  t.match(await play(server, 'search3', { ...user, query: 'a'.repeat(1201) }), { status: 'failed' })
  t.match(await play(server, 'search3', { ...user, query: 'a'.repeat(300) }), { status: 'failed' }, 'words have 200 characters at most')
})
