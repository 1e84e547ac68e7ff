/** A song by number or MID, and the songs around it. Older calls have the track only. 2026-08-06 and 2026-10. */
import { GetOtherVersionsQuery, OtherVersions } from '../../../schemas/around.ts'
import { midPattern, type Filled } from '../../../schemas/common.ts'
import { BatchGetSongInfoBody, GetSongInfoQuery, SongInfo, SongInfoBatch } from '../../../schemas/music.ts'
import { GetSimilarSongsQuery, SimilarSongs } from '../../../schemas/recommend.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  InvalidInput, addressOf, codeMsgData, elementsOf, endpoint, isEmpty, maybe, optional, plainText, response,
  responseCodeData, statusBody, textOf, uniqueBy, upstreamEmpty, type Answer, type Context, type MusicuCall
} from '../kit.ts'
import { readCounted, readGroups, readPart, type CountedRows, type Part } from '../shared/pages.ts'
import {
  eachSong, listedSong, readFacts, readSong, readSongRow, readWrappedSong, songChain, songFactsOf, type ReadTrack
} from '../shared/song.ts'
import type { SongKey } from '../../relay/songFacts.ts'
import { holdsNumber } from '../../relay/validate.ts'

/** Returns the key to look a song up by: the MID, else the number. Throws InvalidInput without either. */
function songKeyOf ({ songmid, songid }: { readonly songmid?: string, readonly songid?: number }): SongKey {
  if (songmid !== undefined) return { song_mid: songmid }
  if (songid !== undefined) return { song_id: songid }
  throw new InvalidInput('songid or songmid: one of them is required.', 'missing')
}

/** Reads the record. A record from an older call lacks `info`, so it is cached only briefly. */
const readWhole =
  ({ cacheAtMost, songs }: Pick<Context, 'cacheAtMost' | 'songs'>): ReadTrack<SongInfo> => (track, data) => {
    songs.store(() => readFacts(track))
    if (data === undefined) cacheAtMost('brief')
    return readSongInfo(track, data)
  }

export const getSongInfo = endpoint({
  method: 'GET',
  path: '/getSongInfo',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'One song in detail, by number or MID',
  summaryInChinese: '歌曲详情，按数字 ID 或 MID 查询',
  description: 'Send songid or songmid; if both are given, the MID decides and the number is ignored. The MID is at response.songinfo.data.track_info.mid. info has further details (company, genre, language …). Any of them may be absent; all are absent if only an older upstream call answered.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetSongInfoQuery,
  record: SongInfo,
  envelope: response,
  cache: 'slow',

  run: async (input, context) => await context.upstream.firstOf(songChain(songKeyOf(input), readWhole(context)))
})

// The detailed record of a song, for /getSongInfo and the song batch.

type Details = SongInfo['songinfo']['data']

const blocks = ['company', 'genre', 'intro', 'lan', 'pub_time'] as const

/** Reads the record. Without `data`, from an older call, `info` is empty, and so are the texts of `extras`. */
function readSongInfo (track: Answer, data?: Answer): SongInfo {
  return {
    songinfo: {
      code: 0,
      data: {
        track_info: readSong(track),
        info: data === undefined ? {} : readInfo(data),
        extras: readExtras(data === undefined ? undefined : maybe.at(data, 'extras'))
      }
    }
  }
}

/** Any block may be missing. The numbers and addresses in it serve the upstream's own pages and are not read. */
function readInfo (data: Answer): Details['info'] {
  const found = blocks.flatMap((name) => {
    const block = maybe.at(data, `info.${name}`)
    if (block === undefined) return []
    const values = maybe.list(block, 'content', (entry) => maybe.text(entry, 'value')).map(plainText)
    return [[name, { title: textOf(block, 'title'), values }] as const]
  })
  return Object.fromEntries(found)
}

function readExtras (extras: Answer | undefined): Details['extras'] {
  const text = (name: string): string => extras === undefined ? '' : textOf(extras, name)
  return {
    name: text('name'),
    transname: text('transname'),
    subtitle: text('subtitle'),
    from: text('from'),
    wikiurl: extras === undefined ? '' : addressOf(extras, 'wikiurl')
  }
}

// Details of many songs, twenty per POST. A failed element is replaced by its error.

const mid = new RegExp(midPattern)

/** Converts an element: [song_mid] or [song_mid, song_id]. The upstream accepts only one of the two. */
function inputOf ([songmid, songid = '']: readonly (string | number)[], at: number): Filled<typeof getSongInfo.input> {
  if (typeof songmid !== 'string') throw new InvalidInput(`songs[${at}][0]: must be a MID; the number of a song is the second value.`)
  const isNumber = /^\d{1,16}$/.test(String(songid)) && Number(songid) > 0 && Number.isSafeInteger(Number(songid))
  if (songid !== '' && !isNumber) throw new InvalidInput(`songs[${at}][1]: must be the number of a song.`)
  if (holdsNumber(songmid)) throw new InvalidInput(`songs[${at}][0]: is a number, not a MID; the number of a song is the second value: ["", number].`)
  if (mid.test(songmid)) return { songmid }
  if (isNumber) return { songid: Number(songid) }
  throw new InvalidInput(`songs[${at}]: must have a MID, or the number of a song as second value.`)
}

