/**
 * The lyric of a song and its translation. The classic call refuses requests without the player's Referer. The
 * gateway's call may send an encrypted form, which is never returned as a lyric. Recorded 2017-12, 2024-07, 2026-08.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetLyricQuery, Lyric } from '../../../schemas/music.ts'
import { endpoint } from '../../core/endpoint.ts'
import { UpstreamError, upstreamEmpty } from '../../common/errors.ts'
import type { RelayError } from '../../common/errors.ts'
import { readLrc } from '../../upstream/reader/lrc.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import { unescapeText } from '../../upstream/reader/text.ts'
import type { ClassicCall, MusicuCall, Upstream } from '../../upstream/calls.ts'
import { classicFiller, playerReferer } from '../../upstream/protocol/requests.ts'
import { isEmpty, optional } from '../shared/optional.ts'
import { songDetail } from '../shared/songDetail.ts'

/** Classic codes: -1901 means no lyric or unknown song, -1310 means a bad Referer. */
const codes = { [-1901]: 'ok', [-1310]: 'platform' } as const

const classicLyricOf = (songmid: string): ClassicCall<Lyric> => ({
  name: 'lyric.classic',
  request: { path: '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', query: { songmid, format: 'json', ...classicFiller, pcachetime: Date.now() }, referer: playerReferer },
  codes,
  optionalFields: ['lyric'],
  read: (answer) => readLyric(answer, decodeText)
})

const lyricOf = (songmid: string, songID = 0): MusicuCall<Lyric> => ({
  name: 'lyric.musicu',
  request: {
    module: 'music.musichallSong.PlayLyricInfo',
    method: 'GetPlayLyricInfo',
    param: { songMID: songmid, songID, crypt: 0, qrc: 0, trans: 1, roma: 0, lrc_t: 0, qrc_t: 0, trans_t: 0, roma_t: 0, type: 0 }
  },
  read: (answer) => readLyric(answer, decodeText)
})

/** The classic call with the text as HTML entities instead of base64. */
function plainLyricOf (songmid: string): ClassicCall<Lyric> {
  const { request, ...classic } = classicLyricOf(songmid)
  return {
    ...classic,
    name: 'lyric.classic.plain',
    request: { ...request, query: { ...request.query, nobase64: 1 } },
    read: (answer) => readLyric(answer, unescapeText)
  }
}

function readLyric (answer: Answer, decode: (text: string, call: string) => string): Lyric {
  // Lyrics are typed by hand, so line breaks vary.
  const textAt = (path: string): string => decode(maybe.text(answer, path) ?? '', answer.call).replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  const lyric = textAt('lyric')
  if (lyric.trim() === '') throw upstreamEmpty(answer.call, 'a lyric')
  return { lyric, trans: textAt('trans') }
}

/**
 * Plain LRC text begins with `[`, the encrypted form is upper-case hex, and everything else is base64 of UTF-8. Throws
 * UPSTREAM_UNREADABLE for encrypted text and for any other form.
 */
function decodeText (text: string, call: string): string {
  if (text === '' || text.startsWith('[')) return unescapeText(text)
  const unreadable = (why: string): UpstreamError => new UpstreamError('UPSTREAM_UNREADABLE', `The upstream answer cannot be read: the lyric ${why}.`, { fault: 'call', call, outcome: 'bad_shape' })
  if (/^[0-9A-F]+$/.test(text)) throw unreadable('is encrypted')
  const packed = text.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+=*$/.test(packed)) throw unreadable('is in no known form')
  try {
    return unescapeText(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(packed, 'base64')))
  } catch {
    throw unreadable('is in no known form')
  }
}

/**
 * Returns the lines in order of time (milliseconds), each with the translation's line of the same time. A line with
 * several time stamps becomes several lines. Returns undefined if they are too large.
 */
function parseLyric ({ lyric, trans }: Lyric): Lyric['parsed'] {
  const [own, theirs] = [readLrc(lyric), readLrc(trans)]
  if (own === undefined || theirs === undefined) return undefined
  // The translation has "//" for an untranslated line.
  const translated = new Map(theirs.lines.flatMap(({ time, text }) => text === '//' ? [] : [[time, text] as const]))
  const lines = own.lines.map((line) => {
    const translation = translated.get(line.time)
    return translation === undefined ? line : { ...line, trans: translation }
  })
  return { tags: own.tags, lines: lines.sort((a, b) => a.time - b.time) }
}

export const getLyric = endpoint({
  method: 'GET',
  path: '/getLyric',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'Timestamped lyric of a song, with its translation',
  description: 'Both texts are decoded. A song without lyrics has two empty texts; so has an unknown song, because the upstream does not tell them apart. isFormat=1 adds the lines in order of time, in milliseconds.',
  example: { songmid: '00DemoSong0005', isFormat: 1 },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetLyricQuery,
  record: Lyric,
  envelope: codeMsgData,
  cache: 'immutable',

  async run ({ songmid, isFormat }, { upstream, cacheAtMost }) {
    let doubtful = false
    const isMissing = (error: RelayError): boolean => {
      doubtful = error.cause !== undefined // a call that failed may know the lyric
      return isEmpty(error)
    }
    const found = await optional(upstream.firstOf([classicLyricOf(songmid), lyricOf(songmid), plainLyricOf(songmid)]), isMissing) ?? await lyricByNumber(songmid, upstream)
    // A lyric may be added later, and a song that the upstream does not find today also has an empty lyric.
    if (found.lyric === '') cacheAtMost(doubtful ? 'brief' : 'lively')
    const parsed = isFormat === 1 ? parseLyric(found) : undefined
    return parsed === undefined ? found : { ...found, parsed }
  }
})

/**
 * Some songs are found by number only (several clients, 2025-26). Returns two empty texts if the song is unknown or has
 * no lyric.
 */
async function lyricByNumber (songmid: string, upstream: Upstream): Promise<Lyric> {
  const isMissing = ({ code }: RelayError): boolean => code === 'UPSTREAM_EMPTY' || code === 'NOT_FOUND'
  const songID = await optional(upstream.send(songDetail({ song_mid: songmid }, (_data, track) => need.int(track, 'id'))), isMissing)
  const found = songID === undefined ? undefined : await optional(upstream.send(lyricOf(songmid, songID)), isMissing)
  return found ?? { lyric: '', trans: '' }
}
