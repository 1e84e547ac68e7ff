/**
 * The lyric of a song and its translation. The classic call refuses requests without the player's Referer. The
 * gateway's call may send an encrypted form, which is never returned as a lyric. Recorded 2017-12, 2024-07, 2026-08.
 */
import { escapeUTF8 } from 'entities/escape'
import { GetLyricQuery, Lyric, type LyricLine } from '../../../schemas/music.ts'
import {
  UpstreamError, codeMsgData, endpoint, failure, isEmpty, maybe, need, optional, unescapeText, upstreamEmpty,
  type Answer, type ClassicCall, type ClassicRequest, type MusicuCall, type RelayError, type Upstream
} from '../kit.ts'
import { parseLyric, type Parsed } from './lyrics.ts'
import { songDetail } from '../shared/song.ts'
import { classicFiller, playerReferer } from '../../upstream/wire/requests.ts'

/** Classic codes: -1901 means no lyric or unknown song, -1310 means a bad Referer. */
const codes = { [-1901]: 'ok', [-1310]: 'refused.platform' } as const

const classicRequestOf = (songmid: string, more: { readonly nobase64?: 1 } = {}): ClassicRequest => ({
  path: '/lyric/fcgi-bin/fcg_query_lyric_new.fcg',
  query: { songmid, format: 'json', ...classicFiller, pcachetime: Date.now(), ...more },
  referer: playerReferer
})

const classicLyricOf = (songmid: string): ClassicCall<Lyric> => ({
  name: 'lyric.classic',
  request: classicRequestOf(songmid),
  codes,
  optionalFields: ['lyric'],
  read: (answer) => readLyric(answer, decodeText)
})

/** `roma` 1 asks for the romanisation. None in a readable form was recorded (2023 and 2026, clients' code). */
const lyricOf = (songmid: string, roma: 0 | 1, songID = 0): MusicuCall<Lyric> => ({
  name: 'lyric.musicu',
  request: {
    module: 'music.musichallSong.PlayLyricInfo',
    method: 'GetPlayLyricInfo',
    param: {
      songMID: songmid,
      songID,
      crypt: 0,
      qrc: 0,
      trans: 1,
      roma,
      lrc_t: 0,
      qrc_t: 0,
      trans_t: 0,
      roma_t: 0,
      type: 0
    }
  },
  read: (answer) => ({ ...readLyric(answer, decodeText), ...roma === 1 ? { roma: readRoma(answer) } : {} })
})

/** The classic call with the text as HTML entities instead of base64. */
const plainLyricOf = (songmid: string): ClassicCall<Lyric> => ({
  name: 'lyric.classic.plain',
  request: classicRequestOf(songmid, { nobase64: 1 }),
  codes,
  optionalFields: ['lyric'],
  read (answer) {
    if (isEncrypted(maybe.text(answer, 'lyric') ?? '')) throw unreadable(answer.call, 'is encrypted')
    // The last call: a lyric without its translation is better than none.
    return readLyric(answer, (text) => isEncrypted(text) ? '' : lyricText(text))
  }
})

/** Lyrics are typed by hand, so line breaks vary. */
const withNewlines = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')

