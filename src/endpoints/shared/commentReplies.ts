/**
 * The replies to one comment. The call is in the code of two clients and in the provider's desktop program (2026). It is
 * unknown whether it answers without a login, so an empty answer proves nothing.
 */
import type { Comment } from '../../../schemas/comments.ts'
import { InvalidInput, upstreamEmpty } from '../../common/errors.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import type { MusicuCall, Upstream } from '../../upstream/calls.ts'
import { readModernRow } from './commentLists.ts'

/** The position where the list continues: after the last row of the previous part. */
interface ReplyPosition { readonly page: number, readonly seqNo: string, readonly rankScore: string }

interface ReplyPart { readonly rows: readonly (Comment & { readonly rankScore: string })[], readonly total: number, readonly more: boolean }

/** Whether an id is from the modern lists. Classic ids have another form, and no call for replies. */
export const hasReplyCall = (rootcommentid: string): boolean => rootcommentid.includes('!')

/** Rows in one request, and the maximum of requests for one page. */
const [rowsPerRequest, mostRequests] = [25, 20]

const repliesOf = (RootCmId: string, { page, seqNo, rankScore }: ReplyPosition): MusicuCall<ReplyPart>[] => [
  {
    name: 'comments.replies',
    request: {
      module: 'music.globalComment.CommentRead',
      method: 'GetReplyCommentList',
      param: { RootCmId, LastCommentSeqNo: seqNo, LastRankScore: rankScore, PageSize: rowsPerRequest, PageNum: page, RankType: 0, PicEnable: 1 }
    },
    optionalFields,
    read: readPart
  },
  {
    name: 'comments.replies.short',
    request: { module: 'music.globalComment.CommentReadServer', method: 'GetReplyCommentList', param: { RootCmId, LastCommentSeqNo: seqNo, PageSize: rowsPerRequest } },
    optionalFields,
    read: readPart
  }
]

/** A reply has no replies of its own. */
const optionalFields = ['CommentList.Comments[].SubComments']

function readPart (answer: Answer): ReplyPart {
  const list = maybe.at(answer, 'CommentList')
  if (list === undefined) throw upstreamEmpty(answer.call, 'replies')
  return {
    rows: maybe.list(list, 'Comments', (row) => {
      const comment = readModernRow(row)
      return comment === undefined ? undefined : { ...comment, rankScore: maybe.text(row, 'RankScore') ?? '' }
    }),
    total: maybe.int(list, 'Total') ?? 0,
    more: maybe.flag(list, 'HasMore') ?? false
  }
}

/**
 * Returns the first `most` replies to a comment, their total, and whether there are more. The list also contains the comment
 * itself, which is left out.
 */
export async function firstReplies (
  rootcommentid: string,
  most: number,
  upstream: Upstream
): Promise<{ readonly replies: readonly Comment[], readonly total: number, readonly more: boolean }> {
  const replies = new Map<string, Comment>()
  let place: ReplyPosition = { page: 0, seqNo: '', rankScore: '' }
  for (;;) {
    const { rows, total, more } = await upstream.firstOf(repliesOf(rootcommentid, place))
    const known = replies.size
    for (const { rankScore: _, ...row } of rows) if (row.commentid !== rootcommentid) replies.set(row.commentid, { ...row, rootcommentid })
    const last = rows.at(-1)
    const goesOn = more && last !== undefined && (replies.size > known || place.page === 0)
    if (!goesOn || replies.size >= most) return { replies: [...replies.values()], total: Math.max(total, replies.size), more: goesOn }
    if (place.page === mostRequests - 1) throw new InvalidInput(`pagenum: only the first ${rowsPerRequest * mostRequests} replies to a comment can be read.`)
    place = { page: place.page + 1, seqNo: last.seqNo, rankScore: last.rankScore }
  }
}
