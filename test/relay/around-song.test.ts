/** Around a song: other versions, MVs, playlists, replies to a comment, what singers made, past charts. */
import { dead, paramOf, serverFor, song, timesAsked } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { chart, chartOlder as olderChart, newComments as newest, otherVersions as versions, relatedMvs as mvs, relatedPlaylists as playlists, replies, shortReplies, singerTab as tab } from '../support/wires.ts'

const blocked = { mutate: (answer: any) => { answer.data = {} } }

test('other versions are found by MID, each with what it is', async ({ t, demo, server }) => {
  const { body } = await server.get(`/getOtherVersions?songmid=${song(1)}`)
  t.same(paramOf(demo.calls(versions)[0]), { songmid: song(1) })
  t.equal(demo.received.length, 1, 'without a detail')
  t.ok(body.data.versions.length > 3)
  t.match(body.data.versions[1], { tag: '现场版', song: { mid: /^00DemoSong/, title: /./ } })
  t.match(await server.get(`/getOtherVersions?songmid=${song(12)}`), { status: 200, body: { data: { songmid: song(12), versions: [] } } })
  t.match((await server.get(`/getOtherVersions?songmid=${song(1)}&format=m3u`)).text, /^#EXTM3U\n#EXTINF:/)
  demo.next(versions, { mutate: (answer: any) => { answer.data.extras = null } })
  t.match((await server.get(`/getOtherVersions?songmid=${song(2)}`)).body.data.versions[1].tag, '', 'songs without what they are')
})

test('MVs related to a song come three at once, and a cursor goes on', async ({ t, demo, relay }) => {
  const vids: string[] = []
  let cursor: string | undefined
  let answers = 0
  do {
    const page = await relay.getRelatedMv({ songmid: song(1), ...cursor === undefined ? {} : { cursor } })
    vids.push(...page.list.map(({ vid }) => vid))
    cursor = page.nextCursor
    answers++
  } while (cursor !== undefined && answers < 10)
  t.ok(vids.length > 3)
  t.equal(new Set(vids).size, vids.length)
  t.same(paramOf(demo.calls(mvs)[0]), { songid: '5000001', songtype: 1, lastmvid: 0 }, 'the number is a text')
  t.match(paramOf(demo.calls(mvs)[1]), { lastmvid: 700000 + Number(vids[2]?.slice(5)) })
  t.match(await relay.getRelatedMv({ songmid: song(12) }), { songid: 5000012, list: [] })
  demo.next(mvs, { mutate: (answer: any) => { answer.data = { hasmore: 0, list: null } } })
  t.same((await relay.getRelatedMv({ songmid: song(3) })).list, [])
})

test('playlists around a song: no one comes twice, and the cursor says which were there', async ({ t, demo, relay }) => {
  const ids: string[] = []
  let cursor: string | undefined
  for (let answers = 0; answers < 20; answers++) {
    const page = await relay.getRelatedPlaylists({ songmid: song(1), ...cursor === undefined ? {} : { cursor } })
    if (answers === 0) t.match(page.playlists[0], { dissid: /^77\d{8}$/, dissname: /./, creator: /./, listen_num: 0, imgurl: /^http/ })
    ids.push(...page.playlists.map(({ dissid }) => dissid))
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  t.equal(cursor, undefined, 'it ends')
  t.ok(ids.length > 20, String(ids.length))
  t.equal(new Set(ids).size, ids.length)
  t.same(paramOf(demo.calls(playlists)[0]), { songid: 5000001, vecPlaylist: [] })
  t.same(paramOf(demo.calls(playlists)[1]).vecPlaylist.map(String), ids.slice(0, paramOf(demo.calls(playlists)[1]).vecPlaylist.length), 'numbers, in the order in which they were shown')
  t.same((await relay.getRelatedPlaylists({ songmid: song(12) })).playlists, [])
  // An upstream that has more without end: the cursor is bounded.
  let id = 1
  const endless = (): Record<string, unknown> => ({ code: 0, data: { hasMore: true, vecPlaylist: [1, 2, 3].map(() => ({ tid: 7_700_000_000 + id++, title: 'x', creator: '', cover: '', playCnt: '' })), vecPlaylistNew: null } })
  demo.next(playlists, { instead: endless }, 100)
  let shown: string | undefined
  let pages = 0
  do {
    shown = (await relay.getRelatedPlaylists({ songmid: song(1), ...shown === undefined ? {} : { cursor: shown } })).nextCursor
    pages++
  } while (shown !== undefined)
  t.equal(pages, 21)
})

test('tabs of a singer have the songs by what the singer did, page by page', async ({ t, demo, relay }) => {
  const singermid = '00DemoSing0001'
  const all = await relay.getSingerTab({ singermid, limit: 30 })
  t.match(demo.calls(tab)[0]?.body, { comm: { ct: 11 }, req_0: { param: { SingerMid: singermid, IsQueryTabDetail: 1, TabID: 'song_sing', PageNum: 0, PageSize: 30, Order: 0 } } })
  const joined: string[] = []
  for (let page = 1; page <= 10; page++) {
    const part = await relay.getSingerTab({ singermid, limit: 7, page })
    joined.push(...part.songs.map(({ mid }) => mid))
    if (!part.hasMore) break
  }
  t.same(joined.slice(0, all.songs.length), all.songs.map(({ mid }) => mid))
  t.equal(new Set(joined).size, joined.length)
  const composed = await relay.getSingerTab({ singermid, tab: 'song_composing', limit: 30 })
  t.ok(composed.songs.length > 0 && composed.songs.every(({ id }) => id % 2 === 0))
  t.match(await relay.getSingerTab({ singermid, tab: 'producer' }), { tab: 'producer', hasMore: false, songs: [] })
  t.match(await relay.getSingerTab({ singermid: 'nobody' }), { songs: [] })
  demo.next(tab, { code: 10000 })
  await t.rejects(relay.getSingerTab({ singermid }), { code: 'UPSTREAM_REFUSED' }, 'another program than the phone')
})

test('replies to a comment have a call of their own; the list stands in', async ({ t, demo, relay }) => {
  const { comment: { list } } = await relay.getComments({ id: '5000001', reqtype: 2, pagesize: 50 })
  const root = list.find(({ replynum }) => replynum === 3)
  const rootcommentid = root?.rootcommentid ?? ''
  const ask = async (more = {}) => await relay.getComments({ id: '5000001', reqtype: 2, rootcommentid, ...more })
  demo.reset()
  const own = await ask()
  t.same(demo.received.map(({ calls }) => calls), [[replies]])
  t.same(paramOf(demo.calls(replies)[0]), { RootCmId: rootcommentid, LastCommentSeqNo: '', LastRankScore: '', PageSize: 25, PageNum: 0, RankType: 0, PicEnable: 1 })
  t.equal(own.comment.total, 3)
  t.same(own.comment.list.map(({ commentid, content, rootcommentid: of }) => ({ commentid, content, of })), root?.replies.map(({ commentid, content }) => ({ commentid, content, of: rootcommentid })))
  t.ok(own.comment.list.every(({ avatarurl, seqNo }) => avatarurl !== '' && seqNo !== ''), 'with pictures, which the list does not send')
  for (const fault of [...dead, blocked]) {
    demo.next(replies, fault)
    t.equal((await ask()).comment.total, 3, JSON.stringify(fault))
  }
  t.same(paramOf(demo.calls(shortReplies)[0]), { RootCmId: rootcommentid, LastCommentSeqNo: '', PageSize: 25 })
  demo.reset()
  for (const call of [replies, shortReplies]) demo.next(call, { code: 1000 }, 1)
  t.equal((await ask()).comment.total, 3, 'who has no login is refused by the call, and gets what the list has')
  for (const call of [replies, shortReplies]) demo.next(call, { code: 500003 })
  t.equal((await ask()).comment.total, 3, 'the list')
  t.ok(timesAsked(demo, newest) > 0)
  demo.reset()
  demo.next(replies, { mutate: (answer: any) => { answer.data.CommentList.Comments = null } })
  t.equal((await ask()).comment.total, 3, 'an empty answer proves nothing')
})

test('many replies are read in parts, after the last row each time, and not without end', async ({ t, demo, relay }) => {
  const rootcommentid = '1!many'
  let last = 60
  const row = (n: number): object => ({ CmId: n === 0 ? rootcommentid : `1!r${n}`, SeqNo: String(1000 + n), RankScore: String(n), Content: `reply ${n}`, Nick: 'x', Avatar: '', PubTime: 1, PraiseNum: 0, ReplyCnt: 0 })
  const many = ({ LastCommentSeqNo: after, PageSize: size }: { LastCommentSeqNo: string, PageSize: number }): object => {
    const begin = after === '' ? 0 : Number(after) - 1000 + 1
    const Comments = Array.from({ length: Math.max(0, Math.min(size, last + 1 - begin)) }, (_, at) => row(begin + at))
    return { code: 0, data: { CommentList: { Comments, Total: last, HasMore: begin + size <= last ? 1 : 0 } } }
  }
  demo.next(replies, { instead: many }, 1000)
  const pages = await Promise.all([0, 1, 2, 3].map(async (pagenum) => await relay.getComments({ id: '5000001', rootcommentid, pagesize: 20, pagenum })))
  t.same(pages.flatMap(({ comment }) => comment.list.map(({ commentid }) => commentid)), Array.from({ length: 60 }, (_, at) => `1!r${at + 1}`))
  t.same(pages.map(({ morecomment, comment }) => [morecomment, comment.total]), [[true, 60], [true, 60], [false, 60], [false, 60]])
  const places = demo.calls(replies).map(paramOf).map(({ LastCommentSeqNo, LastRankScore, PageNum }) => [PageNum, LastCommentSeqNo, LastRankScore].join())
  t.same([...new Set(places)].sort(), ['0,,', '1,1024,24', '2,1049,49'])
  last = 5000
  demo.reset()
  demo.next(replies, { instead: many }, 1000)
  await t.rejects(relay.getComments({ id: '5000001', rootcommentid, pagesize: 50, pagenum: 40 }), { code: 'INVALID_INPUT', message: /^pagenum: only the first 500/ })
  t.equal(demo.calls(replies).length, 20)
})

test('a past issue of a chart, and the issues there are', async ({ t, demo, server }) => {
  const { body: { data } } = await server.get('/getRankPeriods?topId=5')
  t.match(data, { topId: 5, name: /./, period: '2026_46' })
  t.same([data.periods.length, data.periods[0], data.periods.at(-1)], [98, '2026_46', '2025_1'])
  t.same((await server.get('/getRankPeriods?topId=62')).body.data.periods, [], 'a daily chart has none')
  demo.reset()
  const now = (await server.get('/getRanks?topId=5&limit=3')).body.data
  const past = (await server.get('/getRanks?topId=5&limit=3&period=2026_30&page=1')).body.data
  t.same(paramOf(demo.calls(chart)[1]), { topId: 5, offset: 3, num: 3, withTags: false, period: '2026_30' })
  t.equal(past.topList.period, '2026_30')
  t.same(past.songInfoList.map(({ rank }: any) => rank), [4, 5, 6])
  t.notSame(past.songInfoList.map(({ songId }: any) => songId), now.songInfoList.map(({ songId }: any) => songId))
  t.equal((await server.get('/getRanks?topId=5&limit=3&period=2026_03')).body.data.topList.period, '2026_3', 'with a zero, too')
  demo.next(chart, { code: 500003 })
  t.same((await server.get('/getRanks?topId=5&limit=3&period=2026_30&page=1')).body.data, past, 'the older call')
  for (const call of [chart, olderChart]) demo.next(call, { code: 500003 })
  t.match(await server.get('/getRanks?topId=5&period=2026_30'), { status: 502 }, 'the classic call has the current issue only')
  for (const [query, status, error] of [['topId=5&period=1999_1', 404, /issue 1999_1 of the chart 5/], ['topId=62&period=2026-01-01', 404, /issue/]] as const) {
    t.match(await server.get(`/getRanks?${query}`), { status, body: { error } }, query)
  }
})

test('a refused, blocked or unreadable answer is a failure, not an empty list', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { fallbackFailures: 1000, circuitFailures: 1000 } })
  for (const [path, call] of [[`/getOtherVersions?songmid=${song(1)}`, versions], [`/getRelatedMv?songmid=${song(1)}`, mvs], [`/getRelatedPlaylists?songmid=${song(1)}`, playlists], ['/getSingerTab?singermid=00DemoSing0001', tab]] as const) {
    for (const fault of [...dead, blocked, { code: 2001 }, { reset: true } as const]) {
      demo.next(call, fault, 2)
      t.match(await server.get(path), { status: 502, body: { code: /^UPSTREAM_/ } }, `${path} ${JSON.stringify(fault)}`)
      demo.reset()
    }
  }
})
