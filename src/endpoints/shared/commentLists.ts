/**
 * The upstream's two generations of comment lists. Modern: three calls, one per order (live tests 2026-08). Classic: one
 * call whose `cmd` names the list (alive 2026-09). Either continues after the last row shown, which the caller names.
 */
import type { Comment, CommentReply } from '../../../schemas/comments.ts'
import { upstreamEmpty } from '../../errors.ts'
import { refusal } from '../../provider/codes.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall } from '../../provider/upstream.ts'
import { classicFiller } from '../../provider/wire.ts'
import { pictureOf, textOf } from './texts.ts'

/** Public numbers: kind 1 song, 2 album, 3 playlist, 4 MV; order 1 recommended, 2 newest, 3 most liked. */
export interface Thread { readonly id: string, readonly kind: 1 | 2 | 3 | 4 }
export type Order = 1 | 2 | 3
export type Cmd = 6 | 8 | 9

/** A part of a list. `after` names the row before it ("" at the beginning), `page` counts parts of `size` rows. */
export interface Part { readonly page: number, readonly size: number, readonly after: string }

/** A row with its name for continuing after it; without a comment when it has no text. */
export interface SentComment { readonly mark: string, readonly comment: Comment | undefined }

export interface CommentPart {
  readonly source: Source
  readonly rows: readonly SentComment[]
  readonly total: number
  readonly more: boolean
  readonly hot: { readonly list: Comment[], readonly total: number }
}

/** Which generation answered: only it can continue. */
export type Source = 'modern' | 'classic'

const orders: Readonly<Record<Order, { method: string, param: Readonly<Record<string, unknown>> }>> = {
  1: { method: 'GetRecCommentList', param: { Flag: 1, CmListUIVer: 1, AudioEnable: 1 } },
  2: { method: 'GetNewCommentList', param: { FromCommentId: '', WithHot: 1 } },
  3: { method: 'GetHotCommentList', param: { HotType: 1, WithAirborne: 0 } }
}

/** `BizId` is a text, songs have a `BizSubType`. */
export function modernComments ({ id, kind }: Thread, order: Order, { page, size, after }: Part): MusicuCall<CommentPart> {
  const { method, param } = orders[order]
  const subject = { BizType: kind, BizId: id, ...(kind === 1 ? { BizSubType: 2 } : {}) }
  return {
    name: `comments.${method}`,
    ask: { module: 'music.globalComment.CommentRead', method, param: { ...subject, LastCommentSeqNo: after, PageSize: size, PageNum: page, ...param, PicEnable: 1 } },
    // A vid is what the classic list goes by; whether the modern ones know it was not seen, so that their silence is no answer.
    read: (answer) => readModern(answer, after, kind === 4 && !/^\d+$/.test(id))
  }
}

/** The classic numbers: 4 is a chart there, and MVs are 5. */
const classicKinds = { 1: 1, 2: 2, 3: 3, 4: 5 } as const

/** The classic list for an order. There is no recommended one; the web shows the newest first. */
export function cmdOf ({ kind }: Thread, order: Order): Cmd {
  if (order !== 3) return 8
  return kind === 1 || kind === 4 ? 6 : 9
}

export function classicComments ({ id, kind }: Thread, cmd: Cmd, { page, size, after }: Part): ClassicCall<CommentPart> {
  return {
    name: 'comments.classic',
    ask: {
      path: '/base/fcgi-bin/fcg_global_comment_h5.fcg',
      query: {
        ...classicFiller, format: 'json', ct: 24, cv: 10101010, needmusiccrit: 0, cid: 205360772, reqtype: 2,
        biztype: classicKinds[kind], topid: id, cmd, pagenum: page, pagesize: size, lasthotcommentid: after
      }
    },
    read: readClassic
  }
}

