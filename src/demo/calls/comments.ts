import {
  ordered, threadOf, type Comment, type ThreadOrder, type Reply, type Thread, type Topic
} from '../catalogue/comments.ts'
import type { Catalogue } from '../catalogue/types.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'

const mostRows = 50

/** Ids and sequence numbers are above 2^53 and therefore texts. */
const cmIdOf = (thread: Thread, number: number): string => `1!demo${thread.topic}${thread.id}n${number}`
const seqNoOf = (thread: Thread, number: number): string =>
  String(1_628_467_000_000_000_000n + BigInt(Number(thread.id.replace(/\D/g, '')) % 1000) * 1_000_000n + BigInt(number))

function person (thread: Thread, { number, uin, nick, text, time, praises }: Reply): Record<string, unknown> {
  return {
    Avatar: `http://avatars.invalid/${uin % 40}/132`,
    CmId: cmIdOf(thread, number),
    IdentityPic: '',
    IdentityType: 0,
    IsPraised: 0,
    Nick: nick,
    PraiseNum: praises,
    PubTime: time,
    EncryptUin: `demoUin${uin}**`,
    VipIcon: '',
    Content: text,
    CommitState: 2,
    UserType: '',
    Permission: 0,
    RankScore: '',
    SeqNo: seqNoOf(thread, number),
    AuthorPraise: 0,
    Pic: text === '' ? 'http://pictures.invalid/1.jpg' : '',
    PicSize: text === '' ? '600x600' : ''
  }
}

function commentShape (thread: Thread, comment: Comment): Record<string, unknown> {
  return {
    ...person(thread, comment),
    State: 1,
    RepliedComments: [],
    ReplyCnt: comment.replies.length,
    SubComments: comment.replies.map((reply) => ({
      ...person(thread, reply),
      ParentComment: { EncryptUin: '', Content: '', Nick: '', CmId: '', RplCnt: 0 }
    })),
    HotScore: '0',
    RecScore: '0',
    Location: 'Demo Bay',
    PhoneType: '',
    IconList: [],
    AtList: [],
    VipUI: { nickname: { lightColor: '', darkColor: '' }, iconlist: [] }
  }
}

const block = (Comments: unknown[], Total: number, HasMore: boolean): Record<string, unknown> =>
  ({ Comments, HasMore: HasMore ? 1 : 0, Total, NextOffset: 0, ListType: 0, CommentIds: [] })

const topics: Record<number, Topic | undefined> = { 1: 'song', 2: 'album', 3: 'playlist', 4: 'mv' }

const kinds = {
  BizType: 'number',
  BizId: 'string',
  BizSubType: 'number',
  LastCommentSeqNo: 'string',
  PageSize: 'number',
  PageNum: 'number',
  FromCommentId: 'string',
  WithHot: 'flag',
  PicEnable: 'flag',
  HotType: 'number',
  WithAirborne: 'flag',
  Flag: 'number',
  CmListUIVer: 'number',
  AudioEnable: 'flag'
} as const

/**
 * Returns the rows after the one in `LastCommentSeqNo`. Without it, the page `PageNum`; with an account always the
 * first rows (both observed 2026-09).
 */
function list (order: ThreadOrder): (param: Param, context: CallContext) => CallAnswer {
  return (param, { catalogue, identity }) => {
    const wrong = mistyped(param, kinds)
    if (wrong) return wrong
    const topic = topics[numberOf(param, 'BizType', 0)]
    const thread = threadOf(topic ?? 'song', topic ? textOf(param, 'BizId') : '', catalogue)
    const comments = ordered(thread.comments, order)
    const last = textOf(param, 'LastCommentSeqNo')
    const size = Math.min(mostRows, numberOf(param, 'PageSize', 25))
    const page = identity.state === 'anonymous' ? numberOf(param, 'PageNum', 0) : 0
    const start = last === '' ? page * size : comments.findIndex(({ number }) => seqNoOf(thread, number) === last) + 1
    const end = start + size
    const rows = (some: Comment[]): unknown[] => some.map((comment) => commentShape(thread, comment))
    const hot = param['WithHot'] === 1 && start === 0 ? rows(ordered(thread.comments, 'liked').slice(0, 3)) : []
    const replies = comments.reduce((sum, comment) => sum + comment.replies.length, 0)
    const data = {
      AllowComment: 1,
      CommentTip: '',
      SubCode: 0,
      Msg: '',
      CommentList: block(rows(comments.slice(start, end)), comments.length, end < comments.length),
      CommentList2: block([], 0, false),
      CommentList3: block(hot, hot.length, false),
      ShareCnt: 0,
      ExtraInfo: null,
      TotalCmNum: comments.length + replies,
      HasTsCm: 0
    }
    return { code: 0, data }
  }
}

