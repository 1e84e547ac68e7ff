/** Music: spec §2.2 "Music play", "Lyric", "Album info", §4.2. */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { defaulted, mid, numberOf, ref } from './common.ts'

export const GetLyricQuery = Type.Object({
  songmid: mid('song'),
  isFormat: defaulted(numberOf([0, 1], { description: '1 parses the lyric into lines beside the text; 0 does not.' }), 0)
})

export const LyricLine = Type.Object({
  time: Type.Integer({ description: 'Start of the line in milliseconds.' }),
  text: Type.String({ description: 'What is sung.' }),
  trans: Type.Optional(Type.String({ description: 'Its translation; absent when there is none.' }))
}, { $id: 'LyricLine', description: 'One line of a lyric.' })

export const Lyric = Type.Object({
  lyric: Type.String({ description: 'Lines of the form [mm:ss.xx]text, separated by newlines; "" for a song without lyrics (or an unknown song: the upstream does not tell them apart).' }),
  trans: Type.String({ description: 'The translation in the same form; "" when there is none.' }),
  parsed: Type.Optional(Type.Object({
    tags: Type.Record(Type.String(), Type.String(), { description: 'Header tags such as ti, ar, al, by, offset.' }),
    lines: Type.Array(ref(LyricLine), { description: 'Lines in order of time; empty lines are left out.' })
  }, { description: 'Present with isFormat=1.' }))
}, { $id: 'Lyric', description: 'Timestamped lyric of a song.' })

export type Lyric = Static<typeof Lyric>
