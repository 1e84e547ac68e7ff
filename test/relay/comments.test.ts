/** Comments: three orders for four kinds of things, pages without a cursor, replies, and the classic lists as fallbacks. */
import { commentCalls } from '../../src/demo/calls/comments.ts'
import { gateway } from '../support/demoClient.ts'
import { cookieOf, dead, paramOf } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import type { Comments } from '../../schemas/comments.ts'
import type { Fault } from '../../src/demo/types.ts'
import type { Relay } from '../../src/library/relay.ts'
import { sampleOf, whole as wholeRun } from '../support/whole.ts'
import {
  albumClassic, albumDetail, commentsClassic as classic, hotComments as hot, newComments as latest, recComments as rec,
  replies, songDetail
} from '../support/wires.ts'

const test = sharedStage('comments')

type Input = Parameters<Relay['getComments']>[0]
const ids = ({ comment }: Comments): string[] => comment.list.map(({ commentid }) => commentid)
const texts = ({ comment }: Comments): string[] => comment.list.map(({ content }) => content)
const falling = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => b - a)

const orders = { 1: rec, 2: latest, 3: hot } as const
/** One thing of each kind, with a few pages of comments. */
const things = [
  { biztype: 1, id: '5000001' }, { biztype: 2, id: '800002' }, { biztype: 3, id: '7700000001' },
  { biztype: 4, id: 'demoV000004' }
] as const

test('every kind of thing has its comments in three orders', async ({ t, demo, relay }) => {
  for (const { biztype, id } of things) {
    const seen = new Set<string>()
    for (const reqtype of [1, 2, 3] as const) {
      demo.reset()
      const { comment: { list, total } } = await relay.getComments({ id, biztype, reqtype, pagesize: 12 })
      t.ok(total >= 20 && list.length >= 11)
      t.same(demo.received.map(({ calls }) => calls), [[orders[reqtype]]])
      t.match(
        paramOf(demo.received[0]), { BizType: biztype, BizId: id, LastCommentSeqNo: '', PageSize: 12, PageNum: 0 }
      )
      t.equal(paramOf(demo.received[0]).BizSubType, biztype === 1 ? 2 : undefined)
      const ranks = list.map(({ time, praisenum }) => reqtype === 2 ? time : praisenum)
      if (reqtype > 1) t.same(ranks, falling(ranks))
      seen.add(JSON.stringify(list))
    }
    t.equal(seen.size, 3)
  }
})

test('a MID of digits only is a MID, and a playlist has no MID', async ({ t, demo, relay }) => {
  demo.next(songDetail, { mutate: ({ data }) => {
    Object.assign(data, { info: {}, track_info: { id: 5000001, mid: '00123456789012' } })
  } })
  const found = await relay.getComments({ id: '00123456789012', pagesize: 3 })
  t.same(found, await relay.getComments({ id: '5000001', pagesize: 3 }))
  demo.reset()
  await relay.getComments({ id: '10123456789012', biztype: 3 })
  t.equal(paramOf(demo.received[0]).BizId, '10123456789012')
})

test('a row has a clean text, its replies, and nothing about accounts', async ({ t, relay }) => {
  const found = await relay.getComments({ id: '5000001', reqtype: 2, pagesize: 50 })
  const rows = found.comment.list
  for (const part of ['\n', '& "more" \'of it\' [em]e400846[/em]']) {
    t.ok(rows.some(({ content }) => content.includes(part)))
  }
  t.ok(
    rows.length < 50 && rows.every(({ content }) => content !== '' && !/\\n|&amp;|&#/.test(content)),
    'a picture without text is left out'
  )
  t.ok(rows.every(({ seqNo }) => /^\d{19}$/.test(seqNo)), 'beyond 2^53, digit by digit')
  for (const count of [0, 2]) t.ok(rows.some(({ replies }) => replies.length === count))
  t.ok(rows.every(({ replies, replynum }) => replies.length === replynum))
  t.ok(rows.every(({ avatarurl }) => avatarurl.startsWith('https://')) && found.hot_comment.list.length === 3)
  t.notMatch(JSON.stringify(found).toLowerCase(), /uin/)
})

/** The rows of all pages, each asked for by its number or by the cursor of the one before. */
async function joined (relay: Relay, input: Input, by: 'number' | 'cursor'): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  for (let pagenum = 0; pagenum < 100; pagenum++) {
    const page =
      await relay.getComments({ ...input, ...by === 'cursor' && cursor !== undefined ? { cursor } : { pagenum } })
    all.push(...ids(page))
    cursor = page.nextCursor
    if (page.morecomment !== (cursor !== undefined)) throw new Error(`page ${pagenum}: more without a cursor, or a cursor without more`)
    if (!page.morecomment) return all
  }
  throw new Error('the list does not end')
}

