/** Singers: lists, descriptions, songs, albums, MVs, similar ones, popularity. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, limit, mid, numberOf, pageFromOne, ref, skipped, wordOf } from './common.ts'
import { Song } from './song.ts'

/** Public numbers of the filters. Numbers that only the upstream uses (200, 7, 19 …) are accepted as well. */
const areas = [-1, 1, 2, 3, 4, 5, 6, 200, -100] as const
const sexes = [-1, 0, 1, 2, 3, -100] as const
const genres = [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 19, 20, 25, 33, 37, 93, -100] as const

export const GetSingerListQuery = Type.Object({
  area: defaulted(
    numberOf(areas, {
      description:
        'Area: -1 all, 1 mainland China, 2 other Chinese-language (Hong Kong, Taiwan), 3 Western, 4 Korea, 5 Japan, 6 other. The upstream\'s own 200 (= 1) and -100 (= -1) are accepted.'
    }),
    -1
  ),
  sex: defaulted(numberOf(sexes, { description: '-1 all, 1 male, 2 female, 3 group. 0 (= 1) and -100 (= -1) are accepted.' }), -1),
  genre: defaulted(
    numberOf(genres, {
      description:
        '-1 all, 1 pop, 2 rock, 3 folk, 4 electronic, 5 jazz, 6 hip-hop, 8 R&B, 9 light music, 10 ethnic, 14 classical, 19 Chinese style, 20 blues, 25 country. The upstream\'s own 7 (= 1), 11 (= 8), 13 (= 25), 33 (= 14), 37 (= 10), 93 (= 9) and -100 (= -1) are accepted.'
    }),
    -1
  ),
  page: pageFromOne(),
  limit: limit(80)
})

const singerName = Type.String({ description: 'Name.' })
const singerMID = Type.String({ description: 'MID of the singer.' })
const singerPic = Type.String({ description: 'Address of a picture.' })
const singerId = Type.Integer({ description: 'Number of the singer; 0 when unknown.' })

export const ListedSinger = Type.Object({
  singerName,
  singerMID,
  singerPic,
  singerId,
  otherName: Type.String({ description: 'Name in another language; "" when there is none.' }),
  country: Type.String({ description: 'Country in the upstream\'s words; "" when unknown (usual).' }),
  concernNum: Type.Integer({ description: 'Number of followers; usually 0, because the list does not contain it (see /getSingerStarNum).' })
}, { $id: 'ListedSinger', description: 'A singer of the list.' })

export const SingerFilter = Type.Object({
  id: Type.Integer({ description: 'Number to give as the parameter.' }),
  name: Type.String({ description: 'What it means, in the upstream\'s words.' })
}, { $id: 'SingerFilter', description: 'One choice of a filter.' })

export const SingerList = Type.Object({
  singers: Type.Array(ref(ListedSinger), { description: 'Singers of the page, in the upstream\'s order.' }),
  total: Type.Integer({ description: 'Number of singers that match the filters.' }),
  page: Type.Integer({ description: 'The page, from 1.' }),
  limit: Type.Integer({ description: 'Rows per page.' }),
  tags: Type.Object({
    area: Type.Array(ref(SingerFilter), { description: 'Choices of area.' }),
    sex: Type.Array(ref(SingerFilter), { description: 'Choices of sex.' }),
    genre: Type.Array(ref(SingerFilter), { description: 'Choices of genre.' })
  }, { description: 'The filters as the upstream names them today, with the numbers of this endpoint; lists are empty when the upstream sends none.' }),
  skipped
}, { $id: 'SingerList', description: 'One page of singers.' })

export type SingerList = Static<typeof SingerList>
export type ListedSinger = Static<typeof ListedSinger>
export type SingerFilter = Static<typeof SingerFilter>

const SingerQuery = { singermid: mid('singer') }

export const GetSingerDescQuery = Type.Object(SingerQuery)

export const SingerFact = Type.Object({
  key: Type.String({ description: 'Label, in the upstream\'s words; labels differ per singer.' }),
  value: Type.String({ description: 'Free text.' })
}, { $id: 'SingerFact', description: 'One line of the facts about a singer.' })

export const SingerDesc = Type.Object({
  desc: Type.String({ description: 'Description, lines separated by newlines; "" when the upstream has no text.' }),
  birth: Type.String({ description: 'Day of birth (of a group: founding) as the upstream writes it, free text; "" when unknown.' }),
  birthPlace: Type.String({ description: 'Place of birth (of a group: founding), free text; "" when unknown.' }),
  singerMID,
  singerName: Type.String({ description: 'Name; "" if only the description was available.' }),
  singerPic,
  foreignName: Type.String({ description: 'Name in another language; "" when there is none.' }),
  basic: Type.Array(ref(SingerFact), { description: 'All facts, in the upstream\'s order.' })
}, { $id: 'SingerDesc', description: 'Details of a singer.' })

