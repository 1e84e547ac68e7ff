/**
 * Finds the item that a link, a number or a MID refers to. Most links contain the item and need no request. For a short
 * link the relay requests its target but does not follow it. A number in a link becomes a MID. The type of a bare
 * number or MID is unknown, so one POST tries each type. Forms of links: clients and live tests of 2026
 * (src/upstream/wire/links.ts).
 */
import {
  InvalidInput, RelayError, codeMsgData, endpoint, failure, isUnknown, maybe, need, needText, noteMissing, notFound,
  unescapeText, upstreamEmpty, type Answer, type ClassicCall, type Context, type MusicuCall, type UpstreamError
} from '../kit.ts'
import { Resolved, ResolveQuery, type Candidate } from '../../../schemas/resolve.ts'
import type { SongKey } from '../../relay/songFacts.ts'
import {
  linkIn, linkOfPage, midLength, shortLinkOf, shortLinkPath, type LinkedItem, type ShortLink
} from '../../upstream/wire/links.ts'
import { isHidden, playlistRequest } from '../shared/playlistCalls.ts'
import { unknownSinger } from '../singers/works.ts'
import { songChain, songTracks, songDetail } from '../shared/song.ts'

const things = 'song, album, singer, playlist, chart or MV'

const notFoundIn = (call: string, message: string): UpstreamError =>
  failure('missing', { call, message })

/** Where a short link leads. `exists`: its token is valid. `thing`: absent elsewhere. `isPage`: a page says it. */
interface Target { readonly exists: boolean, readonly isPage?: true, readonly thing?: LinkedItem }

/** The upstream answers 302 to a page that names the item, or 404 for an invalid token (2026-08). */
const shortLink = ({ host, token }: ShortLink): ClassicCall<Target> => ({
  name: 'link.short',
  request: { host, path: shortLinkPath, query: { __: token }, as: 'redirect' },
  read (answer) {
    if (need.int(answer, 'status') === 404) return { exists: false }
    const location = maybe.text(answer, 'location')
    if (location === undefined) return { exists: true, isPage: true }
    const found = linkIn(location)
    // A further short link is not followed either.
    return { exists: true, ...found === undefined || 'token' in found ? {} : { thing: found } }
  }
})

/** The same link as a page, its form of 2018 (two clients). */
const shortLinkPage = ({ host, token }: ShortLink): ClassicCall<Target> => ({
  name: 'link.short',
  request: { host, path: shortLinkPath, query: { __: token }, as: 'text', nameless: true },
  read (answer) {
    const thing = linkOfPage(maybe.text(answer, '') ?? '')
    if (thing === undefined) throw upstreamEmpty(answer.call, 'the address that the short link leads to')
    return { exists: true, thing }
  }
})

async function targetOf (link: ShortLink, { upstream }: Context): Promise<LinkedItem> {
  const found = await upstream.send(shortLink(link))
  const { exists, thing } = found.isPage === true ? await upstream.send(shortLinkPage(link)) : found
  if (!exists) throw notFound('link.short', 'This short link')
  if (thing === undefined) throw notFoundIn('link.short', `This short link leads to no ${things}.`)
  return thing
}

/** Returns the MID of a song number. It means an ordinary song unless the link names another type (2026-09). */
const songNumber = ({ id, songType }: LinkedItem, { upstream }: Context): Promise<string> => {
  const key = { song_id: Number(id) }
  const read = (track: Answer): string => need.text(track, 'mid')
  return songType === 0 ? upstream.firstOf(songChain(key, read)) : upstream.send(songTracks(key, read, songType))
}

/** Returns the item of a link, with the MID that other endpoints accept. */
async function resolved (thing: LinkedItem, context: Context): Promise<Resolved> {
  const { type, id, mid } = thing
  const known = (found: string): Resolved => ({ type, id, mid: found, candidates: [] })
  if (mid !== '' || type === 'playlist' || type === 'chart') return known(mid)
  return known(type === 'song' ? await songNumber(thing, context)
    : (await context.upstream.send(albumCandidate({ albumId: Number(id) }))).mid)
}

/** Maximum digits of a chart number: longer numbers belong to other types. */
const chartDigits = 4

/** The calls for all types with this number, which JSON must not change (2^53). None finds singers or MVs. */
function callsByNumber (text: string): MusicuCall<Candidate>[] {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number === 0) return []
  return [
    songCandidate({ song_id: number }),
    albumCandidate({ albumId: number }),
    playlistCandidate(String(number)),
    ...text.length <= chartDigits ? [chartCandidate(number)] : []
  ]
}

const callsByMid = (mid: string): MusicuCall<Candidate>[] => [
  songCandidate({ song_mid: mid }),
  albumCandidate({ albumMId: mid }),
  singerCandidate(mid),
  mvCandidate(mid)
]

async function lookUpWord (text: string, context: Context): Promise<Resolved> {
  const isNumber = /^\d{1,19}$/.test(text)
  // A few MIDs are digits only.
  const isMid = !isNumber || text.length === midLength
  const calls = [...isNumber ? callsByNumber(text) : [], ...isMid ? callsByMid(text) : []]
  const settled = calls.length === 0 ? [] : await context.upstream.sendAll(calls)
  const found = settled.flatMap(({ value }) => value ?? [])
  const failed = settled.flatMap(({ error }) =>
    error === undefined || (error instanceof RelayError && (error.code === 'NOT_FOUND' || isUnknown(error))) ? []
      : [error]
  )
  const [first] = found
  if (first === undefined && failed[0] !== undefined) throw failed[0]
  if (first === undefined) {
    throw notFoundIn('resolve', isMid ? 'No song, album, singer or MV has this MID.' : 'No song, album, playlist or chart has this number.')
  }
  for (const error of failed) noteMissing(context, error, 'a number is resolved although not every call answered')
  // A MID belongs to one item only; a number may also belong to an item of a failed call.
  if (found.length > 1 || (isNumber && failed.length > 0)) {
    return { type: '', id: isNumber ? text : '', mid: isNumber ? '' : text, candidates: found }
  }
  const { type, id, mid } = first
  return { type, id, mid, candidates: [] }
}

