/** The item that a link, an id or a MID names. */
import { Type, type Static } from '@sinclair/typebox'
import { ref, typeName, wordOf } from './common.ts'

/** Maximum length of a text that is searched, in characters. */
export const mostText = 8192

export const ResolveQuery = Type.Object({
  text: Type.String({
    maxLength: mostText,
    pattern: '\\S',
    'x-allowed': `a text of 1 to ${mostText} characters that is not blank`,
    description:
      `A share link (text around it is allowed: a message, a card or code of a chat), a number, a MID or a vid: 1 to ${mostText} characters. With several links, the first valid one counts.`
  })
})

const types = ['song', 'album', 'singer', 'playlist', 'chart', 'mv'] as const

const type = wordOf(types, { [typeName]: 'LinkedType', description: 'Type of the item.' })

const ids = {
  id: Type.String({
    description:
      'Number, digits as text: the disstid of a playlist, the topId of a chart. For other kinds "" when only the MID is known. With type "": the requested number.'
  }),
  mid: Type.String({ description: 'MID of a song, album or singer, vid of an MV; "" for playlists and charts.' })
}

export const Candidate = Type.Object({ type, ...ids, name: Type.String({ description: 'Its name or title.' }) }, {
  $id: 'Candidate',
  description: 'An item with the number.'
})

export const Resolved = Type.Object({
  type: wordOf([...types, ''], {
    description:
      'Type of the item. "": a bare number that several items have, or may have because not every call answered; candidates lists the known ones.'
  }),
  ...ids,
  candidates: Type.Array(ref(Candidate), { description: 'Only with type "": the items with the number, with their names. Otherwise empty.' })
}, { $id: 'Resolved', description: 'What a link, a number or a MID refers to.' })

export type Candidate = Static<typeof Candidate>
export type Resolved = Static<typeof Resolved>
