/**
 * The lyric of a song and its translation. The classic call refuses without the player's Referer; the gateway's call
 * may answer an encrypted form, which is never taken for a lyric. Recorded 2017-12, 2024-07, 2026-08.
 */
import { parse } from 'clrc'
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetLyricQuery, Lyric } from '../../../schemas/music.ts'
import { endpoint } from '../../endpoint.ts'
import { RelayError, UpstreamError, upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import { unescapeText } from '../../provider/text.ts'
import type { ClassicCall, MusicuCall, Upstream } from '../../provider/upstream.ts'
import { classicFiller, playerReferer } from '../../provider/wire.ts'
import { songDetail } from '../shared/songDetail.ts'

/** Classic codes: -1901 no lyric or unknown song, -1310 bad Referer. */
const codes = { [-1901]: 'ok', [-1310]: 'platform' } as const

const classicLyricOf = (songmid: string): ClassicCall<Lyric> => ({
  name: 'lyric.classic',
  ask: { path: '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', query: { songmid, format: 'json', ...classicFiller, pcachetime: Date.now() }, referer: playerReferer },
  codes,
  sometimes: ['lyric'],
  read: (answer) => readLyric(answer, decodeText)
})

const lyricOf = (songmid: string, songID = 0): MusicuCall<Lyric> => ({
  name: 'lyric.musicu',
  ask: {
    module: 'music.musichallSong.PlayLyricInfo',
    method: 'GetPlayLyricInfo',
    param: { songMID: songmid, songID, crypt: 0, qrc: 0, trans: 1, roma: 0, lrc_t: 0, qrc_t: 0, trans_t: 0, roma_t: 0, type: 0 }
  },
  read: (answer) => readLyric(answer, decodeText)
})

/** The classic call once more, with the text as HTML entities instead of base64. */
function plainLyricOf (songmid: string): ClassicCall<Lyric> {
  const { ask, ...classic } = classicLyricOf(songmid)
  return {
    ...classic,
    name: 'lyric.classic.plain',
    ask: { ...ask, query: { ...ask.query, nobase64: 1 } },
    read: (answer) => readLyric(answer, unescapeText)
  }
}

function readLyric (answer: Answer, decode: (text: string, call: string) => string): Lyric {
  // Whoever typed a lyric typed its line breaks, too.
  const textAt = (path: string): string => decode(maybe.text(answer, path) ?? '', answer.call).replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  const lyric = textAt('lyric')
  if (lyric.trim() === '') throw upstreamEmpty(answer.call, 'a lyric')
  return { lyric, trans: textAt('trans') }
}

/** Plain LRC text begins with `[`, the encrypted form is upper-case hex, everything else is base64 of UTF-8. */
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

/** Lines that begin with a whole time stamp, or are a tag: over others the parser's patterns take the square of their length. */
const isLrcLine = (line: string): boolean => /^\[\d{2,9}:\d{2}(?:\.\d{2,3})?\]/.test(line) || (line.startsWith('[') && line.endsWith(']'))

const linesOf = (text: string): ReturnType<typeof parse> => parse(text.split('\n').filter(isLrcLine).join('\n'))

/** The lines of a lyric in order of time, with the translation's line of the same moment. Several stamps on one line are several lines. */
function parseLyric ({ lyric, trans }: Lyric): NonNullable<Lyric['parsed']> {
  const tags: Record<string, string> = {}
  const lines: NonNullable<Lyric['parsed']>['lines'] = []
  const translated = new Map(linesOf(trans).flatMap((line) => line.type === 'lyric' ? [[line.startMillisecond, line.content.trim()] as const] : []))
  for (const line of linesOf(lyric)) {
    if (line.type === 'metadata') tags[line.key] = line.value
    if (line.type !== 'lyric' || line.content.trim() === '' || !Number.isSafeInteger(line.startMillisecond)) continue
    const translation = translated.get(line.startMillisecond)
    // Untranslated lines of a translation read "//".
    lines.push({ time: line.startMillisecond, text: line.content.trim(), ...(translation === undefined || translation === '' || translation === '//' ? {} : { trans: translation }) })
  }
  return { tags, lines: lines.sort((a, b) => a.time - b.time) }
}

export const getLyric = endpoint({
  method: 'GET',
  path: '/getLyric',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'Timestamped lyric of a song, with its translation',
  description: 'Both texts are decoded. A song without lyrics has two empty texts; so has an unknown song, because the upstream does not tell them apart. isFormat=1 adds the lines in order of time, in milliseconds.',
  example: { songmid: '00DemoSong0005', isFormat: 1 },
  input: GetLyricQuery,
  record: Lyric,
  envelope: codeMsgData,
  cache: 'immutable',

  async run ({ songmid, isFormat }, { upstream, keepFor }) {
    const found = await upstream.firstOf([classicLyricOf(songmid), lyricOf(songmid), plainLyricOf(songmid)])
      .catch(async (error: unknown) => {
        if (error instanceof RelayError && error.code === 'UPSTREAM_EMPTY') return await lyricByNumber(songmid, upstream)
        throw error
      })
    // Words may come later, and no words is also how a song looks that the upstream does not find today.
    if (found.lyric === '') keepFor('lively')
    return isFormat === 1 ? { ...found, parsed: parseLyric(found) } : found
  }
})

/** Some songs answer only by number (several clients, 2025-26). A song that is unknown or has no lyric has two empty texts. */
async function lyricByNumber (songmid: string, upstream: Upstream): Promise<Lyric> {
  try {
    const songID = await upstream.send(songDetail({ song_mid: songmid }, (_data, track) => need.int(track, 'id')))
    return await upstream.send(lyricOf(songmid, songID))
  } catch (error) {
    if (error instanceof RelayError && (error.code === 'UPSTREAM_EMPTY' || error.code === 'NOT_FOUND')) return { lyric: '', trans: '' }
    throw error
  }
}
