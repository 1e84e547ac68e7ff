/**
 * Comments on a song, album, playlist or MV. The upstream continues a list after the last row shown, and the request
 * must name that row; a page number alone is not enough. A page without a cursor is therefore read from the beginning.
 */
import { Comments, GetCommentsQuery } from '../../../schemas/comments.ts'
import type { Comment } from '../../../schemas/comments.ts'
import type { Filled } from '../../../schemas/common.ts'
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { endpoint } from '../../core/endpoint.ts'
import { InvalidInput, notFound, upstreamEmpty } from '../../common/errors.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { Upstream, UpstreamCall } from '../../upstream/calls.ts'
import { classicFiller } from '../../upstream/protocol/requests.ts'
import { classicComments, cmdOf, modernComments } from '../shared/commentLists.ts'
import type { Cmd, CommentPart, CommentOrder, CommentPosition, SentComment, Source, Thread } from '../shared/commentLists.ts'
import { songChain } from '../shared/songDetail.ts'

type Input = Omit<Filled<typeof GetCommentsQuery>, 'cursor' | 'rootcommentid'> & { readonly cursor: string | undefined }

const albumIdOf = (albummid: string): UpstreamCall<string>[] => [
  {
    name: 'album.id',
    request: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: { albumMId: albummid } },
    // Either the MID is unknown or, with a cookie, the key has expired. The classic call distinguishes the two.
    codes: { 104400: 'argument' },
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
async function threadOf ({ id, biztype: kind }: Input, upstream: Upstream): Promise<Thread> {
  if (/^\d+$/.test(id) || kind === 4) return { id, kind }
  if (kind === 3) throw new InvalidInput('id: must be the number of a playlist with biztype 3.')
  if (kind === 2) return { id: await upstream.firstOf(albumIdOf(id)), kind }
  return { id: await upstream.firstOf(songChain({ song_mid: id }, (track) => need.id(track, 'id'))), kind }
}

type FetchComments = (part: CommentPosition, source?: Source) => Promise<CommentPart>

/**
 * Returns a function that fetches a part of the list. With a `source`, the request goes to that source only, because no
 * other can continue its list.
 */
function askOf (thread: Thread, { reqtype, cmd }: Input, upstream: Upstream): FetchComments {
  const order: CommentOrder = cmd === undefined ? reqtype : cmd === 8 ? 2 : 3
  const classicCmd: Cmd = cmd ?? cmdOf(thread, reqtype)
  return async (part, source) => {
    const modern = modernComments(thread, order, part)
    const classic = classicComments(thread, classicCmd, part)
    if (source !== undefined) return await upstream.send<CommentPart>(source === 'modern' ? modern : classic)
    return await upstream.firstOf<CommentPart>(cmd === undefined ? [modern, classic] : [classic, modern])
  }
}

/**
 * A position in a list: the next part, and the row before it. Modern sequence numbers are all digits; classic ids are
 * not.
 */
interface StridePosition extends Pick<CommentPosition, 'page' | 'after'> { readonly source: Source }

/** Parses a cursor such as `2.1628467045072956929`. A bare row id is accepted too. */
function placeOf (cursor: string, pagenum: number): StridePosition {
  const { page, after = cursor } = /^(?<page>\d{1,5})\.(?<after>.+)$/.exec(cursor)?.groups ?? {}
  return { page: page === undefined ? Math.max(1, pagenum) : Number(page), after, source: /^\d+$/.test(after) ? 'modern' : 'classic' }
}

/** Rows per request (the upstream's maximum), and the maximum requests for a page without a cursor. */
const stride = 50
const mostStrides = 20

/**
 * Reads the list from the beginning, `stride` rows per request, until `enough` returns true, the list ends or `strides`
 * requests were sent.
 */
async function walk (fetchPart: FetchComments, strides: number, enough: (rows: readonly SentComment[]) => boolean): Promise<{ first: CommentPart, rows: SentComment[], more: boolean }> {
  let part = await fetchPart({ page: 0, size: stride, after: '' })
  const first = part
  const rows = [...part.rows]
  for (let page = 1; page < strides && part.more && !enough(rows); page++) {
    const after = rows.at(-1)?.mark ?? ''
    if (after === '') return { first, rows, more: false } // without a mark the list cannot be continued
    part = await fetchPart({ page, size: stride, after }, first.source)
    if (part.rows.length === 0) return { first, rows, more: false }
    rows.push(...part.rows)
  }
  return { first, rows, more: part.more }
}

const isComment = (comment: Comment | undefined): comment is Comment => comment !== undefined

function pageOf (first: CommentPart, rows: readonly SentComment[], more: boolean, nextPage: number, withHot: boolean): Comments {
  const mark = rows.at(-1)?.mark ?? ''
  const goesOn = more && mark !== ''
  return {
    comment: { list: rows.map(({ comment }) => comment).filter(isComment), total: first.total },
    hot_comment: withHot ? first.hot : { list: [], total: 0 },
    morecomment: goesOn,
    ...(goesOn ? { nextCursor: `${nextPage}.${mark}` } : {})
  }
}

const tooDeep = (): InvalidInput => new InvalidInput(`pagenum: comments beyond the first ${stride * mostStrides} need the cursor of the page before (nextCursor).`)

/**
 * Returns one page. The first page and a page with a cursor take one request; any other page is read from the
 * beginning.
 */
async function commentsOf (fetchPart: FetchComments, { pagenum, pagesize, cursor }: Input): Promise<Comments> {
  if (cursor !== undefined || pagenum === 0) {
    const { page, after, source } = cursor === undefined ? { page: 0, after: '', source: undefined } : placeOf(cursor, pagenum)
    const part = await fetchPart({ page, size: pagesize, after }, source)
    const rows = part.rows.slice(0, pagesize)
    return pageOf(part, rows, part.more || part.rows.length > rows.length, page + 1, after === '')
  }
  const begin = pagenum * pagesize
  const end = begin + pagesize
  if (end > stride * mostStrides) throw tooDeep()
  const { first, rows, more } = await walk(fetchPart, mostStrides, (found) => found.length >= end)
  if (more && rows.length < end) throw tooDeep() // the upstream sent fewer rows per request than requested
  return pageOf(first, rows.slice(begin, end), more || rows.length > end, pagenum + 1, false)
}

/** Maximum requests to find one comment. */
const searchStrides = 5

/** Returns the replies to one comment as rows. The list is empty if the comment is not found. */
async function repliesTo (rootcommentid: string, fetchPart: FetchComments, { pagenum, pagesize }: Input): Promise<Comments> {
  const belongs = ({ comment }: SentComment): boolean => comment?.rootcommentid === rootcommentid
  const { first, rows } = await walk(fetchPart, searchStrides, (found) => found.some((row) => belongs(row) && row.comment?.commentid === rootcommentid))
  const family = [...rows.filter(belongs).map(({ comment }) => comment).filter(isComment), ...first.hot.list.filter((hot) => hot.rootcommentid === rootcommentid)]
  const replies = new Map(family.flatMap(repliesIn).map((reply) => [reply.commentid || reply.content, reply]))
  const begin = pagenum * pagesize
  const list = [...replies.values()]
  return {
    comment: { list: list.slice(begin, begin + pagesize), total: Math.max(list.length, ...family.map(({ replynum }) => replynum)) },
    hot_comment: { list: [], total: 0 },
    morecomment: list.length > begin + pagesize
  }
}

/** Classic lists contain some replies as separate rows. */
function repliesIn (comment: Comment): Comment[] {
  if (comment.commentid !== comment.rootcommentid) return [comment]
  return comment.replies.map((reply) => ({ ...reply, rootcommentid: comment.rootcommentid, avatarurl: '', seqNo: '', replynum: 0, replies: [] }))
}

export const getComments = endpoint({
  method: 'GET',
  path: '/getComments',
  tag: 'comments',
  summary: 'Comments on a song, album, playlist or MV',
  description: 'Pages count from 0 and need no cursor; deep pages are quicker with it. When the modern lists fail, the classic ones stand in, which have no recommended order (the newest come instead) and ids of another form. An unknown number has no comments; an unknown MID is 404.',
  example: { id: '5000001', biztype: 1, reqtype: 3, pagesize: 5 },
  probe: ({ songs, albums }) => [
    ...songs.flatMap(({ id, mid }) => [{ id: mid, reqtype: 1, pagesize: 1 } as const, { id, reqtype: 2, pagesize: 1 } as const, { id, reqtype: 3, pagesize: 1 } as const]),
    ...albums.map((id) => ({ id, biztype: 2, pagesize: 1 } as const))
  ],
  input: GetCommentsQuery,
  record: Comments,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ rootcommentid = '', cursor = '', ...rest }, { upstream }) {
    const input = { ...rest, cursor: cursor === '' ? undefined : cursor }
    const fetchPart = askOf(await threadOf(input, upstream), input, upstream)
    return rootcommentid === '' ? await commentsOf(fetchPart, input) : await repliesTo(rootcommentid, fetchPart, input)
  }
})