test('pages joined have no gap and no overlap, with and without the cursor; a classic page is the same for who comes to it at once', async ({ t, demo, relay }) => {
  const lists = [
    ...[{ reqtype: 1 }, { reqtype: 2 }, { reqtype: 3 }, { cmd: 8 }, { cmd: 6 }]
      .map((extra) => ({ id: '5000001', ...extra })),
    { id: '800002', biztype: 2, cmd: 9 }
  ] as readonly Input[]
  for (const [turn, list] of lists.entries()) {
    const whole = await joined(relay, { ...list, pagesize: 50 }, 'cursor')
    t.ok(whole.length > (list.biztype === 2 ? 20 : 100))
    t.equal(new Set(whole).size, whole.length)
    for (const by of ['number', 'cursor'] as const) for (const pagesize of sampleOf([7, 25, 50], 3, turn)) {
      t.same(await joined(relay, { ...list, pagesize }, by), whole, `${JSON.stringify(list)} by ${pagesize}, ${by}`)
    }
    if (list.cmd === undefined) continue
    const page = async (of: Relay, pagenum: number): Promise<Comments> =>
      await of.getComments({ ...list, pagesize: 25, pagenum })
    for (const pagenum of [0, 1, 10_000]) t.same(await page(relayFor(t, demo), pagenum), await page(relay, pagenum))
    t.match(await page(relay, 10_000), { comment: { list: { length: 0 } }, morecomment: false }, 'after the end')
  }
})

/** All rows of a list as the upstream has them: the id, and whether the row has a text. */
async function wholeList (
  demo: { origin: string }, call: string, id: string, biztype: number
): Promise<{ id: string, hasText: boolean }[]> {
  const all: { id: string, hasText: boolean }[] = []
  for (let PageNum = 0; ; PageNum++) {
    const { data: { CommentList: { Comments, HasMore } } } = await gateway(
      demo, call, { BizType: biztype, BizId: id, LastCommentSeqNo: '', PageSize: 50, PageNum }, { ct: 24, cv: 0 }
    )
    all.push(...Comments.map((row: any) => ({ id: row.CmId, hasText: row.Content !== '' })))
    if (HasMore === 0) return all
  }
}

test('any page holds its rows of the list, in order or at random, with and without an account', async ({ t, demo }) => {
  // Each kind of thing with one of the orders, the songs with all. Every size is tried with every order.
  for (const { biztype, id } of things) for (const reqtype of biztype === 1 ? [1, 2, 3] as const : sampleOf(
    [1, 2, 3] as const, 3, biztype
  )) {
    const whole = await wholeList(demo, orders[reqtype], id, biztype)
    t.ok(whole.some(({ hasText }) => !hasText) && new Set(whole.map((row) => row.id)).size === whole.length)
    for (const options of sampleOf([{}, { cookie: cookieOf(demo, 'member') }], 2, biztype + reqtype)) {
      const steady = relayFor(t, demo)
      for (const pagesize of biztype === 1 ? sampleOf([1, 7, 25, 30, 50], 3, reqtype) : [25, 7 * biztype]) {
        const wrong: number[] = []
        const page = async (relay: Relay, pagenum: number): Promise<void> => {
          const { comment, morecomment } = await relay.getComments({ id, biztype, reqtype, pagesize, pagenum }, options)
          const begin = pagenum * pagesize
          const wanted = [
            whole.slice(begin, begin + pagesize).filter(({ hasText }) => hasText).map((row) => row.id), whole.length,
            whole.length > begin + pagesize
          ]
          if (JSON.stringify([
            comment.list.map((row) => row.commentid), comment.total, morecomment
          ]) !== JSON.stringify(wanted)) wrong.push(pagenum)
        }
        const last = Math.ceil(whole.length / pagesize)
        for (let pagenum = 0; pagenum <= last + 1; pagenum += wholeRun ? 1 : Math.max(1, Math.floor(last / 4))) {
          await page(steady, pagenum)
        }
        for (const pagenum of [Math.floor(last / 2), last - 1, last, last + 1, 10_000]) {
          await page(relayFor(t, demo), pagenum)
        }
        for (const pagenum of [last - 1, 1, Math.floor(last / 2)]) await page(steady, pagenum)
        t.same(wrong, [], `pages of ${biztype} ${reqtype} by ${pagesize}`)
      }
    }
  }
})