/** A quote as an entity, with a backslash before it or encoded twice. */
const escapedQuote = /\\(?=&(?:apos|quot|#0?3[49]|#x2[27]);)/gi
const entityOfQuote = /&(?:apos|quot|nbsp|#0?3[49]|#x2[27]);/i

/** Decodes the text of a lyric: `We\&apos;re` is "We're" (reported 2026), and so is `We&amp;apos;re`. */
function lyricText (text: string): string {
  const once = unescapeText(text.replaceAll(escapedQuote, ''))
  return (entityOfQuote.test(once) ? unescapeText(once) : once).replaceAll(/\\(?=['"])/g, '')
}

function readLyric (answer: Answer, decode: (text: string, call: string) => string): Lyric {
  const textAt = (path: string): string => withNewlines(decode(maybe.text(answer, path) ?? '', answer.call))
  const lyric = textAt('lyric')
  if (lyric.trim() === '') throw upstreamEmpty(answer.call, 'a lyric')
  return { lyric, trans: textAt('trans') }
}

/** Returns the romanisation; "" if there is none, or if it is encrypted. */
function readRoma (answer: Answer): string {
  try {
    return withNewlines(decodeText(maybe.text(answer, 'roma') ?? '', answer.call))
  } catch {
    return ''
  }
}

/**
 * Returns the text of a lyric: plain LRC text begins with `[`, the encrypted form is hex, and everything else is base64
 * of UTF-8. Throws UPSTREAM_UNREADABLE for encrypted text and for any other form.
 */
function decodeText (text: string, call: string): string {
  if (text === '' || text.startsWith('[')) return lyricText(text)
  if (isEncrypted(text)) throw unreadable(call, 'is encrypted')
  const packed = text.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+=*$/.test(packed)) throw unreadable(call, 'is in no known form')
  try {
    return lyricText(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(packed, 'base64')))
  } catch {
    throw unreadable(call, 'is in no known form')
  }
}

const isEncrypted = (text: string): boolean => /^[0-9A-F]+$/i.test(text)

const unreadable = (call: string, why: string): UpstreamError =>
  failure('unreadable.shape', { call, word: `the lyric ${why}` })

export const getLyric = endpoint({
  method: 'GET',
  path: '/getLyric',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'Timestamped lyric of a song, with its translation',
  summaryInChinese: '带时间轴的歌词和翻译',
  description: 'Both texts are decoded. For a song without lyrics both texts are empty; also for an unknown song, because the upstream sends the same answer. format=parsed (or isFormat=1) adds the lines in order of time, in milliseconds; ttml and srt add the lyric as the text of such a file, with translation and romanisation. In these forms the tag offset is applied, a translation belongs to the nearest line, and a line of it that belongs to none is a line by itself. A lyric without times has lines without times, and no file. roma=true adds the romanisation if the upstream sends one unencrypted (not seen yet); the relay never decrypts.',
  example: { songmid: '00DemoSong0005', isFormat: 1 },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetLyricQuery,
  record: Lyric,
  envelope: codeMsgData,
  cache: 'immutable',

  async run ({ songmid, isFormat, format, roma: wantsRoma }, { upstream, cacheAtMost }) {
    const roma = wantsRoma ? 1 : 0
    let doubtful = false
    const isMissing = (error: RelayError): boolean => {
      doubtful = error.cause !== undefined // a failed call may have the lyric
      return isEmpty(error)
    }
    const [classic, musicu, plain] = [classicLyricOf(songmid), lyricOf(songmid, roma), plainLyricOf(songmid)]
    const found =
      await optional(upstream.firstOf(wantsRoma ? [musicu, classic, plain] : [classic, musicu, plain]), isMissing)
        ?? await lyricByNumber(songmid, roma, upstream, () => { doubtful = true })
    // A lyric may be added later, and a song that the upstream does not find today also has an empty lyric.
    if (found.lyric === '') cacheAtMost(doubtful ? 'brief' : 'lively')
    // Only one call returns romanisations.
    if (wantsRoma && found.roma === undefined) cacheAtMost('brief')
    const whole = wantsRoma ? { ...found, roma: found.roma ?? '' } : found
    const parsed = isFormat === 1 || format !== 'lrc' ? parseLyric(whole) : undefined
    if (parsed === undefined) return whole
    return { ...whole, ...isFormat === 1 || format === 'parsed' ? { parsed } : {}, ...lyricFiles(format, parsed) }
  }
})

/**
 * Some songs are found by number only (several clients, 2025-26). Returns empty texts if there is no lyric. The calls
 * before have none either, so a call that is at fault itself leaves a `doubt` only.
 */
async function lyricByNumber (
  songmid: string,
  roma: 0 | 1,
  upstream: Upstream,
  doubt: () => void
): Promise<Lyric> {
  const isMissing = (error: RelayError): boolean => {
    const { code } = error
    if (code === 'UPSTREAM_EMPTY' || code === 'NOT_FOUND') return true
    // An answer that says nothing at all is that of an upstream in trouble.
    if (!(error instanceof UpstreamError) || error.fault !== 'call' || code === 'UPSTREAM_UNREADABLE') return false
    doubt()
    return true
  }
  const songID = await optional(
    upstream.send(songDetail({ song_mid: songmid }, (_data, track) => need.int(track, 'id'))),
    isMissing
  )
  const found = songID === undefined ? undefined
    : await optional(upstream.send(lyricOf(songmid, roma, songID)), isMissing)
  return found ?? { lyric: '', trans: '' }
}

// Writes a lyric as the text of a subtitle file.

type LyricFormat = 'lrc' | 'parsed' | 'ttml' | 'srt'

/** Maximum number of lines in a file. A real lyric has fewer. */
const mostLines = 5000

/** Each line is shown until the next one begins, ten seconds at most; the last one for five seconds. */
const [longestMs, lastMs] = [10_000, 5000]

type TimedLine = LyricLine & { readonly time: number }

/** Returns the lyric as a file; nothing for other formats, for a lyric without times, and for too many lines. */
export function lyricFiles (format: LyricFormat, { tags, lines }: Parsed): Pick<Lyric, 'srt' | 'ttml'> {
  if (lines.length > mostLines || lines.every(({ time }) => time === undefined)) return {}
  if (format === 'srt') return { srt: srtOf(timed(lines)) }
  return format === 'ttml' ? { ttml: ttmlOf(tags, timed(lines)) } : {}
}

/** A file has no lines without a time: they are shown with the line above. */
function timed (lines: readonly LyricLine[]): readonly TimedLine[] {
  let above = 0
  return lines.map((line) => ({ ...line, time: (above = line.time ?? above) }))
}

/** Returns the end of each line. Lines that begin together end together. */
function endsOf (lines: readonly TimedLine[]): number[] {
  let next: number | undefined
  const ends = lines.map(() => 0)
  for (let at = lines.length - 1; at >= 0; at--) {
    const { time } = lines[at] as TimedLine
    const later = lines[at + 1]
    if (later !== undefined && later.time > time) next = later.time
    ends[at] = next === undefined ? time + lastMs : Math.min(next, time + longestMs)
  }
  return ends
}

/** Returns a time stamp. `point`: the separator before the milliseconds. */
function clock (ms: number, point: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two(ms / 60_000 % 60)}:${two(ms / 1000 % 60)}${point}${String(ms % 1000).padStart(3, '0')}`
}

/** SubRip has no layers: the romanisation and the translation are further lines of the same subtitle. */
function srtOf (lines: readonly TimedLine[]): string {
  const ends = endsOf(lines)
  const cues = lines.map(({ time, text, roma = '', trans = '' }, at) => {
    const shown = [text, roma, trans].filter((layer) => layer !== '').join('\n').replaceAll('-->', '->')
    return `${at + 1}\n${clock(time, ',')} --> ${clock(ends[at] as number, ',')}\n${shown}\n`
  })
  return cues.join('\n')
}

/** Characters that XML cannot contain. */
const unfit = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const xml = (text: string): string => escapeUTF8(text.replaceAll(unfit, ''))

/** Timed Text. The layers are spans with the roles that lyric players use. The provider translates into Chinese. */
function ttmlOf (tags: Parsed['tags'], lines: readonly TimedLine[]): string {
  const ends = endsOf(lines)
  const layer = (role: string, text: string | undefined, language = ''): string =>
    text === undefined ? '' : `<span ttm:role="${role}"${language}>${xml(text)}</span>`
  const rows = lines.map(({ time, text, trans, roma }, at) =>
    `<p begin="${clock(time, '.')}" end="${clock(ends[at] as number, '.')}">${xml(text)}${layer('x-translation', trans, ' xml:lang="zh"')}${layer('x-roman', roma)}</p>`)
  const title = tags['ti'] === undefined ? '' : `<head><metadata><ttm:title>${xml(tags['ti'])}</ttm:title></metadata></head>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="und">${title}<body><div>\n${rows.join('\n')}\n</div></body></tt>\n`
}