/** Returns the comment for an id that this demo sent, and its thread. */
function commentOf (CmId: string, catalogue: Catalogue): { thread: Thread, comment: Comment } | undefined {
  const { topic, id = '', number } = /^1!demo(?<topic>song|album|playlist|mv)(?<id>\w+?)n(?<number>\d+)$/.exec(CmId)?.groups ?? {}
  const thread = threadOf((topic ?? 'song') as Topic, id, catalogue)
  const comment = thread.comments.find((each) => String(each.number) === number)
  return comment && { thread, comment }
}

const replyKinds = {
  RootCmId: 'string',
  LastCommentSeqNo: 'string',
  LastRankScore: 'string',
  PageSize: 'number',
  PageNum: 'number',
  RankType: 'number',
  PicEnable: 'flag'
} as const

/**
 * Returns the comment itself, then its replies, after the given row or else by page number. An unknown comment has
 * none.
 */
function replies (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, replyKinds)
  if (wrong) return wrong
  const found = commentOf(textOf(param, 'RootCmId'), catalogue)
  const CommentTip = { AllowComment: 1, CommentTip: '', SubCode: 0, Msg: '' }
  if (!found) return { code: 0, data: { ...CommentTip, CommentList: { ...block([], 0, false), Comments: null } } }
  const { thread, comment } = found
  const named = { RepliedComments: [{ CmId: cmIdOf(thread, comment.number), Nick: comment.nick }], ReplyCnt: 0 }
  const all = [comment, ...comment.replies].map((row) => ({
    ...person(thread, row),
    RankScore: String(row.praises),
    ...row === comment ? { RepliedComments: [], ReplyCnt: comment.replies.length } : named
  }))
  const last = textOf(param, 'LastCommentSeqNo')
  const size = Math.min(mostRows, numberOf(param, 'PageSize', 10))
  const start = last === '' ? numberOf(param, 'PageNum', 0) * size
    : all.findIndex(({ SeqNo }: Record<string, unknown>) => SeqNo === last) + 1
  return {
    code: 0,
    data: {
      ...CommentTip,
      CommentList: block(all.slice(start, start + size), comment.replies.length, start + size < all.length)
    }
  }
}

export const commentCalls: MusicuTable = {
  'music.globalComment.CommentRead/GetRecCommentList': list('recommended'),
  'music.globalComment.CommentRead/GetNewCommentList': list('newest'),
  'music.globalComment.CommentRead/GetHotCommentList': list('liked'),
  'music.globalComment.CommentRead/GetReplyCommentList': replies,
  'music.globalComment.CommentReadServer/GetReplyCommentList': replies
}

/** Topics by the numbers of the classic call. 4 is a chart there; the demo's charts have no comments. */
const classicTopics: Record<number, Topic | undefined> = { 1: 'song', 2: 'album', 3: 'playlist', 5: 'mv' }

/** The old id contains the account number of the author. */
const classicIdOf = ({ topic, id }: Thread, { uin, time }: Reply): string => `${topic}_${id}_${uin}_${time}`

