/** Comments on a song, album, playlist or MV. commentPages.ts finds a page, lists.ts reads it. */
import { Comments, GetCommentsQuery, type Comment } from '../../../schemas/comments.ts'
import type { Filled } from '../../../schemas/common.ts'
import {
  InvalidInput, codeMsgData, endpoint, maybe, notFound, optional, otherCallMayHelp, upstreamEmpty, type Context,
  type UpstreamCall
} from '../kit.ts'
import { midLength } from '../../upstream/wire/links.ts'
import { classicFiller } from '../../upstream/wire/requests.ts'
import {
  classicComments, cmdOf, modernComments, noComments, type Cmd, type CommentOrder, type CommentPosition,
  type SentComment, type Source, type Thread
} from './lists.ts'
import {
  commentPage, fetchPart, sourceOfMark, readRows, firstReplies, hasReplyCall, type CommentPage, type CommentSources
} from './commentPages.ts'
import { songFactsOf } from '../shared/song.ts'

type Input = Filled<typeof GetCommentsQuery>

const albumIdOf = (albummid: string): UpstreamCall<string>[] => [
  {
    name: 'album.id',
    request: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: { albumMId: albummid } },
    // Either the MID is unknown or, with a cookie, the key has expired. The classic call distinguishes the two.
    codes: { 104400: 'refused.item' },
    read (answer) {
      const head = maybe.at(answer, 'basicInfo')
      if (head === undefined) throw upstreamEmpty(answer.call, 'the album')
      return albumId(maybe.id(head, 'albumID'), answer.call, albummid)
    }
  },
  {
    name: 'album.id.classic',
    request: { path: '/v8/fcg-bin/fcg_v8_album_info_cp.fcg', query: { ...classicFiller, albummid, format: 'json' } },
    read: (answer) => albumId(maybe.id(answer, 'data.id'), answer.call, albummid)
  }
]

function albumId (id: string | undefined, call: string, albummid: string): string {
  if (id === undefined) throw notFound(call, `The album ${albummid}`)
  return id
}

/** Resolves an id to the one that the upstream uses: a number, or the vid of an MV. */
async function threadOf ({ id, biztype: kind }: Input, context: Context): Promise<Thread> {
  // A few MIDs are digits only.
  const isNumber = /^\d+$/.test(id) && (kind === 3 || id.length !== midLength)
  if (isNumber || kind === 4) return { id, kind }
  if (kind === 3) throw new InvalidInput('id: must be the number of a playlist with biztype 3.')
  if (kind === 2) return { id: await context.upstream.firstOf(albumIdOf(id)), kind }
  return { id: String((await songFactsOf({ song_mid: id }, context)).id), kind }
}

/** Maximum length of a mark, in the relay's memory and in a cursor: upstream marks have up to 70 characters. */
const longestMark = 120

function listOf (thread: Thread, { reqtype, cmd }: Input, { upstream, listMarks }: Context): CommentSources {
  const order: CommentOrder = cmd === undefined ? reqtype : cmd === 8 ? 2 : 3
  const classicCmd: Cmd = cmd ?? cmdOf(thread, reqtype)
  const key = (position: number): string => `comments ${upstream.loggedIn} ${thread.kind} ${thread.id} ${cmd ?? `order ${reqtype}`} ${position}`
  return {
    upstream,
    modern: (position) => modernComments(thread, order, position),
    classic: (position) => classicComments(thread, classicCmd, position),
    classicFirst: cmd !== undefined,
    marks: {
      get: (position) => listMarks.get(key(position)),
      set: (position, mark) => {
        if (mark.length <= longestMark) { listMarks.set(key(position), mark) }
      }
    }
  }
}

/** A position that a caller sent: the next part, and the row before it. */
interface CursorPosition extends Pick<CommentPosition, 'page' | 'after'> { readonly source: Source }

/** Parses a cursor such as `2.1628467045072956929`. A bare row id is accepted too. */
function placeOf (cursor: string, pagenum: number): CursorPosition {
  const { page, after = cursor } = /^(?<page>\d{1,5})\.(?<after>.+)$/.exec(cursor)?.groups ?? {}
  return { page: page === undefined ? Math.max(1, pagenum) : Number(page), after, source: sourceOfMark(after) }
}

const isComment = (comment: Comment | undefined): comment is Comment => comment !== undefined

function pageOf ({ first, rows, more }: CommentPage, nextPage: number, withHot: boolean): Comments {
  const mark = rows.at(-1)?.mark ?? ''
  const list = rows.map(({ comment }) => comment).filter(isComment)
  return {
    comment: { list, total: first.total, skipped: rows.length - list.length },
    hot_comment: withHot ? first.hot : noComments,
    morecomment: more && rows.length > 0,
    ...(more && mark !== '' ? { nextCursor: `${nextPage}.${mark}` } : {})
  }
}

