import { Type } from '@sinclair/typebox'
import { readId } from '../ids.ts'
import { count, id, method } from '../method.ts'
import { singerOf } from '../records.ts'
import { aboutSinger } from '../singers.ts'

export const artistInfoInput = Type.Object({ id: id('a singer'), count: count(20) })

export const getArtistInfo2 = method({
  summary: 'About a singer: text, pictures, and singers like this one.',
  input: artistInfoInput,

  async run ({ id, count }, { call }) {
    const { facts, similar } = await aboutSinger(readId(id, 'ar').own, count, call)
    return { artistInfo2: { ...facts, similarArtist: similar.map((singer) => singerOf(singer)) } }
  }
})