test('a page takes one request if the row before it or its number leads there, else one for each fifty rows', async ({ t, demo, relay }) => {
  const input = { id: '5000001', reqtype: 2, pagesize: 30 } as const
  /** Page number, size and row before it of each call, by requests. */
  const requests = async (of: Relay, more: object, options = {}): Promise<unknown[]> => {
    demo.reset()
    await of.getComments({ ...input, ...more }, options)
    return demo.calls(latest).map(({ body }) => Object.entries(body as object).filter(([key]) => key !== 'comm')
      .map(([, { param }]) => [param.PageNum, param.PageSize, param.LastCommentSeqNo]))
  }
  const row = /^\d{19}$/
  const rows = (await wholeList(demo, latest, '5000001', 1)).length
  const { nextCursor = '' } = await relay.getComments(input)
  t.same(await requests(relay, { pagenum: 1 }), [[[1, 30, nextCursor.slice(2)]]], 'page 1 after page 0')
  t.same(await requests(relay, { pagenum: 3 }), [[[0, 30, ''], [3, 30, '']]], 'a page by its number, beside the first')
  t.match(await requests(relay, { pagenum: 2 }), [[[2, 30, row]]])
  t.same(
    await requests(relayFor(t, demo), { pagenum: 10_000 }), [[[0, 30, ''], [10_000, 30, '']]], 'far beyond the end'
  )

  const byNumber = async (pagenum: number): Promise<Comments> =>
    await relayFor(t, demo).getComments({ ...input, pagenum })
  const second = await relay.getComments({ ...input, cursor: nextCursor })
  t.same(second, await byNumber(1), 'a cursor leads to the same page')
  t.same(await relay.getComments({ ...input, pagenum: 2, cursor: second.nextCursor ?? '' }), await byNumber(2))
  t.same(
    await relay.getComments({ ...input, pagenum: 1, cursor: nextCursor.slice(2) }), second,
    'a bare sequence number will do'
  )

  const as = { cookie: cookieOf(demo, 'member') }
  const account = relayFor(t, demo)
  t.match(
    await requests(account, { pagenum: 2 }, as), [[[0, 50, '']], [[1, 50, row]]], 'with an account the list is read'
  )
  t.match(await requests(account, { pagenum: 3 }, as), [[[3, 30, row]]], 'and goes on from there')
  t.match(
    await requests(account, { pagesize: 20, pagenum: 3 }, as), [[[1, 50, row]]], 'or from the nearest row that is known'
  )
  t.equal((await requests(account, { pagesize: 20, pagenum: 5000 }, as)).length, Math.ceil(rows / 50) - 1, 'to its end')

  demo.reset()
  demo.next(
    latest, { instead: (param, context) => commentCalls[latest]?.({ ...param, PageNum: 0 }, context) }, Infinity
  )
  t.same(await byNumber(1), second, 'an upstream that ignores the number is found out')
  demo.reset()
  demo.next(latest, { code: 500003 })
  t.same(ids(await relay.getComments({ ...input, pagenum: 1 })), ids(second), 'a refusal of the known row is made up for by the number')
})

