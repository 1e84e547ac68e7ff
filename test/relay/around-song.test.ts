/** Around a song: other versions, MVs, playlists, replies to a comment, what singers made, past charts. */
import { dead, paramOf, serverFor, song, timesAsked } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'
import {
  chart, chartOlder, newComments as newest, otherVersions as versions, relatedMvs as mvs, relatedPlaylists as playlists,
  replies, shortReplies, singerTab as tab
} from '../support/wires.ts'

const test = sharedStage('around a song')

const singermid = '00DemoSing0001'
const blocked = { mutate: (answer: any) => { answer.data = {} } }
const bare = { length: 0 }

/** The pages that cursors lead to, until there is none, or up to this many. */
async function following<T extends { nextCursor?: string }> (
  ask: (more: { cursor?: string }) => Promise<T>, most = 30
): Promise<T[]> {
  const pages: T[] = []
  do {
    const cursor = pages.at(-1)?.nextCursor
    pages.push(await ask(cursor === undefined ? {} : { cursor }))
  } while (pages.at(-1)?.nextCursor !== undefined && pages.length < most)
  return pages
}

test('other versions are found by MID, each with what it is', async ({ t, demo, relay, server }) => {
  const found = await relay.getOtherVersions({ songmid: song(1) })
  t.ok(found.versions.length > 3)
  t.match(found.versions[1], { tag: '现场版', song: { mid: /^00DemoSong/, title: /./ } })
  t.same(await relay.getOtherVersions({ songmid: song(12) }), { songmid: song(12), versions: [], skipped: 0 })
  t.match((await server.get(`/getOtherVersions?songmid=${song(1)}&format=m3u`)).text, /^#EXTM3U\n#EXTINF:/)
  demo.next(versions, { mutate: (answer: any) => { answer.data.extras = null } })
  t.equal((await relay.getOtherVersions({ songmid: song(2) })).versions[1]?.tag, '', 'songs without what they are')
})

test('MVs related to a song come three at once, and a cursor goes on', async ({ t, demo, relay }) => {
  const vids = (await following(async (more) => await relay.getRelatedMv({ songmid: song(1), ...more })))
    .flatMap(({ list }) => list.map(({ vid }) => vid))
  t.ok(vids.length > 3 && vids.length < 30)
  t.equal(new Set(vids).size, vids.length)
  t.same(paramOf(demo.calls(mvs)[0]), { songid: '5000001', songtype: 1, lastmvid: 0 }, 'the number is a text')
  t.match(paramOf(demo.calls(mvs)[1]), { lastmvid: 700000 + Number(vids[2]?.slice(5)) })
  t.match(await relay.getRelatedMv({ songmid: song(12) }), { songid: 5000012, list: bare })
  demo.next(mvs, { mutate: (answer: any) => { answer.data = { hasmore: 0, list: null } } })
  t.match(await relay.getRelatedMv({ songmid: song(3) }), { list: bare })
  demo.next(mvs, { mutate: (answer: any) => { answer.data = { hasmore: 1, list: null } } })
  await t.rejects(relay.getRelatedMv({ songmid: song(3) }), { code: 'UPSTREAM_EMPTY' }, 'more MVs than none')
})

test('playlists around a song: no one comes twice, and the cursor says which were there', async ({ t, demo, relay }) => {
  const none = { hasMore: true, vecPlaylist: null, vecPlaylistNew: null }
  demo.next(playlists, { mutate: ({ data }) => { Object.assign(data, none) } })
  await t.rejects(relay.getRelatedPlaylists({ songmid: song(1) }), { code: 'UPSTREAM_EMPTY' }, 'more than none')
  demo.reset()
  const ask = async (more: { cursor?: string }) => await relay.getRelatedPlaylists({ songmid: song(1), ...more })
  const pages = await following(ask)
  t.match(pages[0]?.playlists[0], { dissid: /^77\d{8}$/, dissname: /./, creator: /./, listen_num: 0, imgurl: /^http/ })
  t.equal(pages.at(-1)?.nextCursor, undefined, 'it ends')
  const ids = pages.flatMap((page) => page.playlists.map(({ dissid }) => dissid))
  t.ok(ids.length > 20, String(ids.length))
  t.equal(new Set(ids).size, ids.length)
  const [first, second] = demo.calls(playlists).map(paramOf)
  t.same(first, { songid: 5000001, vecPlaylist: [] })
  t.same(
    second.vecPlaylist.map(String), ids.slice(0, second.vecPlaylist.length),
    'numbers, in the order in which they were shown'
  )
  t.same((await relay.getRelatedPlaylists({ songmid: song(12) })).playlists, [])
  // An upstream that has more without end: the cursor is bounded.
  let id = 7_700_000_001
  demo.next(playlists, { instead: () => ({ code: 0, data: {
    hasMore: true, vecPlaylist: [1, 2, 3].map(() => ({ tid: id++, title: 'x', creator: '', cover: '', playCnt: '' })),
    vecPlaylistNew: null
  } }) }, 100)
  t.equal((await following(ask)).length, 21)
})

test('tabs of a singer have the songs by what the singer did, page by page', async ({ t, demo, relay }) => {
  const all = (await relay.getSingerTab({ singermid, limit: 30 })).songs.map(({ mid }) => mid)
  const joined: string[] = []
  for (let [page, more] = [1, true]; more && page <= 10; page++) {
    const part = await relay.getSingerTab({ singermid, limit: 7, page })
    joined.push(...part.songs.map(({ mid }) => mid))
    more = part.hasMore
  }
  t.same(joined.slice(0, all.length), all)
  t.equal(new Set(joined).size, joined.length)
  const composed = await relay.getSingerTab({ singermid, tab: 'song_composing', limit: 30 })
  t.ok(composed.songs.length > 0 && composed.songs.every(({ id }) => id % 2 === 0))
  t.match(await relay.getSingerTab({ singermid, tab: 'producer' }), { tab: 'producer', hasMore: false, songs: bare })
  t.match(await relay.getSingerTab({ singermid: 'nobody' }), { songs: bare })
  demo.next(tab, { mutate: ({ data }) => { [data.SongTab.List, data.HasMore] = [[], 1] } })
  t.match(await relay.getSingerTab({ singermid, page: 9 }), { hasMore: false, songs: [] }, 'nobody goes on for ever')
  demo.next(tab, { mutate: ({ data: { SongTab } }) => { SongTab.List = [...SongTab.List, ...SongTab.List] } })
  t.match(
    await relay.getSingerTab({ singermid, limit: 4 }), { songs: { length: 4 }, skipped: 4 },
    'rows beyond those that were asked for are in no other page: they are counted'
  )
  demo.next(tab, { code: 10000 })
  await t.rejects(relay.getSingerTab({ singermid }), { code: 'UPSTREAM_REFUSED' }, 'another program than the phone')
})

test('replies to a comment have a call of their own; the list stands in', async ({ t, demo, relay }) => {
  const { comment: { list } } = await relay.getComments({ id: '5000001', reqtype: 2, pagesize: 50 })
  const root = list.find(({ replynum }) => replynum === 3)
  const rootcommentid = root?.rootcommentid ?? ''
  const ask = async () => (await relay.getComments({ id: '5000001', reqtype: 2, rootcommentid })).comment
  demo.reset()
  const own = await ask()
  t.same(demo.received.map(({ calls }) => calls), [[replies]])
  t.same(paramOf(demo.calls(replies)[0]), {
    RootCmId: rootcommentid, LastCommentSeqNo: '', LastRankScore: '', PageSize: 25, PageNum: 0, RankType: 0,
    PicEnable: 1
  })
  t.equal(own.total, 3)
  t.same(own.list.map(({ commentid, content, rootcommentid: of }) => [commentid, content, of]), root?.replies.map(
    ({ commentid, content }) => [commentid, content, rootcommentid]
  ))
  t.ok(own.list.every(({ avatarurl, seqNo }) => avatarurl !== '' && seqNo !== ''), 'with pictures, which the list does not send')
  for (const fault of [...dead, blocked]) {
    demo.next(replies, fault)
    t.equal((await ask()).total, 3, JSON.stringify(fault))
  }
  t.same(paramOf(demo.calls(shortReplies)[0]), { RootCmId: rootcommentid, LastCommentSeqNo: '', PageSize: 25 })
  // Who has no login is refused by the call, and gets what the list has.
  for (const code of [1000, 500003]) {
    demo.reset()
    for (const call of [replies, shortReplies]) demo.next(call, { code })
    t.equal((await ask()).total, 3)
    t.ok(timesAsked(demo, newest) > 0)
  }
  demo.reset()
  demo.next(replies, { mutate: (answer: any) => { answer.data.CommentList.Comments = null } })
  t.equal((await ask()).total, 3, 'an empty answer proves nothing')
})

test('many replies are read in parts, after the last row each time, and not without end', async ({ t, demo, relay }) => {
  const rootcommentid = '1!many'
  let last = 60
  const row = (n: number): object => ({
    CmId: n === 0 ? rootcommentid : `1!r${n}`, SeqNo: String(1000 + n), RankScore: String(n), Content: `reply ${n}`,
    Nick: 'x', Avatar: '', PubTime: 1, PraiseNum: 0, ReplyCnt: 0
  })
  const many = (
    { LastCommentSeqNo: after, PageSize: size }: { LastCommentSeqNo: string, PageSize: number }
  ): object => {
    const begin = after === '' ? 0 : Number(after) - 1000 + 1
    const Comments = Array.from({ length: Math.max(0, Math.min(size, last + 1 - begin)) }, (_, at) => row(begin + at))
    return { code: 0, data: { CommentList: { Comments, Total: last, HasMore: begin + size <= last ? 1 : 0 } } }
  }
  const ask = async (pagesize: number, pagenum: number) =>
    await relay.getComments({ id: '5000001', rootcommentid, pagesize, pagenum })
  demo.next(replies, { instead: many }, 1000)
  const pages = await Promise.all([0, 1, 2, 3].map(async (pagenum) => await ask(20, pagenum)))
  t.same(
    pages.flatMap(({ comment }) => comment.list.map(({ commentid }) => commentid)),
    Array.from({ length: 60 }, (_, at) => `1!r${at + 1}`)
  )
  t.same(pages.map(({ morecomment, comment }) => [morecomment, comment.total]), [
    [true, 60], [true, 60], [false, 60], [false, 60]
  ])
  const places = demo.calls(replies).map(paramOf)
    .map(({ LastCommentSeqNo, LastRankScore, PageNum }) => [PageNum, LastCommentSeqNo, LastRankScore].join())
  t.same([...new Set(places)].sort(), ['0,,', '1,1024,24', '2,1049,49'])
  last = 5000
  demo.reset()
  demo.next(replies, { instead: many }, 1000)
  await t.rejects(ask(50, 40), { code: 'INVALID_INPUT', message: /^pagenum: only the first 500/ })
  t.equal(demo.calls(replies).length, 20)
})

test('a past issue of a chart, and the issues there are', async ({ t, demo, relay }) => {
  const issues = await relay.getRankPeriods({ topId: 5 })
  t.match(issues, { topId: 5, name: /./, period: '2026_46', periods: { length: 98, 0: '2026_46', 97: '2025_1' } })
  t.same((await relay.getRankPeriods({ topId: 62 })).periods, [], 'a daily chart has none')
  const ask = async (input: object) => await relay.getRanks({ topId: 5, limit: 3, ...input })
  const now = await ask({})
  demo.reset()
  const past = await ask({ period: '2026_30', page: 1 })
  t.same(paramOf(demo.calls(chart)[0]), { topId: 5, offset: 3, num: 3, withTags: false, period: '2026_30' })
  t.same([past.topList.period, past.songInfoList.map(({ rank }) => rank)], ['2026_30', [4, 5, 6]])
  t.notSame(past.songInfoList.map(({ songId }) => songId), now.songInfoList.map(({ songId }) => songId))
  t.equal((await ask({ period: '2026_03' })).topList.period, '2026_3', 'with a zero, too')
  demo.next(chart, { code: 500003 })
  t.same(await ask({ period: '2026_30', page: 1 }), past, 'the older call')
  for (const call of [chart, chartOlder]) demo.next(call, { code: 500003 })
  await t.rejects(ask({ period: '2026_30' }), { code: /^UPSTREAM_/, statusCode: 502 }, 'the classic call has the current issue only')
  for (const [topId, period, message] of [
    [5, '1999_1', /issue 1999_1 of the chart 5/], [62, '2026-01-01', /issue/]
  ] as const) await t.rejects(ask({ topId, period }), { code: 'NOT_FOUND', message })
})

test('a refused, blocked or unreadable answer is a failure, not an empty list', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { fallbackFailures: 1000, circuitFailures: 1000 } })
  for (const [path, call] of [
    [`/getOtherVersions?songmid=${song(1)}`, versions], [`/getRelatedMv?songmid=${song(1)}`, mvs],
    [`/getRelatedPlaylists?songmid=${song(1)}`, playlists], [`/getSingerTab?singermid=${singermid}`, tab]
  ] as const) {
    for (const fault of [...dead, blocked, { code: 2001 }, { reset: true } as const]) {
      demo.next(call, fault, 2)
      t.match(await server.get(path), { status: 502, body: { code: /^UPSTREAM_/ } }, `${path} ${JSON.stringify(fault)}`)
      demo.reset()
    }
  }
})