export const resolve = endpoint({
  method: 'GET',
  path: '/resolve',
  tag: 'search',
  summary: 'What a link, a number or a MID refers to',
  summaryInChinese: '识别分享链接、ID 或 MID 指的是什么',
  description: `A ${things}, with the id that the other endpoints take: mid for songs, albums, singers and MVs, id for playlists and charts. Links of the site, the programs and phones are read, old forms too. A short link costs one request; its redirect is read and not followed, and only addresses of the provider are accepted. The item of a link is not looked up, so it may no longer exist. A bare number is looked up among songs, albums and playlists (up to four digits also charts) in one request: if several have it, type is "" and candidates lists them. Singers and MVs cannot be found by number. A text without a link, number or MID is a 400; a short link that leads elsewhere and an unknown number are a 404.`,
  example: { text: '00DemoSong0001' },
  // This short link does not exist, which is the right answer. Other endpoints test the other calls.
  probe: () => [{ text: shortLinkOf('0') }],
  input: ResolveQuery,
  record: Resolved,
  envelope: codeMsgData,
  cache: 'lively',

  async run ({ text }, context) {
    const word = text.trim()
    if (/^[0-9A-Za-z_]{1,32}$/.test(word)) return await lookUpWord(word, context)
    const link = linkIn(text)
    if (link === undefined) throw new InvalidInput(`text: holds no link of the provider to a ${things}, and is no number or MID.`)
    return await resolved('token' in link ? await targetOf(link, context) : link, context)
  }
})

// One call for each type that a number or a MID may have: NOT_FOUND or UPSTREAM_EMPTY for an unknown one.

const songCandidate = (key: SongKey): MusicuCall<Candidate> =>
  songDetail(
    key,
    (_data, track) => ({
      type: 'song',
      id: String(need.int(track, 'id')),
      mid: need.text(track, 'mid'),
      name: needText(track, 'title', 'name')
    })
  )

/** An unknown number has an empty head, or 104400, depending on the day (2026-09). */
const albumCandidate = (key: { readonly albumId: number } | { readonly albumMId: string }): MusicuCall<Candidate> => ({
  name: 'album.detail',
  request: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: key },
  codes: { 104400: 'missing.code' },
  read (answer) {
    const head = maybe.at(answer, 'basicInfo')
    if (head === undefined) throw upstreamEmpty(answer.call, 'the album')
    const mid = maybe.text(head, 'albumMid')
    if (mid === undefined) throw notFound(answer.call, 'The album')
    return { type: 'album', id: String(need.int(head, 'albumID')), mid, name: needText(head, 'albumName') }
  }
})

const singerCandidate = (mid: string): MusicuCall<Candidate> => ({
  name: 'singer.detail.basic',
  request: { module: 'music.musichallSinger.SingerInfoInter', method: 'GetSingerDetail', param: { singer_mids: [mid], pic: 1 } },
  codes: unknownSinger,
  read (answer) {
    const basic = maybe.list(answer, 'singer_list', (row) => maybe.at(row, 'basic_info'))[0]
    if (basic === undefined || maybe.text(basic, 'singer_mid') === undefined) throw notFound(answer.call, 'The singer')
    return { type: 'singer', id: maybe.id(basic, 'singer_id') ?? '', mid, name: needText(basic, 'name') }
  }
})

const mvCandidate = (vid: string): MusicuCall<Candidate> => ({
  name: 'mv.info',
  request: {
    module: 'video.VideoDataServer',
    method: 'get_video_info_batch',
    param: { vidlist: [vid], required: ['vid', 'type', 'sid', 'name'] }
  },
  read (answer) {
    const info = maybe.entry(answer, vid)
    if (info === undefined) throw notFound(answer.call, 'The MV')
    return { type: 'mv', id: maybe.id(info, 'sid') ?? '', mid: vid, name: needText(info, 'name') }
  }
})

const playlistCandidate = (disstid: string): MusicuCall<Candidate> => ({
  name: 'playlist.detail',
  request: playlistRequest({ disstid }, { begin: 0, num: 1 }),
  codes: { 10004: 'ok' },
  optionalFields: ['dirinfo'],
  read (answer) {
    const info = maybe.at(answer, 'dirinfo')
    const name = info === undefined ? undefined : maybe.text(info, 'title')
    if (info === undefined || name === undefined || (maybe.int(answer, 'code') ?? 0) !== 0) {
      throw upstreamEmpty(answer.call, 'the playlist')
    }
    if (isHidden(name, maybe.int(info, 'songnum'))) throw notFound(answer.call, 'The playlist')
    return { type: 'playlist', id: disstid, mid: '', name: needText(info, 'title') }
  }
})

const chartCandidate = (topId: number): MusicuCall<Candidate> => ({
  name: 'chart.detail',
  request: {
    module: 'music.musicToplist.Toplist',
    method: 'GetDetail',
    param: { topId, offset: 0, num: 1, withTags: false }
  },
  codes: { 10007: 'missing.code' },
  read (answer) {
    const title = maybe.text(answer, 'data.title')
    if (title === undefined) throw notFound(answer.call, 'The chart')
    return { type: 'chart', id: String(topId), mid: '', name: unescapeText(title) }
  }
})