/** `doubtful`: an empty list says nothing. */
function readModern (answer: Answer, after: string, doubtful = false): CommentPart {
  const refused = maybe.int(answer, 'SubCode') ?? 0
  if (refused !== 0) throw refusal(answer.call, refused, 'other', false, maybe.text(answer, 'Msg'))
  const list = maybe.at(answer, 'CommentList')
  if (list === undefined) throw upstreamEmpty(answer.call, 'comments')
  const rows = maybe.list(list, 'Comments', (row) => ({ mark: maybe.id(row, 'SeqNo') ?? '', comment: readModernRow(row) }))
  const total = maybe.int(list, 'Total') ?? maybe.int(answer, 'TotalCmNum') ?? 0
  if (rows.length === 0 && after === '' && (total > 0 || doubtful)) throw upstreamEmpty(answer.call, 'comments')
  // The popular block beside the list has moved between the two.
  const hot = ['CommentList3', 'CommentList2'].map((name) => maybe.at(answer, name)).find((block) => block !== undefined && maybe.list(block, 'Comments', () => true).length > 0)
  return {
    source: 'modern',
    rows,
    total,
    more: maybe.flag(list, 'HasMore') ?? false,
    hot: hot === undefined ? { list: [], total: 0 } : { list: maybe.list(hot, 'Comments', readModernRow), total: maybe.int(hot, 'Total') ?? 0 }
  }
}

function readModernRow (row: Answer): Comment | undefined {
  const content = contentOf(row, 'Content')
  const rootcommentid = maybe.text(row, 'CmId')
  if (content === '' || rootcommentid === undefined) return undefined
  const replies = maybe.list(row, 'SubComments', (reply): CommentReply | undefined => {
    const text = contentOf(reply, 'Content')
    return text === '' ? undefined : { commentid: maybe.text(reply, 'CmId') ?? '', content: text, nick: nickOf(reply, 'Nick'), praisenum: maybe.int(reply, 'PraiseNum') ?? 0, time: maybe.int(reply, 'PubTime') ?? 0 }
  })
  return {
    rootcommentid,
    commentid: rootcommentid,
    content,
    nick: nickOf(row, 'Nick'),
    avatarurl: pictureOf(row, 'Avatar'),
    praisenum: maybe.int(row, 'PraiseNum') ?? 0,
    time: maybe.int(row, 'PubTime') ?? 0,
    seqNo: maybe.id(row, 'SeqNo') ?? '',
    replynum: maybe.int(row, 'ReplyCnt') ?? replies.length,
    replies
  }
}

function readClassic (answer: Answer): CommentPart {
  const list = need.at(answer, 'comment')
  return {
    source: 'classic',
    rows: maybe.list(list, 'commentlist', (row) => ({ mark: maybe.text(row, 'rootcommentid', 'commentid') ?? '', comment: readClassicRow(row) })),
    total: maybe.int(list, 'commenttotal') ?? 0,
    more: maybe.flag(answer, 'morecomment') ?? false,
    hot: { list: maybe.list(answer, 'hot_comment.commentlist', readClassicRow), total: maybe.int(answer, 'hot_comment.commenttotal') ?? 0 }
  }
}

/**
 * A row may be a reply: then the middle part has an entry with the row's own id, and the root text is the parent's.
 * Other entries are replies to the row's comment.
 */
function readClassicRow (row: Answer): Comment | undefined {
  const rootcommentid = maybe.text(row, 'rootcommentid', 'commentid')
  if (rootcommentid === undefined) return undefined
  const commentid = maybe.text(row, 'commentid') ?? rootcommentid
  const middle = maybe.list(row, 'middlecommentcontent', (entry): CommentReply => ({
    commentid: maybe.text(entry, 'subcommentid') ?? '', content: contentOf(entry, 'subcommentcontent'), nick: nickOf(entry, 'replynick'), praisenum: 0, time: 0
  }))
  const own = middle.find((entry) => entry.commentid === commentid)
  const content = own === undefined ? contentOf(row, 'rootcommentcontent', 'commentcontent', 'content') : own.content
  if (content === '') return undefined
  const replies = own === undefined ? middle.filter((entry) => entry.content !== '') : []
  return {
    rootcommentid,
    commentid: own === undefined ? rootcommentid : commentid,
    content,
    nick: nickOf(row, 'nick', 'userinfo.nick', 'rootcommentnick'),
    avatarurl: pictureOf(row, 'avatarurl', 'userinfo.avatarurl'),
    praisenum: maybe.int(row, 'praisenum') ?? 0,
    time: maybe.int(row, 'time') ?? 0,
    seqNo: '',
    replynum: replies.length,
    replies
  }
}

/** Line breaks come as a backslash and an n. */
const contentOf = (row: Answer, ...paths: string[]): string => textOf(row, ...paths).replaceAll('\\n', '\n').trim()

/** Classic names of other people begin with an @. */
const nickOf = (row: Answer, ...paths: string[]): string => textOf(row, ...paths).replace(/^@/, '')