export type SingerDesc = Static<typeof SingerDesc>
export type SingerFact = Static<typeof SingerFact>

export const GetSingerHotsongQuery = Type.Object({ ...SingerQuery, limit: limit(20), page: pageFromOne() })

export const SingerSongs = Type.Object({
  singerMid: Type.String({ description: 'MID of the singer.' }),
  totalNum: Type.Integer({ description: 'Number of songs of the singer.' }),
  songList: Type.Array(ref(Song), { description: 'Songs of the page, most popular first.' }),
  skipped
}, { $id: 'SingerSongs', description: 'One page of the songs of a singer.' })

export type SingerSongs = Static<typeof SingerSongs>

export const GetSingerAlbumQuery = Type.Object({ ...SingerQuery, limit: limit(20), page: pageFromOne() })

export const SingerAlbum = Type.Object({
  albumID: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  albumMid: Type.String({ description: 'MID of the album.' }),
  albumName: Type.String({ description: 'Name.' }),
  albumTranName: Type.String({ description: 'Translated name; "" when there is none.' }),
  albumType: Type.String({ description: 'Kind (studio album, EP, single …) in the upstream\'s words; "" when unknown.' }),
  publishDate: Type.String({ description: 'Day of publication, YYYY-MM-DD; "" when unknown.' }),
  singerName: Type.String({ description: 'Singers as the upstream joins them; "" when unknown.' }),
  pmid: Type.String({ description: 'Id of the album picture, for /getImageUrl.' }),
  albumPic: Type.String({ description: 'Address of the album picture.' })
}, { $id: 'SingerAlbum', description: 'An album of a singer.' })

export const SingerAlbums = Type.Object({
  singerMid: Type.String({ description: 'MID of the singer.' }),
  total: Type.Integer({ description: 'Number of albums of the singer.' }),
  albumList: Type.Array(ref(SingerAlbum), { description: 'Albums of the page.' }),
  skipped
}, { $id: 'SingerAlbums', description: 'One page of the albums of a singer.' })

export type SingerAlbum = Static<typeof SingerAlbum>
export type SingerAlbums = Static<typeof SingerAlbums>

export const GetSingerMvQuery = Type.Object({
  ...SingerQuery,
  limit: limit(20),
  order: defaulted(wordOf(['time', 'listen'], { description: 'listen: most played first. time: newest first.' }), 'listen'),
  page: pageFromOne()
})

export const SingerMv = Type.Object({
  vid: Type.String({ description: 'vid of the MV, for /getMvPlay.' }),
  mvid: Type.Integer({ description: 'Number of the MV; 0 when unknown.' }),
  title: Type.String({ description: 'Title.' }),
  picurl: Type.String({ description: 'Address of a picture; "" when there is none.' }),
  duration: Type.Integer({ description: 'Length in seconds; 0 when unknown.' }),
  playcnt: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  pubdate: Type.Integer({ description: 'Publication, Unix seconds; 0 when unknown.' })
}, { $id: 'SingerMv', description: 'An MV of a singer.' })

export const SingerMvs = Type.Object({
  total: Type.Integer({ description: 'Number of MVs of the singer.' }),
  list: Type.Array(ref(SingerMv), { description: 'MVs of the page.' }),
  skipped
}, { $id: 'SingerMvs', description: 'One page of the MVs of a singer.' })

export type SingerMv = Static<typeof SingerMv>
export type SingerMvs = Static<typeof SingerMvs>

export const GetSimilarSingerQuery = Type.Object(SingerQuery)

export const SimilarSinger = Type.Object({ singerName, singerMID, singerPic, singerId }, {
  $id: 'SimilarSinger',
  description: 'A similar singer.'
})

export const SimilarSingers = Type.Object({
  singers: Type.Array(ref(SimilarSinger), { description: 'At most ten, most similar first; empty when the upstream knows none.' }),
  skipped
}, { $id: 'SimilarSingers', description: 'Similar singers.' })

export type SimilarSinger = Static<typeof SimilarSinger>
export type SimilarSingers = Static<typeof SimilarSingers>

export const GetSingerStarNumQuery = Type.Object(SingerQuery)

export const SingerStarNum = Type.Object({
  singermid: Type.String({ description: 'MID of the singer.' }),
  num: Type.Integer({ description: 'Number of followers.' }),
  status: Type.Integer({ description: '1 if the account of the cookie follows the singer, 0 if not or if unknown.' })
}, { $id: 'SingerStarNum', description: 'Popularity of a singer.' })

export type SingerStarNum = Static<typeof SingerStarNum>
