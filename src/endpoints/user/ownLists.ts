/** The playlists that an account created, all at once and cut into pages here, and its liked songs. */
import type { Song } from '../../../schemas/song.ts'
import { GetUserLikedSongsQuery, GetUserPlaylistsQuery, LikedSongs, UserPlaylists } from '../../../schemas/user.ts'
import {
  codeData, endpoint, innerRefusal, maybe, need, notFound, optional, statusBody, uniqueBy, type Alternative,
  type Answer, type MusicuCall, type UpstreamError
} from '../kit.ts'
import {
  createdAtOnce, createdListsOf, euinOf, homepageOf, likedFolder, playlistsOf, readCreatedLists, readHomepage,
  readPlaylists, sessionCheck, type AccountLists
} from '../shared/accountCalls.ts'
import { collectRows, readSentRows, unlessBlocked, type SentRows } from '../shared/pages.ts'
import {
  isHidden, playlistRequest, siblingEnd, siblingPlaylistRequest, type PlaylistKey, type RowRange
} from '../shared/playlistCalls.ts'
import { listedSong, readSongRow } from '../shared/song.ts'
import { accountDigits, type Credential } from '../../upstream/wire/credentials.ts'

export const getUserPlaylists = endpoint({
  method: 'GET',
  path: '/user/getUserPlaylists',
  tag: 'user',
  summary: 'Playlists of an account',
  summaryInChinese: '用户的歌单',
  description: 'The playlists that the account made, its liked songs first (dirid 201). Public lists need no login; with a cookie the lists of its own account are complete, and an expired cookie is reported as COOKIE_REJECTED.',
  example: { uin: '1000000101', limit: 10 },
  probe: ({ accounts }) => accounts.map((uin) => ({ uin, limit: 1 })),
  input: GetUserPlaylistsQuery,
  record: UserPlaylists,
  envelope: codeData,
  login: 'optional',
  failsWithEndedLogin: true, // the lists of somebody else's account would look like an answer

  async run ({ uin: given, offset, limit }, { upstream, credential }) {
    const uin = accountDigits(given) ?? given
    const lists = playlistsOf(uin, readPlaylists)
    const created = createdListsOf(uin, readCreatedLists)
    const page = credential && homepageOf(uin, credential, readHomepage)
    let { rows, skipped, isFull } =
      await upstream.firstOf(page === undefined ? [lists, created] : [sessionCheck(lists), created, page])
    if (page !== undefined && isFull !== undefined) {
      // The older call checks no login and often lacks the liked songs. The profile page has them, for a login only.
      const found = await optional(upstream.send(page), ({ code }) => code !== 'COOKIE_REJECTED')
      const liked = found?.rows.filter(({ dirid }) => dirid === likedFolder) ?? []
      rows = uniqueBy([...liked, ...rows], ({ dissid }) => dissid)
    }
    for (let sin = createdAtOnce; isFull; sin += createdAtOnce) {
      const next = await upstream.send(createdListsOf(uin, readCreatedLists, sin))
      const known = rows.length
      rows = uniqueBy([...rows, ...next.rows], ({ dissid }) => dissid)
      skipped += next.skipped
      isFull = next.isFull === true && rows.length > known
    }
    return { playlists: rows.slice(offset, offset + limit), total: rows.length, skipped }
  }
})

// The songs that an account likes. They are a playlist that every account has, requested by the account's encrypted id.
// The cookie usually contains that id. If it does not, other calls return it, or return the number of the list.

const likedOf = (key: PlaylistKey, range: RowRange): MusicuCall<SentRows<Song>> => ({
  name: 'disstid' in key ? 'user.liked.by-list' : 'user.liked',
  request: playlistRequest(key, range),
  read: (answer) => readLiked(answer, range.begin)
})

/** Requests the list by its number, and from the sibling call, as far as that goes, if that call fails. */
const byNumber = (disstid: string, range: RowRange): readonly MusicuCall<SentRows<Song>>[] => [
  likedOf({ disstid }, range),
  ...range.begin < siblingEnd ? [siblingOf(disstid, range)] : []
]

function siblingOf (disstid: string, { begin, num }: RowRange): MusicuCall<SentRows<Song>> {
  const known = { begin, num: Math.min(num, siblingEnd - begin) }
  return {
    name: 'user.liked.sibling',
    request: siblingPlaylistRequest({ disstid }, known),
    after: ({ fault, row }) => fault === 'call' || row.again === 'any',
    read (answer) {
      const part = readLiked(answer, begin)
      // The list may continue where this call stops.
      return part.total === siblingEnd && begin + part.sent >= siblingEnd ? { ...part, total: undefined } : part
    }
  }
}

/** Reads liked songs from `begin` on. The data contains its own code; 4000 means that the list is hidden. */
function readLiked (answer: Answer, begin: number): SentRows<Song> {
  const code = maybe.int(answer, 'code') ?? 0
  if (
    code === 4000 || isHidden(maybe.text(answer, 'dirinfo.title'), maybe.int(answer, 'total_song_num'))
  ) { throw hidden(answer.call) }
  if (code !== 0) throw innerRefusal(answer.call, code)
  const total = maybe.int(answer, 'total_song_num') ?? need.int(answer, 'dirinfo.songnum')
  return unlessBlocked(
    readSentRows(answer, ['songlist'], total, readSongRow),
    begin,
    answer.call,
    'the liked songs'
  )
}

const hidden = (call: string): UpstreamError => notFound(call, 'The list of liked songs of this account')

const listIdOf = (uin: string, credential: Credential): Alternative<string>[] => [
  sessionCheck(playlistsOf(uin, (answer) => likedAmong(readPlaylists(answer)))),
  homepageOf(uin, credential, (data) => likedAmong(readHomepage(data)))
]

function likedAmong ({ rows }: AccountLists): string {
  const liked = rows.find(({ dirid }) => dirid === likedFolder)
  if (liked === undefined || !Number.isSafeInteger(Number(liked.dissid))) throw hidden('user.playlists')
  return liked.dissid
}

export const getUserLikedSongs = endpoint({
  method: 'GET',
  path: '/user/getUserLikedSongs',
  tag: 'user',
  summary: 'Songs that an account likes',
  summaryInChinese: '用户喜欢的歌曲',
  description: 'The liked songs of the cookie\'s account, or of another account whose list is public. Consecutive pages have no gap and no overlap. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  songs: ({ songs }) => songs.map(listedSong),
  total: ({ total }) => total,
  input: GetUserLikedSongsQuery,
  record: LikedSongs,
  envelope: statusBody,
  login: 'required',

  async run ({ uin, offset, limit }, context) {
    const { upstream } = context
    const credential = context.credential as Credential // `login: 'required'` guarantees it
    const account = accountDigits(uin ?? '') ?? credential.uin
    const euin = await euinOf(account, credential, context)
    let disstid: string | undefined
    // A call returns the songs, or the number with which to request the list.
    const pageOf = async (begin: number, num: number): Promise<SentRows<Song>> => {
      const range = { begin, num }
      const own = euin === undefined ? [] : [sessionCheck(likedOf({ folder: likedFolder, euin }, range))]
      const found = await upstream.firstOf<SentRows<Song> | string>([
        ...own,
        ...(disstid === undefined ? listIdOf(account, credential) : byNumber(disstid, range))
      ])
      if (typeof found !== 'string') return found
      disstid = found
      return await upstream.firstOf(byNumber(disstid, range))
    }
    const { rows, total, skipped } = await collectRows(offset, limit, pageOf, context.cacheAtMost)
    return { total, hasMore: offset + limit < total, songs: rows, skipped }
  }
})
