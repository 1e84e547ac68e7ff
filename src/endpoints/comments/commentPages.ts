/**
 * Pages of a comment list. A page counts the rows of the upstream: page n of size s has the rows n*s to n*s+s-1,
 * without those that have no text, so no row is lost or repeated between pages.
 *
 * Without an account the upstream finds a page by its number; with one it only continues after a row that the request
 * names (both observed 2026-09). The classic list needs number and row. A page is therefore requested by the mark of
 * the row before it, if that mark is cached; else by its number; else the list is read up to it.
 */
import type { Comment } from '../../../schemas/comments.ts'
import {
  InvalidInput, maybe, optional, otherCallMayHelp, upstreamEmpty, valueOf, type Alternative, type Answer,
  type CompositeCall, type MusicuCall, type Upstream, type UpstreamCall
} from '../kit.ts'
import {
  readModernRow, type CommentPart, type CommentPosition, type SentComment, type Source
} from './lists.ts'

/** The list to read: its two sources, and the recently cached marks of its rows. */
export interface CommentSources {
  readonly upstream: Upstream
  readonly modern: (position: CommentPosition) => MusicuCall<CommentPart>
  readonly classic: (position: CommentPosition) => UpstreamCall<CommentPart>
  readonly classicFirst: boolean
  readonly marks: { get (position: number): string | undefined, set (position: number, mark: string): void }
}

/** Rows of one page. `first` is a response that has the totals of the list; `more` is true if the list continues. */
export interface CommentPage {
  readonly first: CommentPart
  readonly rows: readonly SentComment[]
  readonly more: boolean
}

/** Rows per request (the upstream's maximum), and the maximum requests for one page. */
const rowsPerRequest = 50
const mostRequests = 20

/** Returns the source that a mark belongs to. Modern sequence numbers are all digits; classic ids are not. */
export const sourceOfMark = (mark: string): Source => /^\d+$/.test(mark) ? 'modern' : 'classic'

/** Fetches a part of the list. `source`: from that source only, because no other can continue its list. */
export async function fetchPart (
  { upstream, modern, classic, classicFirst }: CommentSources,
  position: CommentPosition,
  source?: Source
): Promise<CommentPart> {
  if (source !== undefined) {
    return await upstream.send<CommentPart>(source === 'modern' ? modern(position) : classic(position))
  }
  const calls: UpstreamCall<CommentPart>[] = [modern(position), classic(position)]
  return await upstream.firstOf(classicFirst ? calls.reverse() : calls)
}

/** Returns one page. Throws InvalidInput if it can neither be asked for nor reached from the beginning. */
export async function commentPage (sources: CommentSources, page: number, size: number): Promise<CommentPage> {
  const part = await partAt(sources, page, size)
  const found = part === undefined
    ? await readTo(sources, page * size, size)
    : { first: part, rows: part.rows.slice(0, size), more: part.more || part.rows.length > size }
  const mark = found.rows.at(-1)?.mark ?? ''
  // The start of the next page is unknown after a short page.
  if (found.more && mark !== '' && found.rows.length === size) sources.marks.set((page + 1) * size, mark)
  return found
}

async function readTo (sources: CommentSources, begin: number, size: number): Promise<CommentPage> {
  const { first, rows, from, more } = await readRows(sources, {
    begin,
    maxRequests: mostRequests,
    enough: (found) => found >= begin + size
  })
  const own = rows.slice(begin - from, begin - from + size)
  const isBeyond = own.length === 0 && first.total > 0 && begin >= first.total
  if (more && own.length < size && !isBeyond) {
    throw new InvalidInput(
      'pagenum: this page is too far from the known part of the list. Ask for the pages before it, one after the other, or pass the cursor of the page before (nextCursor).'
    )
  }
  return { first, rows: own, more: !isBeyond && (more || from + rows.length > begin + size) }
}

/** Requests the page itself. Undefined if the upstream does not find it, so that the list has to be read up to it. */
async function partAt (sources: CommentSources, page: number, size: number): Promise<CommentPart | undefined> {
  if (page === 0) return await fetchPart(sources, { page, size, after: '' })
  const after = sources.marks.get(page * size)
  if (after !== undefined) {
    const part = await optional(fetchPart(sources, { page, size, after }, sourceOfMark(after)), otherCallMayHelp)
    if (part !== undefined) return part
  }
  if (sources.upstream.loggedIn || sources.classicFirst) return undefined
  return await optional(sources.upstream.firstOf([byNumber(sources, page, size)]), otherCallMayHelp)
}

/**
 * Requests a page by its number, together with the first one: an upstream that ignores the number sends the same rows
 * twice. Undefined then, and when rows are missing: the start of the next page is unknown after a short page.
 */
function byNumber ({ modern }: CommentSources, page: number, size: number): Alternative<CommentPart | undefined> {
  const calls = [modern({ page: 0, size, after: '' }), modern({ page, size, after: '' })] as const
  const both: CompositeCall<CommentPart | undefined, typeof calls> = {
    name: calls[0].name,
    calls,
    read ([start, found]) {
      const [first, part] = [valueOf(start), valueOf(found)]
      const [row] = part.rows
      if (row === undefined) return page * size < first.total ? undefined : { ...part, total: first.total, more: false }
      return row.mark === first.rows[0]?.mark || (part.more && part.rows.length < size) ? undefined : part
    }
  }
  return both
}

/** How far to read: to the row `begin`, in `maxRequests` requests, until `enough` rows of the list are known. */
interface ReadOptions {
  readonly begin: number
  readonly maxRequests: number
  readonly enough: (found: number, rows: readonly SentComment[]) => boolean
}

