import { Type } from '@sinclair/typebox'
import { RelayError } from '../../../common/errors.ts'
import { getSongInfo } from '../../../endpoints/music/getSongInfo.ts'
import { getImageUrl } from '../../../endpoints/discover/getImageUrl.ts'
import type { Call } from '../../call.ts'
import { readId } from '../ids.ts'
import { id, mediaMethod } from '../method.ts'
import { playlistPicture } from '../playlists.ts'
import { noAlbum } from '../records.ts'

/** Widths and heights that every picture has, and seconds for which a picture may be cached. Its address does not change. */
const sizes = ['90x90', '150x150', '300x300', '500x500', '800x800'] as const
type Size = typeof sizes[number]
const maxAgeSeconds = 86_400

export const getCoverArt = mediaMethod({
  summary: 'A redirect to the picture of a song, album, singer, playlist or chart, in the requested size, or the next larger one.',
  missing: 'The lists of the account have no picture.',
  input: Type.Object({ id: id('a picture'), size: Type.Optional(Type.Integer({ description: 'Width in pixels. If omitted: 500.' })) }),

  async send ({ id, size: width = 500 }, { call, reply }) {
    const location = await addressOf(id, sizes.find((each) => parseInt(each) >= width) ?? '800x800', call)
    return await reply.code(302).headers({ location, 'cache-control': `private, max-age=${maxAgeSeconds}` }).send()
  }
})

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
  if (kind !== 'so') return (await call(getImageUrl, { id: own, size, type: kind === 'ar' ? 'singer' : 'album' })).imageUrl
  const { songinfo: { data: { track_info: { album, singer } } } } = await call(getSongInfo, { songmid: own })
  const picture = album.pmid || album.mid
  const mid = singer[0]?.mid ?? ''
  if (picture !== '') return await pictureOf('al', picture, size, call)
  return mid === '' ? '' : await pictureOf('ar', mid, size, call)
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
