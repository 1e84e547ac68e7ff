/** The lists of the Meting API: songs by song, album, singer, playlist or search, as its items. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Song } from '../../../schemas/song.ts'
import { getImageUrl } from '../../endpoints/discover/imageUrls.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { getLyric } from '../../endpoints/music/getLyric.ts'
import { getSongInfo } from '../../endpoints/music/songInfo.ts'
import { layeredLyric, type LayeredLine } from '../../endpoints/music/lyrics.ts'
import { getSongListDetail } from '../../endpoints/playlists/getSongListDetail.ts'
import { getSearchByKey } from '../../endpoints/search/chain.ts'
import { getSingerHotsong } from '../../endpoints/singers/works.ts'
import type { Call } from '../call.ts'

/** A song of a list. `mid`: "" if it cannot be played. `picture`: id of its picture, "" if it has none. */
export interface Track {
  readonly mid: string
  readonly name: string
  readonly artist: string
  readonly picture: string
}

/** Songs on a page: of a singer and a search as on other servers, of a playlist what its endpoint answers at most. */
const [artistSongs, searchSongs, playlistSongs] = [50, 30, 1000]

/** A page of a list. `total`: number of songs in all, 0 if unknown. */
interface TrackPage { readonly tracks: readonly Track[], readonly size: number, readonly total: number }

const whole = (tracks: readonly Track[], page: number): TrackPage => ({
  tracks: page === 1 ? tracks : [],
  size: tracks.length,
  total: tracks.length
})

/** Each kind of list by its id. Pages count from 1. Throw RelayError: NOT_FOUND if the item does not exist. */
export const lists = {
  // A MID has 14 characters, so fewer digits are a number.
  song: async (id, page, call) =>
    whole([
      trackOf((await call(getSongInfo, /^\d{1,13}$/.test(id) ? { songid: Number(id) } : { songmid: id })).songinfo.data
        .track_info)
    ], page),
  album: async (id, page, call) => whole((await call(getAlbumInfo, { albummid: id })).songs.map(trackOf), page),
  async artist (id, page, call) {
    const { songList, totalNum } = await call(getSingerHotsong, { singermid: id, limit: artistSongs, page })
    return { tracks: songList.map(trackOf), size: artistSongs, total: totalNum }
  },
  async playlist (id, page, call) {
    const { songlist, songnum } = await call(getSongListDetail, { disstid: id, offset: (page - 1) * playlistSongs })
    const tracks = songlist.map(({ songmid, songname, singer, albummid, unplayable }) => ({
      mid: unplayable === true ? '' : songmid,
      name: songname,
      artist: singer.replaceAll('/', ' / '),
      picture: albummid
    }))
    return { tracks, size: playlistSongs, total: songnum }
  },
  async search (id, page, call) {
    const { song: { list, totalnum } } = await call(getSearchByKey, { key: id, limit: searchSongs, page, catZhida: 0 })
    return { tracks: list.map(trackOf), size: searchSongs, total: totalnum }
  }
} satisfies Readonly<Record<string, (id: string, page: number, call: Call) => Promise<TrackPage>>>

export type ListType = keyof typeof lists

const trackOf = ({ mid, name, title, singer, album, unplayable }: Song): Track => ({
  mid: unplayable === true ? '' : mid,
  name: title || name,
  artist: singer.map((each) => each.name).join(' / '),
  picture: album.pmid || album.mid
})

// The targets of Meting API links besides audio: picture and lyric.

export async function coverOf (id: string, call: Call): Promise<string> {
  return (await call(getImageUrl, { id, size: '300x300' })).imageUrl
}

/**
 * Returns the lyric as LRC, with each line's translation in parentheses after it. "" if there is none. The stamps are
 * written anew, because widgets read neither the tag `offset` nor a stamp that is not written with two digits.
 */
export async function lrcOf (songmid: string, call: Call): Promise<string> {
  const texts = await call(getLyric, { songmid })
  const found = layeredLyric(texts)
  if (found === undefined) return texts.lyric
  const { offset: _, ...tags } = found.tags
  const isTimed = found.lines.some(({ time }) => time !== undefined)
  return [
    ...Object.entries(tags).map(([name, value]) => `[${name}:${value}]`),
    ...found.lines.map((line) => `${isTimed ? stampOf(line) : ''}${shownOf(line)}`)
  ].join('\n')
}

const shownOf = ({ text, trans }: LayeredLine): string =>
  trans === undefined ? text : text === '' ? `(${trans})` : `${text} (${trans})`

/** Returns the time stamp. Widgets leave out a line without one, so such a line begins with the line above. */
function stampOf ({ time, at }: LayeredLine): string {
  const ms = time ?? Math.max(0, at)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const fraction = String(ms % 1000).padStart(3, '0')
  return `[${two(ms / 60_000)}:${two(ms / 1000 % 60)}.${fraction.endsWith('0') ? fraction.slice(0, 2) : fraction}]`
}

// Signed links. A link works only if the relay issued it, and it contains the account on which it plays.

export type LinkType = 'url' | 'pic' | 'lrc'

/** The account on which a link plays: none, or the operator's. */
export type Scope = 'anonymous' | 'operator'

/** How long a link plays on the operator's account, in milliseconds. It is longer than a page with music stays open. */
const operatorMs = 12 * 60 * 60 * 1000
/** Expiry times are rounded up to this, so that lists created within some minutes are equal. Milliseconds. */
const roundMs = 10 * 60 * 1000

/**
 * Returns the links of a secret. `now`: Unix time in milliseconds. A link without an expiry is anonymous and is valid
 * as long as the secret, because pages are created from lists days before they are read. A link with an expiry plays on
 * the operator's account until then, and anonymously afterwards.
 */
export function createLinks (secret: string, now: () => number) {
  const hashed = (type: LinkType, id: string, end: string): Buffer =>
    createHmac('sha256', secret).update(JSON.stringify([type, id, end])).digest().subarray(0, 16)
  /** Returns a text that changes whenever the links of a scope do. */
  const period = (scope: Scope): string =>
    scope === 'operator' ? (Math.ceil(now() / roundMs) * roundMs + operatorMs).toString(36) : ''
  return {
    period,
    sign (type: LinkType, id: string, scope: Scope): string {
      const end = period(scope)
      return `${end}${end === '' ? '' : '.'}${hashed(type, id, end).toString('base64url')}`
    },
    /** Returns the scope of a link. Undefined if this relay did not sign it. */
    check (type: LinkType, id: string, auth: string): Scope | undefined {
      const [, end = '', hash] = /^(?:([0-9a-z]{1,10})\.)?([\w-]{22})$/.exec(auth) ?? []
      if (
        hash === undefined || !timingSafeEqual(Buffer.from(hash, 'base64url'), hashed(type, id, end))
      ) { return undefined }
      return end !== '' && parseInt(end, 36) > now() ? 'operator' : 'anonymous'
    }
  }
}

export type Links = ReturnType<typeof createLinks>