/** A row is a comment or, with `reply`, one reply to this comment. */
function classicRow (thread: Thread, root: Comment, reply?: Reply): Record<string, unknown> {
  const author = reply ?? root
  return {
    avatarurl: `http://avatars.invalid/${author.uin % 40}/140`,
    commentid: classicIdOf(thread, author),
    commit_state: 2,
    enable_delete: 0,
    encrypt_rootcommentuin: `demoUin${root.uin}**`,
    encrypt_uin: `demoUin${author.uin}**`,
    identity_pic: '',
    identity_type: 0,
    is_hot: 0,
    is_stick: 0,
    ispraise: 0,
    middlecommentcontent: reply
      ? [{
        encrypt_replyuin: `demoUin${reply.uin}**`,
        encrypt_replyeduin: `demoUin${root.uin}**`,
        replynick: `@${reply.nick}`,
        replyednick: `@${root.nick}`,
        replyuin: String(reply.uin),
        replyeduin: String(root.uin),
        subcommentcontent: reply.text,
        subcommentid: classicIdOf(thread, reply)
      }]
      : null,
    nick: author.nick,
    permission: 0,
    praisenum: author.praises,
    rootcommentcontent: root.text,
    rootcommentid: classicIdOf(thread, root),
    rootcommentnick: `@${root.nick}`,
    rootcommentuin: String(root.uin),
    score: 0,
    taoge_topic: '',
    taoge_url: '',
    time: author.time,
    uin: String(author.uin),
    user_type: '',
    vipicon: ''
  }
}

/** The newest-first list also has a row for the first reply of every fifth comment, right before the comment. */
function newestRows (thread: Thread): Array<Record<string, unknown>> {
  return ordered(thread.comments, 'newest').flatMap((comment) => {
    const [reply] = comment.number % 5 ? [] : comment.replies
    return [...(reply ? [classicRow(thread, comment, reply)] : []), classicRow(thread, comment)]
  })
}

const hotRows = (thread: Thread): Array<Record<string, unknown>> =>
  ordered(thread.comments, 'liked').map((comment) => classicRow(thread, comment))

/** `cmd` 8 is the newest. The most liked are 6 for songs and MVs, 9 for the others. 1 and 3 write and are refused. */
function rowsFor (cmd: string | undefined, thread: Thread): Array<Record<string, unknown>> {
  if (cmd === '8') return newestRows(thread)
  const hot = thread.topic === 'song' || thread.topic === 'mv' ? '6' : '9'
  return cmd === hot ? hotRows(thread) : []
}

/** Later pages need the id of the last row before them. Without it, or with a wrong one, the page is empty. */
function classicList (query: Query, { catalogue }: CallContext): unknown {
  if (query['cmd'] === '1' || query['cmd'] === '3') return { code: 1000, subcode: 1000, message: 'need login' }
  const topic = classicTopics[queryNumber(query, 'biztype', 0)]
  const thread = threadOf(topic ?? 'song', topic ? query['topid'] ?? '' : '', catalogue)
  const rows = rowsFor(query['cmd'], thread)
  const size = Math.min(mostRows, queryNumber(query, 'pagesize', 25))
  const page = queryNumber(query, 'pagenum', 0)
  const reached = page === 0 || rows[page * size - 1]?.['rootcommentid'] === query['lasthotcommentid']
  const commentlist = reached ? rows.slice(page * size, (page + 1) * size) : []
  const hot = query['cmd'] === '8' && page === 0 ? hotRows(thread).slice(0, 15) : []
  const part = (some: unknown[], commenttotal: number): Record<string, unknown> => ({
    commentlist: some.length > 0 ? some : null,
    commenttotal
  })
  return {
    allow_comment: 1,
    allow_song: 0,
    auth: 0,
    blackuin: 0,
    code: 0,
    comment: part(commentlist, rows.length),
    comment_tip: '',
    hot_comment: part(hot, hot.length),
    lastscore: 0,
    morecomment: reached && (page + 1) * size < rows.length ? 1 : 0,
    msg_comment: part([], 0),
    showYuerenTip: 0,
    subcode: 0,
    superadmin: 0,
    taoge_topic: '',
    topic_name: 'demo',
    topid: query['topid'] ?? ''
  }
}

export const commentPaths: ClassicTable = {
  '/base/fcgi-bin/fcg_global_comment_h5.fcg': { answer: classicList, gbk: true, postWithoutReferer: true }
}
