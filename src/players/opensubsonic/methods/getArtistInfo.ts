import { readId } from '../ids.ts'
import { method } from '../method.ts'
import { singerFolderOf } from '../records.ts'
import { aboutSinger, artistInfoInput } from '../singers.ts'

export const getArtistInfo = method({
  summary: 'About a singer, for clients that browse folders.',
  input: artistInfoInput,

  async run ({ id, count }, { call }) {
    const { facts, similar } = await aboutSinger(readId(id, 'ar').own, count, call)
    return { artistInfo: { ...facts, similarArtist: similar.map(singerFolderOf) } }
  }
})
