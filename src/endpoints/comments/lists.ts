/**
 * The upstream's two generations of comment lists. Modern: three calls, one per order (live tests 2026-08). Classic:
 * one call whose `cmd` selects the list (alive 2026-09). A request contains the page and the row before it.
 */
import type { Comment, CommentList, CommentReply } from '../../../schemas/comments.ts'
import {
  innerRefusal, maybe, need, pictureOf, textOf, upstreamEmpty, type Answer, type ClassicCall, type MusicuCall
} from '../kit.ts'
import { classicFiller } from '../../upstream/wire/requests.ts'
import { readPart, type CountedRows } from '../shared/pages.ts'

/** Public numbers: kind 1 is song, 2 album, 3 playlist, 4 MV; order 1 is recommended, 2 newest, 3 most liked. */
export interface Thread { readonly id: string, readonly kind: 1 | 2 | 3 | 4 }
export type CommentOrder = 1 | 2 | 3
export type Cmd = 6 | 8 | 9

/** A part of a list. `after`: the mark of the row before it, "" at the beginning; `page` counts parts of `size`. */
export interface CommentPosition { readonly page: number, readonly size: number, readonly after: string }

/** A row. The list continues after its `mark`; `comment` is undefined if the row has no text. */
export interface SentComment { readonly mark: string, readonly comment: Comment | undefined }

/** A part of a list, as one response sent it. `more` is true if the list continues. */
export interface CommentPart {
  readonly source: Source
  readonly rows: readonly SentComment[]
  readonly total: number
  readonly more: boolean
  readonly hot: CommentList
}

export const noComments: CommentList = { list: [], total: 0, skipped: 0 }

const listOf = ({ rows, skipped }: CountedRows<Comment>, total = 0): CommentList => ({ list: rows, total, skipped })

/** The generation that answered. Only the same one can continue the list. */
export type Source = 'modern' | 'classic'

const orders: Readonly<Record<CommentOrder, { method: string, param: Readonly<Record<string, unknown>> }>> = {
  1: { method: 'GetRecCommentList', param: { Flag: 1, CmListUIVer: 1, AudioEnable: 1 } },
  2: { method: 'GetNewCommentList', param: { FromCommentId: '', WithHot: 1 } },
  3: { method: 'GetHotCommentList', param: { HotType: 1, WithAirborne: 0 } }
}

/** The modern call for an order. `BizId` is a string, and songs have a `BizSubType`. */
export function modernComments (
  { id, kind }: Thread,
  order: CommentOrder,
  { page, size, after }: CommentPosition
): MusicuCall<CommentPart> {
  const { method, param } = orders[order]
  return {
    name: `comments.${method}`,
    request: {
      module: 'music.globalComment.CommentRead',
      method,
      param: {
        BizType: kind, BizId: id, ...(kind === 1 ? { BizSubType: 2 } : {}),
        LastCommentSeqNo: after, PageSize: size, PageNum: page, ...param, PicEnable: 1
      }
    },
    // Only the classic list is known to accept a vid, so an empty modern list proves nothing.
    read: (answer) => readModern(answer, page === 0 && after === '', kind === 4 && !/^\d+$/.test(id))
  }
}

/** Kinds in classic numbers. There, 4 is a chart and 5 an MV. */
const classicKinds = { 1: 1, 2: 2, 3: 3, 4: 5 } as const

/** Returns the classic list for an order. There is no recommended one, so the newest come first, as on the web. */
export function cmdOf ({ kind }: Thread, order: CommentOrder): Cmd {
  if (order !== 3) return 8
  return kind === 1 || kind === 4 ? 6 : 9
}

