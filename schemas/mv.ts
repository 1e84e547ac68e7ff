/** MVs: lists, tags, play addresses. */
import { Type, type Static, type TArray, type TString } from '@sinclair/typebox'
import { defaulted, findable, limit, midPattern, pageFromOne, pageFromZero, ref, skipped, wordOf } from './common.ts'

export const GetMvQuery = Type.Object({
  area_id: defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Area: 15 all, 16 mainland China, 17 Hong Kong and Taiwan, 18 Western, 19 Korea, 20 Japan; the answer lists them. An unknown one has no MVs.'
    }),
    15
  ),
  version_id: defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Kind: 7 all, 8 MV, 9 live, 10 cover, 11 dance, 12 film and television, 13 variety show, 14 children; the answer lists them. An unknown one has no MVs.'
    }),
    7
  ),
  limit: limit(20),
  page: pageFromZero()
})

export const MvSinger = Type.Object({
  id: Type.Integer({ description: 'Number of the singer; 0 when unknown.' }),
  mid: Type.String({ description: 'MID of the singer; "" when unknown.' }),
  name: Type.String({ description: 'Name.' }),
  picurl: Type.String({ description: 'Address of a picture; "" when unknown.' })
}, { $id: 'MvSinger', description: 'A singer of an MV.' })

export const Mv = Type.Object({
  vid: Type.String({ description: 'vid of the MV, for /getMvPlay.' }),
  mvid: Type.Integer({ description: 'Number of the MV; 0 when unknown. /getMvPlay does not take it.' }),
  title: Type.String({ description: 'Title.' }),
  subtitle: Type.String({ description: 'Subtitle; "" when there is none.' }),
  singers: Type.Array(ref(MvSinger), { description: 'Singers, main one first.' }),
  picurl: Type.String({ description: 'Address of a picture; "" when there is none.' }),
  playcnt: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  pubdate: Type.Integer({ description: 'Publication, Unix seconds; 0 when unknown.' }),
  duration: Type.Integer({ description: 'Length in seconds; 0 when unknown.' })
}, { $id: 'Mv', description: 'An MV, without its files.' })

export const MvTag = Type.Object({
  id: Type.Integer({ description: 'Id.' }),
  name: Type.String({ description: 'Name, in Chinese.' })
}, { $id: 'MvTag', description: 'An area or a kind of MVs; id and name may both be the tag of /getMvByTag.' })

export const Mvs = Type.Object({
  total: Type.Integer({ description: 'Number of MVs; the upstream counts up to 1000.' }),
  list: Type.Array(ref(Mv), { description: 'MVs of the page, hottest first.' }),
  area: Type.Array(ref(MvTag), { description: 'Values of area_id; empty when the upstream does not send them.' }),
  version: Type.Array(ref(MvTag), { description: 'Values of version_id; empty when the upstream does not send them.' }),
  skipped
}, { $id: 'Mvs', description: 'One page of MVs of an area and a kind.' })

export const GetMvByTagQuery = Type.Object({
  tag: Type.String({
    maxLength: 64,
    pattern: '\\S',
    'x-allowed': 'a text of 1 to 64 characters that is not blank',
    description: 'What to list. A region: all, neidi, gangtai, oumei, korea or japan, or its Chinese or English name. Or id or name of an area or kind, as /getMv lists them. Any other word is a search term.'
  }),
  limit: limit(20),
  page: pageFromOne()
})

export const TaggedMvs = Type.Object({
  tag: Type.String({ description: 'The requested tag.' }),
  total: Type.Integer({ description: 'Number of MVs.' }),
  list: Type.Array(ref(Mv), { description: 'MVs of the page; empty when there are none.' }),
  skipped
}, { $id: 'TaggedMvs', description: 'One page of the MVs of a tag.' })

export const GetMvPlayQuery = Type.Object({
  vid: Type.String({
    ...findable,
    pattern: midPattern,
    'x-allowed': '1 to 32 letters, digits or underscores',
    description: 'vid of the MV: 1 to 32 letters, digits or underscores. The number of an MV is not a vid.'
  })
})

const group = (what: string): TArray<TString> =>
  Type.Array(Type.String(), { description: `${what}; empty when there is none.` })

export const MvPlayLists = Type.Object({
  f10: group('Addresses of the files in 360p'),
  f20: group('Addresses of the files in 480p'),
  f30: group('Addresses of the files in 720p'),
  f40: group('Addresses of the files in 1080p'),
  others: group('Addresses of the files in any other definition, or an unknown one')
}, { $id: 'MvPlayLists', description: 'Play addresses by definition: mp4 before hls, mirrors of one file together. No address is repeated.' })

export const MvFile = Type.Object({
  filetype: Type.Integer({ description: 'Definition: 10 = 360p, 20 = 480p, 30 = 720p, 40 = 1080p, higher = more; 0 when unknown.' }),
  type: wordOf(['mp4', 'hls'], { description: 'mp4: one file. hls: a playlist of pieces (m3u8).' }),
  format: Type.Integer({ description: 'Coding: 264 = H.264, 265 = HEVC; 0 when unknown.' }),
  fileSize: Type.Integer({ description: 'Bytes; 0 when unknown.' }),
  expire: Type.Integer({ description: 'How long the addresses are valid, in seconds; 0 when unknown.' }),
  url: Type.Array(Type.String(), { description: 'Mirrors of the file.' })
}, { $id: 'MvFile', description: 'A file of an MV.' })

export const MvInfo = Type.Object({
  vid: Type.String({ description: 'vid.' }),
  name: Type.String({ description: 'Title.' }),
  desc: Type.String({ description: 'Description, with newlines; "" when there is none.' }),
  cover_pic: Type.String({ description: 'Address of a picture; "" when there is none.' }),
  duration: Type.Integer({ description: 'Length in seconds; 0 when unknown.' }),
  singers: Type.Array(ref(MvSinger), { description: 'Singers, main one first.' }),
  playcnt: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  pubdate: Type.Integer({ description: 'Publication, Unix seconds; 0 when unknown.' })
}, { $id: 'MvInfo', description: 'Details of an MV.' })

const mvReasons = ['NO_COOKIE', 'PAID', 'NO_SUCH_QUALITY'] as const

export const MvPlay = Type.Object({
  vid: Type.String({ description: 'The requested vid.' }),
  playLists: ref(MvPlayLists),
  urls: Type.Array(ref(MvFile), { description: 'The same addresses by file, with details of each file.' }),
  mvinfo: Type.Optional(ref(MvInfo)),
  reason: Type.Optional(
    wordOf(mvReasons, {
      description:
        'Why there is no address; absent when there is one. NO_COOKIE: needs a login. PAID: not with this account. NO_SUCH_QUALITY: there is no file.'
    })
  ),
  hint: Type.Optional(Type.String({ description: 'The reason as a sentence.' }))
}, { $id: 'MvPlay', description: 'Play addresses of an MV. mvinfo is absent when the upstream does not give it.' })

export type Mv = Static<typeof Mv>
export type Mvs = Static<typeof Mvs>
export type MvTag = Static<typeof MvTag>
export type TaggedMvs = Static<typeof TaggedMvs>
export type MvPlay = Static<typeof MvPlay>
export type MvPlayLists = Static<typeof MvPlayLists>
export type MvFile = Static<typeof MvFile>
export type MvInfo = Static<typeof MvInfo>
