/**
 * Suggestions for words while they are typed. Always anonymous; at most four songs, two singers, two albums. Recorded
 * 2026-08.
 */
import type { Smartbox, SuggestedSong } from '../../../schemas/search.ts'
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall } from '../../upstream/calls.ts'
import { needText, pictureOf, textOf } from './fields.ts'

const path = '/splcloud/fcgi-bin/smartbox_new.fcg'

const optionalFields = ['data.song.itemlist', 'data.singer.itemlist', 'data.album.itemlist'] as const

/** The two entries of the suggestions to `key`; `read` converts the three lists. The second was seen in 2026-09. */
export const smartboxOf = <T>(key: string, read: (result: Smartbox['result']) => T): ClassicCall<T>[] => [
  {
    name: 'search.suggestions',
    request: { path, part: 'search', query: { key, format: 'json', is_xml: 0, inCharset: 'utf-8', outCharset: 'utf-8', g_tk: 5381 } },
    optionalFields,
    read: (answer) => read(readSmartbox(answer))
  },
  {
    name: 'search.suggestions.second',
    request: {
      host: 'profile',
      path,
      part: 'search',
      query: {
        cv: 4747474,
        ct: 24,
        format: 'json',
        inCharset: 'utf-8',
        outCharset: 'utf-8',
        notice: 0,
        platform: 'yqq.json',
        needNewCode: 1,
        uin: 0,
        hostUin: 0,
        is_xml: 0,
        key
      }
    },
    optionalFields,
    read: (answer) => read(readSmartbox(answer))
  }
]

/** All values are strings, numbers included. A section without hits is missing or has no rows. */
function readSmartbox (answer: Answer): Smartbox['result'] {
  const data = need.at(answer, 'data')
  const withPicture = (row: Answer): Smartbox['result']['singerList'][number] =>
    ({ ...readSuggestion(row), pic: pictureOf(row, 'pic') })
  return {
    songList: maybe.list(data, 'song.itemlist', readSuggestion),
    singerList: maybe.list(data, 'singer.itemlist', withPicture),
    albumList: maybe.list(data, 'album.itemlist', withPicture)
  }
}

function readSuggestion (row: Answer): SuggestedSong {
  return {
    id: maybe.id(row, 'id', 'docid') ?? '',
    mid: maybe.text(row, 'mid') ?? '',
    name: needText(row, 'name'),
    singer: textOf(row, 'singer')
  }
}
