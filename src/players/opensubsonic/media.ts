/** Audio, pictures and lyrics. */
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Lyric } from '../../../schemas/music.ts'
import { RelayError } from '../../common/errors.ts'
import { getImageUrl } from '../../endpoints/discover/imageUrls.ts'
import { getLyric } from '../../endpoints/music/getLyric.ts'
import { separateLayers, textsOf, type LrcLine } from '../../endpoints/music/lyrics.ts'
import { getSongInfo } from '../../endpoints/music/songInfo.ts'
import { getSearchByKey } from '../../endpoints/search/chain.ts'
import { sendPicture } from '../../edge/delivery.ts'
import type { Call } from '../call.ts'
import { readId } from './ids.ts'
import { id, mediaMethod, method, type AnyMethod, type MediaContext } from './method.ts'
import { playlistPicture } from './playlists.ts'
import { noAlbum, type Fields } from './records.ts'

/** Extensions of the provider's files by the formats that players send. Other names, such as raw, are no wish. */
const extensions: Readonly<Record<string, string>> = {
  mp3: 'mp3',
  aac: 'm4a',
  m4a: 'm4a',
  mp4: 'm4a',
  ogg: 'ogg',
  oga: 'ogg',
  flac: 'flac'
}

interface Wish { readonly maxBitRate?: number, readonly format?: string }

async function sendSong (id: string, { maxBitRate, format }: Wish, context: MediaContext): Promise<FastifyReply> {
  const { user, caller, request, reply, sendAudio } = context
  // A copy of a library may use up the upstream calls of the account, so audio is charged to a separate budget.
  const client = caller.client && request.server.clientNamed(`audio of ${user.account}`)
  const extension = extensions[format?.toLowerCase() ?? '']
  return await sendAudio({
    songmid: readId(id, 'so').own,
    ...maxBitRate === undefined || maxBitRate === 0 ? {} : { most: maxBitRate },
    ...extension === undefined ? {} : { extension }
  }, request, reply, { ...caller, client })
}

/** Sizes of every picture, and seconds for which one may be cached. Its address does not change. */
const sizes = ['90x90', '150x150', '300x300', '500x500', '800x800'] as const
type Size = typeof sizes[number]
const maxAgeSeconds = 86_400

async function addressOf (id: string, size: Size, call: Call): Promise<string> {
  const { kind, own } = readId(id, 'al', 'la', 'ar', 'so', 'pl', 'ch', 'li')
  const address = kind === 'pl' || kind === 'ch'
    ? await playlistPicture(id, call)
    : kind === 'li' || own === noAlbum.mid
    ? ''
    : await pictureOf(kind, own, size, call)
  if (address === '') throw new RelayError('NOT_FOUND', `id: ${id} has no picture.`)
  return address
}

async function pictureOf (kind: 'al' | 'la' | 'ar' | 'so', own: string, size: Size, call: Call): Promise<string> {
  if (kind !== 'so') {
    return (await call(getImageUrl, { id: own, size, type: kind === 'ar' ? 'singer' : 'album' })).imageUrl
  }
  const { songinfo: { data: { track_info: { album, singer } } } } = await call(getSongInfo, { songmid: own })
  const picture = album.pmid || album.mid
  const mid = singer[0]?.mid ?? ''
  if (picture !== '') return await pictureOf('al', picture, size, call)
  return mid === '' ? '' : await pictureOf('ar', mid, size, call)
}

/** Code for an unknown language of a lyric, from ISO 639. */
const unknownLanguage = 'und'

/** The provider translates into Chinese. */
const translationLanguage = 'zho'

/** A layer of a lyric. `kind`: the interface's name for it. */
interface Layer {
  readonly kind: 'main' | 'translation' | 'pronunciation'
  readonly lang: string
  readonly lines: readonly LrcLine[]
}

/**
 * Returns the lyric, then its translation and, if `enhanced`, its romanisation, each line with its time. Enhanced
 * layers have a kind. A text without times becomes lines without times. A layer has all its lines, whatever the others
 * have. `offset` is 0, because the times have the offset already: not all players read it.
 */