export function classicComments (
  { id, kind }: Thread,
  cmd: Cmd,
  { page, size, after }: CommentPosition
): ClassicCall<CommentPart> {
  return {
    name: 'comments.classic',
    request: {
      path: '/base/fcgi-bin/fcg_global_comment_h5.fcg',
      query: {
        format: 'json', ...classicFiller, ct: 24, cv: 10101010, needmusiccrit: 0, cid: 205360772, reqtype: 2,
        biztype: classicKinds[kind], topid: id, cmd, pagenum: page, pagesize: size, lasthotcommentid: after
      }
    },
    read (answer) {
      const list = need.at(answer, 'comment')
      const rows = maybe.list(
        list,
        'commentlist',
        (row) => ({ mark: maybe.text(row, 'rootcommentid', 'commentid') ?? '', comment: readClassicRow(row) })
      )
      const total = maybe.int(list, 'commenttotal') ?? 0
      // The total is that of the newest ones.
      if (rows.length === 0 && total > 0 && cmd === 8 && page === 0 && after === '') {
        throw upstreamEmpty(answer.call, 'comments')
      }
      return {
        source: 'classic',
        rows,
        total,
        more: maybe.flag(answer, 'morecomment') ?? false,
        hot: listOf(
          readPart(answer, ['hot_comment.commentlist'], readClassicRow),
          maybe.int(answer, 'hot_comment.commenttotal')
        )
      }
    }
  }
}

/** Reads a modern list. Throws UPSTREAM_EMPTY for one that looks blocked. `doubtful`: so does any empty one. */
function readModern (answer: Answer, isFirst: boolean, doubtful: boolean): CommentPart {
  const refused = maybe.int(answer, 'SubCode') ?? 0
  if (refused !== 0) throw innerRefusal(answer.call, refused, maybe.text(answer, 'Msg'))
  const list = maybe.at(answer, 'CommentList')
  if (list === undefined) throw upstreamEmpty(answer.call, 'comments')
  const rows = maybe.list(
    list,
    'Comments',
    (row) => ({ mark: maybe.id(row, 'SeqNo') ?? '', comment: readModernRow(row) })
  )
  // The recommended list reports 0 although it has rows (2026-09).
  const total = maybe.int(list, 'Total') || (rows.length > 0 ? maybe.int(answer, 'TotalCmNum') : 0) || 0
  if (rows.length === 0 && isFirst && (total > 0 || doubtful)) throw upstreamEmpty(answer.call, 'comments')
  // The upstream has moved the popular comments between these two fields.
  const hot = ['CommentList3', 'CommentList2'].map((name) => maybe.at(answer, name)).find((block) =>
    block !== undefined && maybe.list(block, 'Comments', () => true).length > 0
  )
  return {
    source: 'modern',
    rows,
    total,
    more: maybe.flag(list, 'HasMore') ?? false,
    hot: hot === undefined ? noComments : listOf(readPart(hot, ['Comments'], readModernRow), maybe.int(hot, 'Total'))
  }
}

/** Reads a comment of the modern lists; undefined if it has no text. */
export function readModernRow (row: Answer): Comment | undefined {
  const content = contentOf(row, 'Content')
  const rootcommentid = maybe.text(row, 'CmId')
  if (content === '' || rootcommentid === undefined) return undefined
  const { rows: replies } = readPart(row, ['SubComments'], (reply): CommentReply | undefined => {
    const text = contentOf(reply, 'Content')
    return text === ''
      ? undefined
      : {
        commentid: maybe.text(reply, 'CmId') ?? '',
        content: text,
        nick: nickOf(reply, 'Nick'),
        praisenum: maybe.int(reply, 'PraiseNum') ?? 0,
        time: maybe.int(reply, 'PubTime') ?? 0
      }
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

/** A row may be a reply: one middle entry has its id, and the root text is the parent's. Others are replies to it. */
function readClassicRow (row: Answer): Comment | undefined {
  const rootcommentid = maybe.text(row, 'rootcommentid', 'commentid')
  if (rootcommentid === undefined) return undefined
  const commentid = maybe.text(row, 'commentid') ?? rootcommentid
  const { rows: middle } = readPart(row, ['middlecommentcontent'], (entry): CommentReply => ({
    commentid: maybe.text(entry, 'subcommentid') ?? '',
    content: contentOf(entry, 'subcommentcontent'),
    nick: nickOf(entry, 'replynick'),
    praisenum: 0,
    time: 0
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

/** The upstream sends a line break as a backslash and an n. */
const contentOf = (row: Answer, ...paths: string[]): string => textOf(row, ...paths).replaceAll('\\n', '\n').trim()

/** Classic nicknames of other people begin with an @. */
const nickOf = (row: Answer, ...paths: string[]): string => textOf(row, ...paths).replace(/^@/, '')
