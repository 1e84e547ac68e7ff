/** Search, suggestions, trending searches. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, limit, nullable, numberOf, pageFromOne, ref, skipped, wordOf } from './common.ts'
import { Song } from './song.ts'

export const searchKey = (): ReturnType<typeof Type.String> =>
  Type.String({
    maxLength: 200,
    pattern: '\\S',
    'x-allowed': 'a text of 1 to 200 characters that is not blank',
    description: 'Search words: 1 to 200 characters.'
  })

export const GetSearchByKeyQuery = Type.Object({
  key: searchKey(),
  limit: limit(10),
  page: pageFromOne(),
  catZhida: defaulted(numberOf([0, 1], { description: '1 adds zhida, the direct hit; 0 omits it. The three lists are the same.' }), 1)
})

export const FoundSinger = Type.Object({
  singerID: Type.Integer({ description: 'Number of the singer; 0 when unknown.' }),
  singerMID: Type.String({ description: 'MID of the singer; "" when unknown.' }),
  singerName: Type.String({ description: 'Name.' }),
  singerPic: Type.String({ description: 'Address of a picture; "" when there is none.' }),
  songNum: Type.Integer({ description: 'Number of songs; 0 when unknown.' }),
  albumNum: Type.Integer({ description: 'Number of albums; 0 when unknown.' }),
  mvNum: Type.Integer({ description: 'Number of MVs; 0 when unknown.' })
}, { $id: 'FoundSinger', description: 'A singer that a search found.' })

export const FoundAlbum = Type.Object({
  albumID: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  albumMID: Type.String({ description: 'MID of the album; "" when unknown.' }),
  albumName: Type.String({ description: 'Name.' }),
  albumPic: Type.String({ description: 'Address of its picture; "" when there is none.' }),
  publicTime: Type.String({ description: 'Day of publication, YYYY-MM-DD; "" when unknown.' }),
  singerID: Type.Integer({ description: 'Number of its first singer; 0 when unknown.' }),
  singerMID: Type.String({ description: 'MID of its first singer; "" when unknown.' }),
  singerName: Type.String({ description: 'Its singers, joined by "/".' }),
  song_count: Type.Integer({ description: 'Number of songs; 0 when unknown.' })
}, { $id: 'FoundAlbum', description: 'An album that a search found.' })

const counts = (
  what: string
): Readonly<Record<'curnum' | 'curpage' | 'totalnum' | 'skipped', ReturnType<typeof Type.Integer>>> => ({
  curnum: Type.Integer({ description: `Number of ${what} on this page.` }),
  curpage: Type.Integer({ description: 'Page, counted from 1.' }),
  totalnum: Type.Integer({ description: `Number of ${what} as the upstream reports it; it may send fewer.` }),
  skipped
})

export const DirectHit = nullable(Type.Object({
  type: wordOf(['singer', 'album'], { description: 'Type of the direct hit.' }),
  singer: Type.Optional(ref(FoundSinger)),
  album: Type.Optional(ref(FoundAlbum))
}, { $id: 'DirectHit', description: 'The singer or album that the words name exactly, or null.' }))

export const SearchResult = Type.Object({
  keyword: Type.String({ description: 'The search words.' }),
  song: Type.Object({ list: Type.Array(ref(Song), { description: 'Songs, best first.' }), ...counts('songs') }, {
    description: 'Songs found.'
  }),
  singer: Type.Object({
    list: Type.Array(ref(FoundSinger), { description: 'Singers, best first.' }),
    ...counts('singers')
  }, { description: 'Singers found.' }),
  album: Type.Object(
    { list: Type.Array(ref(FoundAlbum), { description: 'Albums, best first.' }), ...counts('albums') },
    { description: 'Albums found.' }
  ),
  zhida: Type.Optional(ref(DirectHit))
}, { $id: 'SearchResult', description: 'One page of songs, singers and albums.' })

export const GetSmartboxQuery = Type.Object({ key: searchKey() })

const suggested = {
  id: Type.String({ description: 'Number as text.' }),
  mid: Type.String({ description: 'MID; "" when unknown.' }),
  name: Type.String({ description: 'Name or title.' }),
  singer: Type.String({ description: 'Singers, as one text; "" when unknown.' })
}
const pic = { pic: Type.String({ description: 'Address of a picture; "" when there is none.' }) }

export const SuggestedSong = Type.Object(suggested, {
  $id: 'SuggestedSong',
  description: 'A song that may match the words.'
})
export const SuggestedSinger = Type.Object({ ...suggested, ...pic }, {
  $id: 'SuggestedSinger',
  description: 'A singer that may match the words.'
})
export const SuggestedAlbum = Type.Object({ ...suggested, ...pic }, {
  $id: 'SuggestedAlbum',
  description: 'An album that may match the words.'
})

export const Smartbox = Type.Object({
  result: Type.Object({
    songList: Type.Array(ref(SuggestedSong), { description: 'Songs, usually up to four.' }),
    singerList: Type.Array(ref(SuggestedSinger), { description: 'Singers, usually up to two.' }),
    albumList: Type.Array(ref(SuggestedAlbum), { description: 'Albums, usually up to two.' })
  }, { description: 'Possible matches.' }),
  skipped
}, { $id: 'Smartbox', description: 'Suggestions while typing.' })

export const GetHotkeyQuery = Type.Object({})

export const Hotkey = Type.Object({
  k: Type.String({ description: 'Keyword.' }),
  n: Type.Integer({ description: 'Heat; 0 when unknown.' })
}, { $id: 'Hotkey', description: 'A trending keyword.' })

export const Hotkeys = Type.Object({
  hotkey: Type.Array(ref(Hotkey), { description: 'Keywords, hottest first.' }),
  skipped
}, { $id: 'Hotkeys', description: 'Trending searches.' })

export type SearchResult = Static<typeof SearchResult>
export type FoundSinger = Static<typeof FoundSinger>
export type FoundAlbum = Static<typeof FoundAlbum>
export type DirectHit = Static<typeof DirectHit>
export type Smartbox = Static<typeof Smartbox>
export type SuggestedSong = Static<typeof SuggestedSong>
export type Hotkey = Static<typeof Hotkey>
export type Hotkeys = Static<typeof Hotkeys>
