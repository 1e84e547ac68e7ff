import { Type } from '@sinclair/typebox'
import { getAlbumInfo as albumInfo } from '../../../endpoints/music/getAlbumInfo.ts'
import type { Call } from '../../call.ts'
import { readId } from '../ids.ts'
import { id, method } from '../method.ts'
import type { Fields } from '../records.ts'
import { noAlbum } from '../records.ts'
import { picturesOf } from '../singers.ts'

export const albumInfoInput = Type.Object({ id: id('an album') })

/** Returns what is known about an album. */
export async function aboutAlbum (id: string, call: Call): Promise<Fields> {
  const { own } = readId(id, 'al', 'la')
  if (own === noAlbum.mid) return {}
  const { desc, mid, songs } = await call(albumInfo, { albummid: own })
  return { notes: desc || undefined, ...await picturesOf(songs[0]?.album.pmid || mid || own, 'album', call) }
}

export const getAlbumInfo2 = method({
  summary: 'About an album: text and pictures.',
  input: albumInfoInput,
  run: async ({ id }, { call }) => ({ albumInfo: await aboutAlbum(id, call) })
})
