import { Type } from '@sinclair/typebox'
import { getSongInfo } from '../../../endpoints/music/getSongInfo.ts'
import { readId } from '../ids.ts'
import { id, method } from '../method.ts'
import { songOf } from '../records.ts'

export const getSong = method({
  summary: 'A song.',
  input: Type.Object({ id: id('a song') }),

  async run ({ id }, { call, library }) {
    const { songinfo } = await call(getSongInfo, { songmid: readId(id, 'so').own })
    return { song: songOf(songinfo.data.track_info, library) }
  }
})