test('a page that cannot be reached within bounds is refused, and never has a gap', async ({ t, demo, relay }) => {
  const tooFar = { code: 'INVALID_INPUT', message: /^pagenum: .*nextCursor/ }
  const ask = async (of: Relay, pagesize: number, pagenum: number, options = {}): Promise<Comments> =>
    await of.getComments({ id: '5000001', reqtype: 2, pagesize, pagenum }, options)
  const few: Fault = { mutate: ({ data: { CommentList: list } }) => {
    Object.assign(list, { Comments: list.Comments.slice(0, 3), HasMore: 1 })
  } }
  demo.next(latest, few, 30)
  await t.rejects(ask(relay, 30, 2), tooFar)
  t.ok(demo.calls(latest).length <= 21, 'not without end')
  demo.reset()
  demo.next(latest, few, 30)
  t.equal((await ask(relayFor(t, demo), 3, 2)).comment.list.length, 3, 'shorter strides than asked for are followed')

  // A list of three million rows, with an account.
  demo.reset()
  const begin = 10n ** 18n
  const rowOf = (number: bigint): object => ({
    CmId: `1!${number - begin}`, SeqNo: String(number), Content: 'text', Nick: 'n', PubTime: 1, PraiseNum: 0,
    ReplyCnt: 0, SubComments: []
  })
  demo.next(latest, {
    instead: ({ LastCommentSeqNo: last }) => ({ code: 0, data: { SubCode: 0, CommentList: {
      Total: 3_000_000, HasMore: 1,
      Comments: Array.from({ length: 50 }, (_, at) => rowOf(BigInt(last || begin) + BigInt(at) + 1n))
    } } })
  }, Infinity)
  const as = { cookie: cookieOf(demo, 'member') }
  const account = relayFor(t, demo)
  await t.rejects(ask(account, 50, 10_000, as), tooFar)
  t.equal(demo.calls(latest).length, 20)
  t.equal((await ask(account, 50, 19, as)).comment.list[0]?.rootcommentid, '1!951', 'what was read is known')
  t.equal((await ask(account, 50, 25, as)).comment.list.length, 50, 'and leads further')
})

test('a MID is looked up first', async ({ t, demo, relay }) => {
  t.same(await relay.getComments({ id: '00DemoSong0001' }), await relay.getComments({ id: '5000001' }))
  t.same(demo.calls(songDetail).map(paramOf), [{ song_mid: '00DemoSong0001' }])
  const byNumber = await relay.getComments({ id: '800002', biztype: 2 })
  t.same(await relay.getComments({ id: '00DemoAlbu0002', biztype: 2 }), byNumber)
  t.same(demo.calls(albumDetail).map(paramOf), [{ albumMId: '00DemoAlbu0002' }])
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data = {} } }]) {
    demo.next(albumDetail, fault)
    t.same(await relay.getComments({ id: '00DemoAlbu0002', biztype: 2 }), byNumber)
  }
  t.equal(demo.calls(albumClassic)[0]?.query['albummid'], '00DemoAlbu0002')
  demo.reset()
  await relay.getComments({ id: 'demoV000004', biztype: 4 })
  t.equal(demo.received.length, 1, 'MVs go by their vid')
  await t.rejects(relay.getComments({ id: 'nobody', biztype: 3 }), { code: 'INVALID_INPUT', message: /^id: / })
})

test('what nobody commented on has an empty list; an empty answer with a number is none', async ({ t, demo, relay }) => {
  t.same(await relay.getComments({ id: '5000010' }), {
    comment: { list: [], total: 0, skipped: 0 }, hot_comment: { list: [], total: 0, skipped: 0 }, morecomment: false
  })
  t.same((await relay.getComments({ id: 'nosuchvid', biztype: 4 })).comment, { list: [], total: 0, skipped: 0 })
  t.equal(demo.calls(classic).length, 1, 'of a vid the classic list is asked, too')
  for (const mutate of [
    (answer: any) => { answer.data.CommentList.Comments = null }, (answer: any) => { answer.data.CommentList = null },
    (answer: any) => { answer.data.SubCode = 7 }
  ]) {
    demo.reset()
    demo.next(rec, { mutate })
    t.ok((await relay.getComments({ id: '5000001' })).comment.list.length > 0)
    t.equal(demo.calls(classic).length, 1)
  }
})

