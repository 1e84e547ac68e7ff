/** Comments, with their replies. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, findable, midPattern, numberOf, pageFromZero, ref, skipped } from './common.ts'

export const GetCommentsQuery = Type.Object({
  id: Type.String({
    ...findable,
    pattern: midPattern,
    'x-allowed': 'a number or a MID: 1 to 32 letters, digits or underscores',
    description: 'The target of the comments: number or MID of a song or album, number of a playlist, vid or number of an MV. A MID is looked up first.'
  }),
  biztype: defaulted(numberOf([1, 2, 3, 4], { description: 'Type of id: 1 song, 2 album, 3 playlist, 4 MV.' }), 1),
  reqtype: defaulted(numberOf([1, 2, 3], { description: 'Order: 1 recommended, 2 newest first, 3 most liked first.' }), 1),
  pagesize: defaulted(Type.Integer({ minimum: 1, maximum: 50, description: 'Number of rows, 1 to 50.' }), 25),
  pagenum: pageFromZero('pagenum * pagesize'),
  cmd: Type.Optional(
    numberOf([6, 8, 9], {
      description:
        'Uses the upstream\'s classic list instead, and ignores reqtype: 8 newest; 6 most liked of songs and MVs; 9 most liked of albums and playlists. If omitted: the modern lists by reqtype.'
    })
  ),
  rootcommentid: Type.Optional(Type.String({
    pattern: '^[!-~]{1,128}$',
    'x-allowed': 'at most 128 printable characters without blanks',
    description:
      'rootcommentid of a comment: the list then holds the replies to it, at most 500, and pages count replies; cursor is ignored. When the call for replies has none, those that come along with the comment, which is looked for among the first 250 of the list.'
  })),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      'x-allowed': 'nextCursor of an earlier answer',
      description:
        'nextCursor of the page before, with the same pagesize and order: pagenum is then ignored. Not needed, but sure also where the upstream does not list pages by number.'
    })
  )
})

export const CommentReply = Type.Object({
  commentid: Type.String({ description: 'Id of the reply; "" when unknown.' }),
  content: Type.String({ description: 'Text.' }),
  nick: Type.String({ description: 'Name of the author.' }),
  praisenum: Type.Integer({ description: 'Number of likes; 0 when unknown.' }),
  time: Type.Integer({ description: 'Unix seconds; 0 when unknown.' })
}, { $id: 'CommentReply', description: 'A reply to a comment.' })

export const Comment = Type.Object({
  rootcommentid: Type.String({ description: 'Id of the comment; of a reply, the id of the comment it belongs to.' }),
  commentid: Type.String({ description: 'Id of this row; the same as rootcommentid unless the row is a reply.' }),
  content: Type.String({ description: 'Text. Emoji of the upstream\'s own are left as codes: [em]e400846[/em].' }),
  nick: Type.String({ description: 'Name of the author.' }),
  avatarurl: Type.String({ description: 'Address of their picture; "" when there is none.' }),
  praisenum: Type.Integer({ description: 'Number of likes; 0 when unknown.' }),
  time: Type.Integer({ description: 'Unix seconds; 0 when unknown.' }),
  seqNo: Type.String({ description: 'Sequence number, digits beyond 2^53 as text; "" from the classic lists.' }),
  replynum: Type.Integer({ description: 'Number of replies; the list replies may have fewer.' }),
  replies: Type.Array(ref(CommentReply), { description: 'Replies sent with the comment.' })
}, { $id: 'Comment', description: 'A comment.' })

export const CommentList = Type.Object({
  list: Type.Array(ref(Comment), {
    description: 'Comments in the requested order; those without text (pictures only) are omitted, so a page can have fewer than pagesize.'
  }),
  total: Type.Integer({ description: 'Total number, including comments without text.' }),
  skipped
}, { $id: 'CommentList', description: 'Comments and their number.' })

export const Comments = Type.Object({
  comment: ref(CommentList),
  hot_comment: ref(CommentList),
  morecomment: Type.Boolean({
    description: 'Whether there is a next page: go on until this is false. A page may be short or empty, because rows without text are left out.'
  }),
  nextCursor: Type.Optional(
    Type.String({ description: 'Pass it as cursor for the next page; absent on the last page and with rootcommentid.' })
  )
}, {
  $id: 'Comments',
  description:
    'One page of comments; hot_comment has popular ones that the upstream sends with the first page, usually none.'
})

export type Comment = Static<typeof Comment>
export type CommentReply = Static<typeof CommentReply>
export type CommentList = Static<typeof CommentList>
export type Comments = Static<typeof Comments>
