/** Radio: lists of songs without pages, which go on until the upstream has no new songs. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, ref, skipped } from './common.ts'
import { Song } from './song.ts'

/** Maximum number of songs that a cursor can store. Earlier songs may come again. */
export const mostHeard = 500

const page = {
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 30, description: 'Number of songs, 1 to 30.' }), 10),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Za-z_-]{10,2012}$',
      'x-allowed': 'nextCursor of an earlier answer',
      description:
        `nextCursor of the answer before: no song of it, or of the up to ${mostHeard} before it, comes again. If omitted: a new sitting begins.`
    })
  )
}

export const GetRadioSongsQuery = Type.Object({
  radioId: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Number of the station, the radioId of /getRadioLists. Not 99, the personal station: /getPersonalRadio has its songs.'
  }),
  ...page
})

export const GetPersonalRadioQuery = Type.Object(page)

export const GetRadarSongsQuery = Type.Object(page)

export const RadioSongs = Type.Object({
  songs: Type.Array(ref(Song), { description: 'New songs of this session; fewer than limit when the upstream sends no more new ones.' }),
  nextCursor: Type.Optional(
    Type.String({
      description: 'Pass it as cursor for more songs. Absent when the upstream has only repetitions: begin again without a cursor.'
    })
  ),
  skipped
}, { $id: 'RadioSongs', description: 'The next songs of a station.' })

export type RadioSongs = Static<typeof RadioSongs>
