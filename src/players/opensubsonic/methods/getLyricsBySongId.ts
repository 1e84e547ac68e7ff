import { Type } from '@sinclair/typebox'
import { getLyric } from '../../../endpoints/music/getLyric.ts'
import { readId } from '../ids.ts'
import { structuredLyrics } from '../lyrics.ts'
import { id, method } from '../method.ts'

export const getLyricsBySongId = method({
  summary: 'The lyric with the time of each line, and its translation as a second one.',
  missing: 'The language of a lyric is unknown, and words have no separate times.',
  input: Type.Object({
    id: id('a song'),
    enhanced: Type.Optional(
      Type.Boolean({ description: 'true: each lyric says what it is (main, translation, pronunciation), and a romanisation is there too.' })
    )
  }),

  async run ({ id, enhanced = false }, { call }) {
    const found = await call(getLyric, { songmid: readId(id, 'so').own, isFormat: 1, roma: enhanced })
    return {
      lyricsList: {
        structuredLyrics: structuredLyrics(found, enhanced, { displayArtist: found.parsed?.tags['ar'], displayTitle: found.parsed?.tags['ti'] })
      }
    }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