/** Reads the list in whole requests from the last known row before `begin` on: `rows` begin with the row `from`. */
export async function readRows (
  sources: CommentSources,
  { begin, maxRequests, enough }: ReadOptions
): Promise<CommentPage & { readonly from: number }> {
  const { marks } = sources
  const known = lastKnown(marks, begin)
  const resumed = known === 0 ? undefined
    : await optional(fetchPart(sources, partFrom(known, marks), sourceOfMark(marks.get(known) ?? '')), otherCallMayHelp)
  const from = resumed === undefined ? 0 : known
  const first = resumed ?? await fetchPart(sources, { page: 0, size: rowsPerRequest, after: '' })
  const rows = [...first.rows]
  let { more } = first
  let aligned = true
  for (let sent = 1; sent < maxRequests && more && !enough(from + rows.length, rows); sent++) {
    const after = rows.at(-1)?.mark ?? ''
    if (after === '') return { first, rows, from, more: false } // without a mark the list cannot be continued
    aligned &&= rows.length % rowsPerRequest === 0
    if (aligned) marks.set(from + rows.length, after)
    const part = await fetchPart(
      sources,
      { page: from / rowsPerRequest + sent, size: rowsPerRequest, after },
      first.source
    )
    if (part.rows.length === 0) return { first, rows, from, more: false }
    rows.push(...part.rows)
    more = part.more
  }
  return { first, rows, from, more }
}

const partFrom = (position: number, marks: CommentSources['marks']): CommentPosition => ({
  page: position / rowsPerRequest,
  size: rowsPerRequest,
  after: marks.get(position) ?? ''
})

/** Returns the last row up to `begin` from which the list can be continued in whole requests; 0: its beginning. */
function lastKnown (marks: CommentSources['marks'], begin: number): number {
  for (let position = begin - begin % rowsPerRequest; position > 0; position -= rowsPerRequest) {
    if (marks.get(position) !== undefined) return position
  }
  return 0
}

// The replies to one comment. The call is in the code of two clients and in the provider's desktop program (2026). It
// is unknown whether it answers without a login, so an empty answer proves nothing.

/** The position where the list continues: after the last row of the previous part. */
interface ReplyPosition { readonly page: number, readonly seqNo: string, readonly rankScore: string }

/** A row with its place. `comment` is undefined if it has no text. */
interface SentReply extends Omit<ReplyPosition, 'page'> {
  readonly id: string
  readonly comment: Comment | undefined
}

interface ReplyPart {
  readonly rows: readonly SentReply[]
  readonly total: number
  readonly more: boolean
}

/** Whether an id is from the modern lists. Classic ids have another form, and no call for replies. */
export const hasReplyCall = (rootcommentid: string): boolean => rootcommentid.includes('!')

/** Replies in one request, and the maximum of requests for one page. */
const [repliesPerRequest, mostReplyRequests] = [25, 20]

const repliesOf = (RootCmId: string, { page, seqNo, rankScore }: ReplyPosition): MusicuCall<ReplyPart>[] => [
  {
    name: 'comments.replies',
    request: {
      module: 'music.globalComment.CommentRead',
      method: 'GetReplyCommentList',
      param: {
        RootCmId,
        LastCommentSeqNo: seqNo,
        LastRankScore: rankScore,
        PageSize: repliesPerRequest,
        PageNum: page,
        RankType: 0,
        PicEnable: 1
      }
    },
    optionalFields,
    read: readPart
  },
  {
    name: 'comments.replies.short',
    request: {
      module: 'music.globalComment.CommentReadServer',
      method: 'GetReplyCommentList',
      param: { RootCmId, LastCommentSeqNo: seqNo, PageSize: repliesPerRequest }
    },
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
    rows: maybe.list(list, 'Comments', (row) => ({
      id: maybe.text(row, 'CmId') ?? '',
      seqNo: maybe.id(row, 'SeqNo') ?? '',
      rankScore: maybe.text(row, 'RankScore') ?? '',
      comment: readModernRow(row)
    })),
    total: maybe.int(list, 'Total') ?? 0,
    more: maybe.flag(list, 'HasMore') ?? false
  }
}

/**
 * The first `most` replies without the comment itself, their total, and whether there are more. Undefined for one
 * without text.
 */
export async function firstReplies (
  rootcommentid: string,
  most: number,
  upstream: Upstream
): Promise<{ readonly replies: readonly (Comment | undefined)[], readonly total: number, readonly more: boolean }> {
  const replies = new Map<string, Comment | undefined>()
  let place: ReplyPosition = { page: 0, seqNo: '', rankScore: '' }
  for (;;) {
    const { rows, total, more } = await upstream.firstOf(repliesOf(rootcommentid, place))
    const known = replies.size
    for (const { id, seqNo, comment } of rows) {
      if (id !== rootcommentid) replies.set(id || seqNo, comment && { ...comment, rootcommentid })
    }
    const last = rows.at(-1)
    const goesOn = more && last !== undefined && (replies.size > known || place.page === 0)
    if (!goesOn || replies.size >= most) {
      return { replies: [...replies.values()], total: Math.max(total, replies.size), more: goesOn }
    }
    if (place.page === mostReplyRequests - 1) throw new InvalidInput(`pagenum: only the first ${repliesPerRequest * mostReplyRequests} replies to a comment can be read.`)
    place = { page: place.page + 1, seqNo: last.seqNo, rankScore: last.rankScore }
  }
}