async function commentsOf (list: CommentSources, { pagenum, pagesize, cursor }: Input): Promise<Comments> {
  if (cursor === undefined) return pageOf(await commentPage(list, pagenum, pagesize), pagenum + 1, pagenum === 0)
  const { page, after, source } = placeOf(cursor, pagenum)
  const part = await fetchPart(list, { page, size: pagesize, after }, source)
  const rows = part.rows.slice(0, pagesize)
  return pageOf({ first: part, rows, more: part.more || part.rows.length > rows.length }, page + 1, false)
}

const mostSearchRequests = 5

/** Returns the replies to one comment as rows: all of them from their own call, else those that the list contains. */
async function repliesTo (rootcommentid: string, sources: CommentSources, input: Input): Promise<Comments> {
  const { pagenum, pagesize } = input
  const end = (pagenum + 1) * pagesize
  const found = sources.classicFirst || !hasReplyCall(rootcommentid)
    ? undefined
    : await optional(firstReplies(rootcommentid, end + 1, sources.upstream), otherCallMayHelp)
  if (found === undefined || found.replies.length === 0) return await repliesAlong(rootcommentid, sources, input)
  const rows = found.replies.slice(end - pagesize, end)
  const list = rows.filter(isComment)
  return {
    comment: { list, total: found.total, skipped: rows.length - list.length },
    hot_comment: noComments,
    morecomment: found.more || found.replies.length > end
  }
}

/** Returns the replies that the list contains with their comment. The result is empty if the comment is not found. */
async function repliesAlong (
  rootcommentid: string,
  list: CommentSources,
  { pagenum, pagesize }: Input
): Promise<Comments> {
  const belongs = ({ comment }: SentComment): boolean => comment?.rootcommentid === rootcommentid
  const { first, rows } = await readRows(list, {
    begin: 0,
    maxRequests: mostSearchRequests,
    enough: (_found, found) => found.some((row) => belongs(row) && row.comment?.commentid === rootcommentid)
  })
  const family = [
    ...rows.filter(belongs).map(({ comment }) => comment).filter(isComment),
    ...first.hot.list.filter((hot) => hot.rootcommentid === rootcommentid)
  ]
  const replies = new Map(family.flatMap(repliesIn).map((reply) => [reply.commentid || reply.content, reply]))
  const begin = pagenum * pagesize
  const all = [...replies.values()]
  return {
    comment: {
      list: all.slice(begin, begin + pagesize),
      total: Math.max(all.length, ...family.map(({ replynum }) => replynum)),
      skipped: 0
    },
    hot_comment: noComments,
    morecomment: all.length > begin + pagesize
  }
}

/** Classic lists contain some replies as separate rows. */
function repliesIn (comment: Comment): Comment[] {
  if (comment.commentid !== comment.rootcommentid) return [comment]
  return comment.replies.map((reply) => ({
    ...reply,
    rootcommentid: comment.rootcommentid,
    avatarurl: '',
    seqNo: '',
    replynum: 0,
    replies: []
  }))
}

export const getComments = endpoint({
  method: 'GET',
  path: '/getComments',
  tag: 'comments',
  summary: 'Comments on a song, album, playlist or MV',
  summaryInChinese: '歌曲、专辑、歌单或 MV 的评论',
  description: 'Pages count from 0 and need no cursor. A page can have fewer rows than pagesize, because comments without text are omitted: continue while morecomment is true. After the last page the list is empty. With a cookie the upstream lists a page only after the previous one; a page more than 1000 rows from any recently requested page is a 400 that names pagenum. If the modern lists fail, the classic ones are used: they have no recommended order (the newest come first) and other ids. An unknown number has no comments; an unknown MID is 404.',
  example: { id: '5000001', biztype: 1, reqtype: 3, pagesize: 5 },
  probe: ({ songs, albums, comments }) => [
    ...songs.flatMap(({ id, mid }) => [
      { id: mid, reqtype: 1, pagesize: 1 } as const,
      { id, reqtype: 2, pagesize: 1 } as const,
      { id, reqtype: 3, pagesize: 10 } as const
    ]),
    ...albums.map((id) => ({ id, biztype: 2, pagesize: 1 } as const)),
    ...songs.flatMap(({ id }) => comments.map((rootcommentid) => ({ id, rootcommentid, pagesize: 1 })))
  ],
  samples: ({ comment }) => ({
    comments: comment.list.filter(({ rootcommentid, replynum }) => replynum > 0 && hasReplyCall(rootcommentid))
      .map(({ rootcommentid }) => rootcommentid)
  }),
  input: GetCommentsQuery,
  record: Comments,
  envelope: codeMsgData,
  cache: 'query',

  async run (input, context) {
    const list = listOf(await threadOf(input, context), input, context)
    return input.rootcommentid === undefined ? await commentsOf(list, input)
      : await repliesTo(input.rootcommentid, list, input)
  }
})
