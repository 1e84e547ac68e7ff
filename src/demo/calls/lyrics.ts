import { lyricText, type Lyric } from '../catalogue/lyrics.ts'
import { randomFrom, seedOf } from '../catalogue/random.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, textOf } from './params.ts'

const none: Lyric = { lyric: '', trans: '', roma: '' }

function base64 (text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/**
 * Returns a stand-in for the encrypted form: upper-case hex that decodes to nothing. A client cannot use real
 * ciphertext without the key.
 */
function hexNoise (text: string): string {
  const random = randomFrom(seedOf(text))
  return Array.from({ length: text.length * 2 }, () => random.int(0, 255).toString(16).padStart(2, '0')).join('')
    .toUpperCase()
}

/** `nobase64=1`: every character except letters, digits and brackets becomes a numeric entity, including line ends. */
function entities (text: string): string {
  return text.replace(/[^A-Za-z0-9[\]\u0080-\uffff]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * An unknown song and a song without lyrics look the same: code 0 and empty texts. Some songs are found only by number.
 */
function lyricAsked (param: Param, { catalogue }: CallContext): { songID: number, found: Lyric } {
  const byId = catalogue.songById.get(numberOf(param, 'songID', numberOf(param, 'songId', 0)))
  const byMid = catalogue.songByMid.get(textOf(param, 'songMID', 'songMid', 'songmid'))
  const song = byId ?? (byMid?.lyric === 'byId' ? undefined : byMid)
  return { songID: song?.id ?? 0, found: (song && lyricText(song)) ?? none }
}

function getPlayLyricInfo (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    songMID: 'string',
    songMid: 'string',
    songmid: 'string',
    songID: 'number',
    songId: 'number',
    crypt: 'flag',
    qrc: 'flag',
    trans: 'flag',
    roma: 'flag',
    needSingingAnnotations: 'boolean'
  })
  if (wrong) return wrong
  const { songID, found } = lyricAsked(param, context)
  const crypt = numberOf(param, 'crypt', 0)
  // `qrc` 1 encrypts even without `crypt` (2026-09), and some romanisations are encrypted (2026-10): here those of
  // every third song.
  const isCipher = crypt !== 0 || numberOf(param, 'qrc', 0) !== 0
  const written = (text: string, hidden = isCipher): string => text && (hidden ? hexNoise(text) : base64(text))
  const data = {
    songID,
    songName: '',
    songType: 0,
    singerName: '',
    qrc: 0,
    crypt,
    lyric: written(found.lyric),
    trans: numberOf(param, 'trans', 0) ? written(found.trans) : '',
    roma: numberOf(param, 'roma', 0) ? written(found.roma, isCipher || songID % 3 === 0) : '',
    lrc_t: found.lyric ? 1790000000 : 0,
    qrc_t: 0,
    trans_t: 0,
    roma_t: 0,
    lyric_style: 0,
    classical: 0,
    introduceTitle: '',
    introduceText: [{ title: base64('简介'), content: '' }],
    vecSongID: null,
    track: { id: 0, type: 0, mid: '', name: '', title: '', subtitle: '', singer: null },
    startTs: 0,
    transSource: 0
  }
  return { code: 0, data }
}

function classicLyric (query: Query, { catalogue }: CallContext): unknown {
  const byMid = catalogue.songByMid.get(query['songmid'] ?? query['songMid'] ?? query['songMID'] ?? '')
  const song = byMid?.lyric === 'byId' ? undefined : byMid
  const found = song && lyricText(song)
  if (!found) return { retcode: -1901, code: -1901, subcode: -1901 }
  const written = query['nobase64'] === '1' ? entities : base64
  return { retcode: 0, code: 0, subcode: 0, lyric: written(found.lyric), trans: written(found.trans) }
}

export const lyricCalls: MusicuTable = {
  'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo': getPlayLyricInfo
}

export const lyricPaths: ClassicTable = {
  '/lyric/fcgi-bin/fcg_query_lyric_new.fcg': {
    answer: classicLyric,
    callback: 'MusicJsonCallback',
    refused: { retcode: -1310, code: -1310, subcode: -1310 }
  }
}
