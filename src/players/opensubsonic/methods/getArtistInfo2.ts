import { readId } from '../ids.ts'
import { method } from '../method.ts'
import { singerOf } from '../records.ts'
import { aboutSinger, artistInfoInput } from '../singers.ts'

export const getArtistInfo2 = method({
  summary: 'About a singer: text, pictures, and singers like this one.',
  input: artistInfoInput,

  async run ({ id, count }, { call }) {
    const { facts, similar } = await aboutSinger(readId(id, 'ar').own, count, call)
    return { artistInfo2: { ...facts, similarArtist: similar.map((singer) => singerOf(singer)) } }
  }
})