export function structuredLyrics (texts: Pick<Lyric, 'lyric' | 'trans' | 'roma'>, enhanced: boolean): Fields[] {
  const read = separateLayers(texts)
  const {
    tags: { ar, ti } = {},
    layers: { lyric, trans, roma } = { lyric: textsOf(texts.lyric).map(untimed), trans: [], roma: [] }
  } = read ?? {}
  const layers: Layer[] = [
    { kind: 'main', lang: unknownLanguage, lines: lyric },
    { kind: 'translation', lang: translationLanguage, lines: trans },
    { kind: 'pronunciation', lang: unknownLanguage, lines: enhanced ? roma : [] }
  ]
  return layers.filter(({ lines }) => lines.length > 0).map(({ kind, lang, lines }) => {
    // In a lyric with times every line must have one: a line without one begins with the line above.
    const synced = lines.some(({ time }) => time !== undefined)
    return {
      lang,
      synced,
      ...synced ? { offset: 0 } : {},
      displayArtist: ar,
      displayTitle: ti,
      ...enhanced ? { kind } : {},
      line: lines.map(({ time, at, text: value }) => synced ? { start: time ?? Math.max(0, at), value } : { value })
    }
  })
}

const untimed = (text: string): LrcLine => ({ time: undefined, at: -1, text })

const words = (what: string): ReturnType<typeof Type.String> => Type.String({ maxLength: 500, description: `${what}.` })

export const mediaMethods = {
  stream: mediaMethod({
    summary:
      'The audio of a song, as /stream gives it: a redirect, or the bytes with the setting stream=relay. Without a wish, it is the file that the records describe: FLAC, MP3 at 320 or at 128 kbit/s, the best that the account may play.',
    missing:
      'Nothing is converted: maxBitRate and format are wishes among the files of the song. The best file within the bit rate is sent, of the wished format if there is one; if all are larger, the smallest. timeOffset is ignored.',
    input: Type.Object({
      id: id('a song'),
      maxBitRate:
        Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'kbit/s; 0 or left out: no limit.' })),
      format: Type.Optional(Type.String({ description: 'mp3, aac, ogg or flac; anything else, such as raw: the usual file.' }))
    }),

    send: async ({ id, ...wish }, context) => await sendSong(id, wish, context)
  }),
  download: mediaMethod({
    summary: 'The same file as stream without a wish, whose size the records have.',
    input: Type.Object({ id: id('a song') }),
    send: async ({ id }, context) => await sendSong(id, {}, context)
  }),
  getCoverArt: mediaMethod({
    summary: 'The picture of a song, album, singer, playlist or chart, in the requested size, or the next larger one: a redirect, or the bytes with the setting stream=relay.',
    missing: 'The lists of the account have no picture.',
    input: Type.Object({
      id: id('a picture'),
      size: Type.Optional(Type.Integer({ description: 'Width in pixels. If omitted: 500.' }))
    }),

    async send ({ id, size: width = 500 }, { call, request, reply }) {
      const location = await addressOf(id, sizes.find((each) => parseInt(each) >= width) ?? '800x800', call)
      return await sendPicture(request, reply, location, `private, max-age=${maxAgeSeconds}`)
    }
  }),
  getLyrics: method({
    summary: 'The lyric of the first song that a search for title and singer finds, without times.',
    input: Type.Object({
      artist: Type.Optional(words('Name of the singer')),
      title: Type.Optional(words('Title of the song'))
    }),

    async run ({ artist = '', title = '' }, { call }) {
      // Songs separate their singers with slashes, which no search understands.
      const [singer = ''] = artist.split(' / ')
      // The cut may leave half a character, which no search takes.
      const key = `${title} ${singer}`.slice(0, 200).replace(/\p{Surrogate}$/u, '').trim()
      if (key === '') return { lyrics: { value: '' } }
      const { song: { list: [song] } } = await call(getSearchByKey, { key, limit: 10, catZhida: 0 })
      if (song === undefined || song.mid === '') return { lyrics: { value: '' } }
      const { lyric } = await call(getLyric, { songmid: song.mid })
      return {
        lyrics: {
          artist: song.singer.map(({ name }) => name).join(' / '),
          title: song.title,
          value: textsOf(lyric).join('\n')
        }
      }
    }
  }),
  getLyricsBySongId: method({
    summary: 'The lyric with the time of each line, and its translation as a second one.',
    missing: 'The language of a lyric is unknown, and words have no separate times.',
    input: Type.Object({
      id: id('a song'),
      enhanced: Type.Optional(
        Type.Boolean({ description: 'true: each lyric says what it is (main, translation, pronunciation), and a romanisation is there too.' })
      )
    }),

    async run ({ id, enhanced = false }, { call }) {
      return {
        lyricsList: {
          structuredLyrics: structuredLyrics(
            await call(getLyric, { songmid: readId(id, 'so').own, roma: enhanced }),
            enhanced
          )
        }
      }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-fields
