/** What a link, an id or a MID names. */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ref, typeName, wordOf } from './common.ts'

/** Longest text that is looked at, in characters. */
export const mostText = 1200

export const ResolveQuery = Type.Object({
  text: Type.String({
    maxLength: mostText,
    pattern: '\\S',
    'x-allowed': `a text of 1 to ${mostText} characters that is not blank`,
    description:
      `A share link, also with the words that an app copies with it, a number, a MID or a vid: 1 to ${mostText} characters. Of several links the first one that names something counts.`
  })
})

const types = ['song', 'album', 'singer', 'playlist', 'chart', 'mv'] as const

const type = wordOf(types, { [typeName]: 'LinkedType', description: 'What it is.' })

const ids = {
  id: Type.String({
    description:
      'Number, digits as text: the disstid of a playlist, the topId of a chart. Of other kinds "" when only the MID is known. The number that was asked for with type "".'
  }),
  mid: Type.String({ description: 'MID of a song, album or singer, vid of an MV; "" for playlists and charts.' })
}

export const Candidate = Type.Object({ type, ...ids, name: Type.String({ description: 'Its name or title.' }) }, {
  $id: 'Candidate',
  description: 'Something that has the number.'
})

export const Resolved = Type.Object({
  type: wordOf([...types, ''], {
    description:
      'What it is. "": a bare number that several things have, or may have because not every call answered; candidates has those that are known.'
  }),
  ...ids,
  candidates: Type.Array(ref(Candidate), { description: 'Only with type "": what has the number, with its names. Otherwise empty.' })
}, { $id: 'Resolved', description: 'What a link, a number or a MID names.' })

export type Candidate = Static<typeof Candidate>
export type Resolved = Static<typeof Resolved>