test('classic lists stand in for each order', async ({ t, demo, relay }) => {
  for (const { biztype, id } of things) {
    for (const reqtype of [1, 2, 3] as const) {
      demo.reset()
      demo.next(orders[reqtype], dead[reqtype - 1] as Fault)
      const found = await relay.getComments({ id, biztype, reqtype, pagesize: 10 })
      t.ok(found.comment.list.length > 5)
      t.match(demo.calls(classic)[0], {
        headers: { referer: 'https://y.qq.com/' },
        query: {
          biztype: String(biztype === 4 ? 5 : biztype), topid: id,
          cmd: reqtype < 3 ? '8' : biztype === 1 || biztype === 4 ? '6' : '9', reqtype: '2', pagenum: '0',
          pagesize: '10', lasthotcommentid: '', format: 'json', outCharset: 'utf-8', cid: '205360772'
        }
      })
    }
  }
  const modern = await relay.getComments({ id: '5000001', reqtype: 3, pagesize: 30 })
  demo.next(hot, { code: 500003 })
  const stand = await relay.getComments({ id: '5000001', reqtype: 3, pagesize: 30 })
  t.same(texts(stand), texts(modern))
  demo.reset()
  const next = await relay.getComments({ id: '5000001', reqtype: 3, pagesize: 30, cursor: stand.nextCursor ?? '' })
  t.same([demo.calls(hot).length, demo.calls(classic)[0]?.query['pagenum']], [0, '1'], 'a cursor goes back to where it came from')
  t.same(texts(next), texts(await relay.getComments({ id: '5000001', reqtype: 3, pagesize: 30, pagenum: 1 })))
  t.same(
    await relay.getComments({ id: '5000001', cursor: '', rootcommentid: '' }),
    await relay.getComments({ id: '5000001' }), 'empty texts count as left out'
  )
  for (const name of [hot, classic]) demo.next(name, { code: 500003 })
  await t.rejects(relay.getComments({ id: '5000001', reqtype: 3 }), { code: 'UPSTREAM_REFUSED', statusCode: 502 })
})

test('cmd asks for a classic list, and the modern one of that order stands in', async ({ t, demo, server }) => {
  for (const [query, cmd, order] of [
    ['id=5000001&cmd=8', '8', latest], ['id=5000001&cmd=6&reqtype=2', '6', hot], ['id=800002&biztype=2&cmd=9', '9', hot]
  ] as const) {
    demo.reset()
    const { body } = await server.get(`/getComments?${query}`)
    t.ok(body.data.comment.list.length > 10)
    t.same(demo.received.map(({ path, query: asked }) => [path, asked['cmd']]), [[classic, cmd]])
    t.ok(body.data.comment.list.every((row: any) => row.seqNo === ''))
    t.equal(body.data.hot_comment.list.length > 0, cmd === '8')
    demo.next(classic, { code: 5 })
    t.ok((await server.get(`/getComments?${query}`)).body.data.comment.list
      .every((row: any) => /^\d{19}$/.test(row.seqNo)))
    t.equal(demo.calls(order).length, 1)
  }
})

