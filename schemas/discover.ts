/** Pictures, digital albums, radio stations, the home page, tickets. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, findable, limit, pageFromOne, ref, skippedInAll, wordOf } from './common.ts'
import { NewAlbum, PlaylistSummary } from './playlists.ts'
import { Song } from './song.ts'

const imageSizes = ['90x90', '150x150', '180x180', '300x300', '500x500', '800x800', '1200x1200', '1500x1500'] as const

export const GetImageUrlQuery = Type.Object({
  id: Type.String({
    ...findable,
    pattern: '^[A-Za-z0-9_]{1,64}$',
    'x-allowed': '1 to 64 letters, digits or underscores',
    description: 'Id of the picture: the MID of an album or singer, or the pmid of an album.'
  }),
  size: defaulted(wordOf(imageSizes, { description: 'Width and height in pixels. Not every picture exists in the two largest.' }), '300x300'),
  maxAge: defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      description: 'How long a cache may store the picture, in seconds.'
    }),
    2_592_000
  ),
  type: defaulted(
    wordOf(['album', 'singer', 'playlist', 'song'], { description: 'Type of the id. song: the picture of a song without album.' }),
    'album'
  )
})

export const ImageUrl = Type.Object({
  imageUrl: Type.String({ description: 'Address of the picture. It is built without an upstream call, so the picture may not exist.' })
}, { $id: 'ImageUrl', description: 'Address of a picture.' })

export const CoverQuery = Type.Object({
  id: Type.String({
    ...findable,
    pattern: '^[A-Za-z0-9_]{1,64}$',
    'x-allowed': '1 to 64 letters, digits or underscores',
    description:
      'Id of the picture: the MID of an album or singer, the pmid of an album, or the name of a picture in an address of the provider, such as T002R300x300M000 and a MID.'
  }),
  size: defaulted(wordOf(imageSizes, { description: 'Width and height in pixels. Not every picture exists in the two largest.' }), '300x300'),
  type: defaulted(
    wordOf(['album', 'singer', 'playlist', 'song'], {
      description: 'Type of the id; not needed for the name of a picture. song: the picture of a song without album.'
    }),
    'album'
  )
})

export const Cover = Type.Object({
  url: Type.String({ description: 'Address of the picture. It is built without an upstream call, so the picture may not exist.' })
}, { $id: 'Cover', description: 'Address of a cover.' })

export type Cover = Static<typeof Cover>

export const GetDigitalAlbumListsQuery = Type.Object({
  limit: limit(20),
  page: pageFromOne()
})

export const DigitalAlbum = Type.Object({
  album_id: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  album_mid: Type.String({ description: 'MID of the album, the albummid of /getAlbumInfo; "" when unknown.' }),
  album_name: Type.String({ description: 'Name.' }),
  singer_id: Type.Integer({ description: 'Number of the singer; 0 when unknown.' }),
  singer_mid: Type.String({ description: 'MID of the singer; "" when unknown.' }),
  singer_name: Type.String({ description: 'Singers, as one text.' }),
  price: Type.Integer({ description: 'Price in hundredths of a yuan: 1500 is 15.00.' }),
  dis_price: Type.Integer({ description: 'Current price, in hundredths of a yuan; the same as price without a discount.' }),
  publictime: Type.Integer({ description: 'Publication, Unix seconds; 0 when unknown.' }),
  salecount: Type.Integer({ description: 'Number sold; 0 when unknown.' }),
  company_name: Type.String({ description: 'Record company; "" when unknown.' }),
  intro: Type.String({ description: 'One line about it; "" when there is none.' }),
  buypage: Type.String({ description: 'Address of the provider\'s page that sells it; "" when unknown.' }),
  albumPic: Type.String({ description: 'Address of its picture; "" when unknown.' }),
  group: Type.String({ description: 'First section of the shop with this album; "" when unknown.' })
}, { $id: 'DigitalAlbum', description: 'An album for sale as a download.' })

export const DigitalAlbumBanner = Type.Object({
  album_id: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  album_name: Type.String({ description: 'Name.' }),
  picurl: Type.String({ description: 'Address of the picture.' }),
  jumpurl: Type.String({ description: 'Address of the provider\'s page that sells it; "" when unknown.' }),
  price: Type.Integer({ description: 'Price in hundredths of a yuan.' }),
  intro: Type.String({ description: 'One line about it; "" when there is none.' })
}, { $id: 'DigitalAlbumBanner', description: 'An album at the top of the shop.' })

export const DigitalAlbums = Type.Object({
  total: Type.Integer({ description: 'Number of albums in all.' }),
  albums: Type.Array(ref(DigitalAlbum), { description: 'Albums of the page, in the order of the sections; no album twice.' }),
  skipped: skippedInAll,
  banner: Type.Array(ref(DigitalAlbumBanner), { description: 'Albums at the top of the shop, the same on every page.' })
}, { $id: 'DigitalAlbums', description: 'One page of the albums for sale.' })

export const GetRadioListsQuery = Type.Object({})

export const Radio = Type.Object({
  radioId: Type.Integer({ description: 'Number of the station. 99 is the personal one, 199 hot songs, 101 new songs.' }),
  radioName: Type.String({ description: 'Name.' }),
  radioImg: Type.String({ description: 'Address of its picture; "" when there is none.' }),
  listenNum: Type.Integer({ description: 'Number of listeners; 0 when unknown.' })
}, { $id: 'Radio', description: 'A radio station.' })

export const RadioGroup = Type.Object({
  name: Type.String({ description: 'Name of the group.' }),
  radios: Type.Array(ref(Radio), { description: 'Stations; never empty.' })
}, { $id: 'RadioGroup', description: 'Some radio stations.' })

export const Radios = Type.Object({
  groups: Type.Array(ref(RadioGroup), { description: 'Groups with their stations.' }),
  skipped: skippedInAll
}, { $id: 'Radios', description: 'All radio stations.' })

export const GetRecommendQuery = Type.Object({})

export const FocusPicture = Type.Object({
  id: Type.Integer({ description: 'Number of the picture; 0 when unknown.' }),
  type: Type.Integer({ description: 'Type of the target: 10002 an album, 10014 a playlist, 10005 a chart, others a page; 0 when unknown.' }),
  title: Type.String({ description: 'Title; "" when there is none.' }),
  subTitle: Type.String({ description: 'Subtitle; "" when there is none.' }),
  picUrl: Type.String({ description: 'Address of the picture.' }),
  jumpUrl: Type.String({ description: 'The target: the MID of the album for type 10002, otherwise usually an address; "" when unknown.' })
}, { $id: 'FocusPicture', description: 'A picture at the top of the home page.' })

export const HotCategory = Type.Object({
  id: Type.Integer({ description: 'Number of the category, the categoryId of /getSongLists.' }),
  name: Type.String({ description: 'Name.' })
}, { $id: 'HotCategory', description: 'A category of playlists on the home page.' })

export const HomeChart = Type.Object({
  id: Type.Integer({ description: 'Chart id, the topId of /getRanks.' }),
  name: Type.String({ description: 'Chart name.' }),
  picUrl: Type.String({ description: 'Address of its picture; "" when there is none.' }),
  period: Type.String({ description: 'Issue: a day (YYYY-MM-DD) or a week (YYYY_W); "" when unknown.' })
}, { $id: 'HomeChart', description: 'A chart on the home page.' })

const part = 'Empty when the upstream does not give this part.'

export const Recommend = Type.Object({
  focus: Type.Array(ref(FocusPicture), { description: `Pictures at the top. ${part}` }),
  categories: Type.Array(ref(HotCategory), { description: `Categories of these playlists. ${part}` }),
  recomPlaylists: Type.Array(ref(PlaylistSummary), { description: 'Playlists that the upstream recommends; those of the playlist square if it recommends none. Empty when it gives neither.' }),
  playlists: Type.Array(ref(PlaylistSummary), { description: `Playlists of the playlist square, the same for everybody. ${part}` }),
  newSongs: Type.Array(ref(Song), { description: `New songs. ${part}` }),
  newAlbums: Type.Array(ref(NewAlbum), { description: `New albums, ten at most. ${part}` }),
  toplists: Type.Array(ref(HomeChart), { description: `Charts. ${part}` }),
  skipped: Type.Integer({ description: 'Number of playlists, new songs, new albums and charts that are left out: empty rows, and ones that cannot be read. Usually 0.' })
}, { $id: 'Recommend', description: 'The parts of the home page.' })

export const GetTicketInfoQuery = Type.Object({})

const open = (description: string): ReturnType<typeof Type.Unsafe<Record<string, unknown>>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

const opens = (description: string): ReturnType<typeof Type.Unsafe<Record<string, unknown>[]>> =>
  Type.Unsafe<Record<string, unknown>[]>({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description
  })

export const TicketInfo = Type.Object({
  cities: opens('Cities with shows.'),
  hotCities: opens('Cities that many ask for.'),
  localCity: Type.Optional(open('The city that the upstream takes the relay to be in; absent when it names none.')),
  banners: opens('Pictures at the top.'),
  classes: opens('Kinds of shows.'),
  shows: opens('Shows.'),
  tags: open('Filters of shows.'),
  timestamp: Type.Integer({ description: 'The upstream\'s clock, Unix seconds; 0 when unknown.' })
}, {
  $id: 'TicketInfo',
  description:
    'The ticket shop. Its rows are returned as the upstream sends them, because they are not documented. The shop has been dead since 2019, so everything is empty.'
})

export type ImageUrl = Static<typeof ImageUrl>
export type DigitalAlbum = Static<typeof DigitalAlbum>
export type DigitalAlbums = Static<typeof DigitalAlbums>
export type Radios = Static<typeof Radios>
export type RadioGroup = Static<typeof RadioGroup>
export type FocusPicture = Static<typeof FocusPicture>
export type HotCategory = Static<typeof HotCategory>
export type HomeChart = Static<typeof HomeChart>
export type Recommend = Static<typeof Recommend>
export type TicketInfo = Static<typeof TicketInfo>
export type Radio = Static<typeof Radio>
