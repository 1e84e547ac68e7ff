/**
 * The songs an account likes: a playlist that every account has, asked for by the account's encrypted id. The cookie
 * usually holds that id; where it does not, other calls know it, or know the number of the list.
 */
import { statusBody } from '../../../schemas/envelopes.ts'
import { GetUserLikedSongsQuery, LikedSongs } from '../../../schemas/user.ts'
import type { Song } from '../../../schemas/song.ts'
import { endpoint } from '../../endpoint.ts'
import type { Context } from '../../endpoint.ts'
import { RelayError, notFound, otherCallMayHelp } from '../../errors.ts'
import type { UpstreamError } from '../../errors.ts'
import { refusal } from '../../provider/codes.ts'
import { accountDigits } from '../../provider/credentials.ts'
import type { Credential } from '../../provider/credentials.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall, Upstream } from '../../provider/upstream.ts'
import { createdListsOf, homepageOf, likedFolder, playlistsOf, readHomepage, readPlaylists } from '../shared/account.ts'
import { withGoodCookie } from '../shared/goodCookie.ts'
import { readSentRows, rowsFrom } from '../shared/pages.ts'
import type { SentRows } from '../shared/pages.ts'
import { playlistAsk } from '../shared/playlistAsk.ts'
import type { PlaylistKey, Stretch } from '../shared/playlistAsk.ts'
import { readSong } from '../shared/song.ts'

/** By the account, or by the list's own number. */
const likedOf = (key: PlaylistKey, stretch: Stretch): MusicuCall<SentRows<Song>> => ({
  name: 'disstid' in key ? 'user.liked.by-list' : 'user.liked',
  ask: playlistAsk(key, stretch),
  read: readLiked
})

/** The data has a code of its own. */
function readLiked (answer: Answer): SentRows<Song> {
  const code = maybe.int(answer, 'code') ?? 0
  if (code === 4000) throw hidden(answer.call)
  if (code !== 0) throw refusal(answer.call, code, 'other', true)
  return readSentRows(answer, ['songlist'], maybe.int(answer, 'total_song_num') ?? need.int(answer, 'dirinfo.songnum'), readSong)
}

const hidden = (call: string): UpstreamError => notFound(call, 'The list of liked songs of this account')

/** The encrypted id of an account; undefined when no call tells it. */
async function euinOf (uin: string, credential: Credential, { upstream }: Context): Promise<string | undefined> {
  if (uin === credential.uin && credential.euin !== undefined) return credential.euin
  try {
    return await upstream.firstOf([createdListsOf(uin, (data) => need.text(data, 'encrypt_uin')), homepageOf(uin, credential, (data) => need.text(data, 'creator.encrypt_uin'))])
  } catch (error) {
    // Hidden lists of an account say nothing about its liked songs.
    if (otherCallMayHelp(error) || (error instanceof RelayError && error.code === 'NOT_FOUND')) return undefined
    throw error
  }
}

/** The number of the list, which stands among the account's playlists. */
async function listIdOf (uin: string, credential: Credential, upstream: Upstream): Promise<string> {
  const lists = await withGoodCookie(upstream, playlistsOf(uin, readPlaylists), async (rest) => await rest.send(homepageOf(uin, credential, readHomepage)))
  const liked = lists.find(({ dirid }) => dirid === likedFolder)
  if (liked === undefined || !Number.isSafeInteger(Number(liked.dissid))) throw hidden('user.playlists')
  return liked.dissid
}

export const getUserLikedSongs = endpoint({
  method: 'GET',
  path: '/user/getUserLikedSongs',
  tag: 'user',
  summary: 'Songs that an account likes',
  description: 'The liked songs of the cookie\'s account, or of another account whose list is public. Pages joined have no gap and no overlap. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  input: GetUserLikedSongsQuery,
  record: LikedSongs,
  envelope: statusBody,
  login: 'required',

  async run ({ uin, offset, limit }, context) {
    const { upstream } = context
    const credential = context.credential as Credential // `login: 'required'` has seen to it
    const account = accountDigits(uin ?? '') ?? credential.uin
    const euin = await euinOf(account, credential, context)
    let disstid: string | undefined
    const byList = async (stretch: Stretch, over: Upstream): Promise<SentRows<Song>> => {
      disstid ??= await listIdOf(account, credential, over)
      return await over.send(likedOf({ disstid }, stretch))
    }
    const { rows, total } = await rowsFrom(offset, limit, async (begin, num) => euin === undefined
      ? await byList({ begin, num }, upstream)
      : await withGoodCookie(upstream, likedOf({ folder: likedFolder, euin }, { begin, num }), async (rest) => await byList({ begin, num }, rest)), context.keepFor)
    return { total, hasMore: offset + limit < total, songs: rows }
  }
})
