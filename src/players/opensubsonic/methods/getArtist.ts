import { Type } from '@sinclair/typebox'
import { readId } from '../ids.ts'
import { id, method } from '../method.ts'
import { singerOf } from '../records.ts'
import { albumsOfSinger, nameOf } from '../singers.ts'

export const getArtist = method({
  summary: 'A singer with all albums that the provider has, at most 300.',
  missing: 'Albums in this list have no number of songs and no length.',
  input: Type.Object({ id: id('a singer') }),

  async run ({ id }, { call }) {
    const { own } = readId(id, 'ar')
    const [name, albums] = await Promise.all([nameOf(own, call), albumsOfSinger(own, call)])
    return { artist: { ...singerOf({ mid: own, name }, albums.length), album: albums } }
  }
})