test('rootcommentid lists the replies to one comment', async ({ t, demo, relay }) => {
  const ask = async (input: Partial<Input>): Promise<Comments> =>
    await relay.getComments({ id: '5000001', reqtype: 2, ...input })
  const rows =
    [...(await ask({ pagesize: 50 })).comment.list, ...(await ask({ pagesize: 50, pagenum: 1 })).comment.list]
  for (const root of [
    rows.find(({ replies }) => replies.length === 3), rows.findLast(({ replies }) => replies.length === 2)
  ]) {
    const found = await ask({ rootcommentid: root?.rootcommentid ?? '' })
    t.equal(found.comment.total, root?.replies.length)
    t.same(
      found.comment.list.map(({ rootcommentid, content, nick, time }) => ({ rootcommentid, content, nick, time })),
      root?.replies.map(({ content, nick, time }) => ({ rootcommentid: root.rootcommentid, content, nick, time }))
    )
  }
  const three = rows.find(({ replies }) => replies.length === 3)?.rootcommentid ?? ''
  const pages =
    [await ask({ rootcommentid: three, pagesize: 2 }), await ask({ rootcommentid: three, pagesize: 2, pagenum: 1 })]
  t.same(pages.map((page) => [page.comment.list.length, page.morecomment]), [[2, true], [1, false]])
  const quiet = rows.find(({ replies }) => replies.length === 0)?.rootcommentid ?? ''
  for (const rootcommentid of [quiet, '1!nobody']) {
    t.same((await ask({ rootcommentid })).comment, { list: [], total: 0, skipped: 0 })
  }
  demo.reset()
  await ask({ rootcommentid: '1!nobody' })
  t.ok(demo.received.length <= 5, 'it is not looked for without end')
  const classicRows = (await ask({ cmd: 8, pagesize: 50 })).comment.list
  const reply = classicRows.find(({ commentid, rootcommentid }) => commentid !== rootcommentid)
  const family = await ask({ cmd: 8, rootcommentid: reply?.rootcommentid ?? '' })
  t.same(family.comment.list, [reply], 'a reply that has a row of its own')
  t.not(
    reply?.content, classicRows.find(({ commentid }) => commentid === reply?.rootcommentid)?.content, 'has its own text'
  )
})

test('a classic list that counts comments and sends none is asked for elsewhere', async ({ t, demo, relay }) => {
  const bare = { mutate: ({ comment }: any) => { comment.commentlist = [] } }
  demo.next(classic, bare)
  t.match(await relay.getComments({ id: '5000001', cmd: 8, pagesize: 3 }), { comment: { list: { length: 3 } } })
  demo.next(classic, bare)
  t.match(
    await relay.getComments({ id: '5000001', cmd: 6, pagesize: 3 }), { comment: { list: { length: 0 } } },
    'there may be no popular one'
  )
})

test('a reply without text is counted in its place, and what follows it is not lost', async ({ t, demo, relay }) => {
  const replyOf = (number: number, Content: string): object =>
    ({ CmId: `1!r${number}`, SeqNo: `${1000 + number}`, Nick: 'A', Content, PubTime: 1, PraiseNum: 0 })
  const sent = (from: number, count: number, more: boolean, textAt: (number: number) => string): Fault => ({
    mutate: ({ data }) => {
      const Comments = Array.from({ length: count }, (_, at) => replyOf(from + at, textAt(from + at)))
      data.CommentList = { Comments, Total: 30, HasMore: more ? 1 : 0 }
    }
  })
  const ask = async (pagenum: number): Promise<Comments> =>
    await relay.getComments({ id: '5000001', rootcommentid: '1!root', pagesize: 10, pagenum })
  const isPicture = (number: number): string => number < 25 ? '' : `text ${number}`
  const [none, some] = [sent(0, 25, true, isPicture), sent(25, 5, false, isPicture)]
  for (const fault of [none, none, none, some]) demo.next(replies, fault)
  for (const pagenum of [0, 1]) {
    t.match(await ask(pagenum), { comment: { list: { length: 0 }, total: 30, skipped: 10 }, morecomment: true })
  }
  const last = await ask(2)
  t.match(last, { comment: { list: { length: 5 }, skipped: 5 }, morecomment: false })
  t.equal(texts(last)[0], 'text 25')
  t.equal(paramOf(demo.calls(replies).at(-1)).LastCommentSeqNo, '1024')
})

test('a part without rows ends the list, whatever it says', async ({ t, demo, relay }) => {
  const input = { biztype: 1, id: '5000001', reqtype: 2, pagesize: 5 } as const
  const { nextCursor } = await relay.getComments(input)
  demo.next(latest, { mutate: ({ data }) => { Object.assign(data.CommentList, { Comments: [], HasMore: 1 }) } })
  const { comment, morecomment } = await relay.getComments({ ...input, cursor: nextCursor as string })
  t.same([comment.list, morecomment], [[], false])
})