export const batchGetSongInfo = endpoint({
  method: 'POST',
  path: '/batchGetSongInfo',
  tag: 'music',
  summary: 'Up to a hundred songs in detail',
  summaryInChinese: '批量获取歌曲详情，最多 100 首',
  description: 'Each element is the record of /getSongInfo, in the requested order. A song that cannot be fetched is {error, code, song_mid} instead; the whole request fails only if the upstream was down for all songs.',
  example: { songs: [['00DemoSong0001'], ['00DemoSong0002', '5000002']] },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songs: [[mid]] })),
  input: BatchGetSongInfoBody,
  record: SongInfoBatch,
  envelope: responseCodeData,
  cache: 'slow',

  async run ({ songs }, context) {
    const found = await context.elements(
      getSongInfo,
      songs.map(inputOf),
      async (missing) => await eachSong(context.upstream, missing.map(songKeyOf), readWhole(context))
    )
    return await elementsOf(
      found,
      context,
      ({ message, code }, at) => ({ error: message, code, song_mid: String(songs[at]?.[0]) })
    )
  }
})

// Other versions of a song. The upstream finds them by MID, without a login (observed 2026-09).

type Versions = Pick<OtherVersions, 'versions' | 'skipped'>

const versionsOf = (songmid: string): MusicuCall<Versions> => ({
  name: 'song.versions',
  request: { module: 'music.musichallSong.OtherVersionServer', method: 'GetOtherVersionSongs', param: { songmid } },
  // Reads two parallel lists: the songs, and their descriptions. Null means no songs.
  read (answer) {
    const tags = maybe.list(answer, 'extras', (row) => textOf(row, 'tag'))
    const { rows, skipped } = readCounted(answer, ['versionList'], (row, at) => {
      const song = readSongRow(row)
      return song === undefined ? undefined : { tag: tags[at] ?? '', song }
    })
    if (answer.reach('versionList') === undefined) throw upstreamEmpty(answer.call, 'other versions')
    return { versions: rows, skipped }
  }
})

export const getOtherVersions = endpoint({
  method: 'GET',
  path: '/getOtherVersions',
  tag: 'music',
  summary: 'Other versions of a song',
  summaryInChinese: '歌曲的其他版本',
  description: 'Live recordings, covers, remixes: at most ten, without pages. For an unknown song the list is empty, because the upstream sends the same answer.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  songs: ({ versions }) => versions.map(({ song }) => listedSong(song)),
  input: GetOtherVersionsQuery,
  record: OtherVersions,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid }, { upstream }) {
    return { songmid, ...await upstream.send(versionsOf(songmid)) }
  }
})

// Similar songs, without a login (2026-09). The upstream requires the number, so a MID is looked up first.

/** Without the session of a phone, the upstream may refuse the phone program's form (2026-11). */
const phoneIssue = { verdict: 'risk-controlled', note: 'needs the session of a phone; song.similar.web answers without one', since: '2026-11' } as const

const similarOf = (name: string, songid: number, comm: 'mobile' | 'web'): MusicuCall<CountedRows<Song>> => ({
  name,
  request: { module: 'music.recommend.TrackRelationServer', method: 'GetSimilarSongs', param: { songid }, comm },
  optionalFields: ['vecSongNew', 'vecSong'],
  ...(comm === 'mobile' ? { knownIssue: phoneIssue } : {}),
  // The response has two lists, either of which may be missing: the newer one in groups, the older one plain.
  read (answer) {
    const track = (row: Answer): Song | undefined => readWrappedSong(row, 'need', 'track', 'Track')
    const lists = (read: (group: Answer) => Part<Song>): Part<Song>[] =>
      [...maybe.list(answer, 'vecSongNew', read), readPart(answer, ['vecSong'], track)]
    return requireSongs(readGroups(lists, ['songs'], track), answer.call)
  }
})

/** Returns at most five songs. */
const olderSimilarOf = (songid: number): MusicuCall<CountedRows<Song>> => ({
  name: 'song.similar.older',
  request: { module: 'rcmusic.similarSongRadioServer', method: 'get_simsongs', param: { songid } },
  read: (answer) => requireSongs(readCounted(answer, ['songInfoList'], readSongRow), answer.call)
})

function requireSongs ({ rows, skipped }: CountedRows<Song>, call: string): CountedRows<Song> {
  if (rows.length === 0) throw upstreamEmpty(call, 'similar songs')
  return { rows: uniqueBy(rows, ({ mid, id }) => mid || id), skipped }
}

export const getSimilarSongs = endpoint({
  method: 'GET',
  path: '/getSimilarSongs',
  tag: 'recommend',
  summary: 'Similar songs',
  summaryInChinese: '相似歌曲',
  description: 'About thirty songs at most, as one list without pages. For a few songs there are none. Works without a login.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetSimilarSongsQuery,
  record: SimilarSongs,
  envelope: statusBody,
  login: 'optional',
  cache: 'lively',

  async run ({ songmid }, context) {
    const { upstream } = context
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    const found = await optional(
      upstream.firstOf([
        similarOf('song.similar', songid, 'mobile'),
        similarOf('song.similar.web', songid, 'web'),
        olderSimilarOf(songid)
      ]),
      isEmpty
    )
    return { songid, songmid, songs: found?.rows ?? [], skipped: found?.skipped ?? 0 }
  }
})
