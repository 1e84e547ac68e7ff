/**
 * Albums for sale. The upstream sends the whole shop in sections, which repeat albums. Response shape of 2019; still
 * answered 2026-09.
 */
import { offsetFromOne } from '../../../schemas/common.ts'
import { DigitalAlbums, GetDigitalAlbumListsQuery, type DigitalAlbum } from '../../../schemas/discover.ts'
import {
  addressOf, endpoint, maybe, nameOfKnown, need, pictureOf, pictureUrl, proseOf, response, someRows, textOf, uniqueBy,
  type Answer, type ClassicCall
} from '../kit.ts'
import { readCounted, together } from '../shared/pages.ts'

type Shop = Omit<DigitalAlbums, 'total'>

const shopOf = (imageOrigin: string): ClassicCall<Shop> => ({
  name: 'albums.digital',
  request: { path: '/v8/fcg-bin/musicmall.fcg', query: { cmd: 'pc_index_new', format: 'json', outCharset: 'utf-8' } },
  read: (answer) => readShop(answer, imageOrigin)
})

function readShop (answer: Answer, imageOrigin: string): Shop {
  const sections = need.list(answer, 'data.content', (section) => {
    const group = textOf(section, 'name', 'title')
    return readCounted(section, ['albumlist'], (album) => readAlbum(album, group, imageOrigin))
  })
  const { rows, skipped } = together(sections)
  const banner = maybe.list(answer, 'data.banner', (album) => ({
    album_id: maybe.int(album, 'album_id') ?? 0,
    album_name: nameOfKnown(album, [maybe.int(album, 'album_id') ?? 0], 'album_name'),
    picurl: pictureOf(album, 'picurl'),
    jumpurl: addressOf(album, 'jumpurl'),
    price: maybe.int(album, 'price') ?? 0,
    intro: proseOf(album, 'intro')
  }))
  return {
    albums: uniqueBy(
      someRows(answer, 'albums for sale', rows),
      ({ album_mid, album_id }) => album_mid === '' ? album_id : album_mid
    ),
    skipped,
    banner
  }
}

function readAlbum (album: Answer, group: string, imageOrigin: string): DigitalAlbum {
  const mid = maybe.text(album, 'album_mid') ?? ''
  const price = maybe.int(album, 'price') ?? 0
  const id = maybe.int(album, 'album_id') ?? 0
  return {
    album_id: id,
    album_mid: mid,
    album_name: nameOfKnown(album, [id, mid], 'album_name'),
    singer_id: maybe.int(album, 'singer_id') ?? 0,
    singer_mid: maybe.text(album, 'singer_mid') ?? '',
    singer_name: textOf(album, 'singer_name'),
    price,
    dis_price: maybe.int(album, 'dis_price') ?? price,
    publictime: maybe.int(album, 'publictime') ?? 0,
    salecount: maybe.int(album, 'salecount') ?? 0,
    company_name: textOf(album, 'company_name'),
    intro: proseOf(album, 'intro'),
    buypage: addressOf(album, 'buypage'),
    albumPic: mid === '' ? '' : pictureUrl(imageOrigin, 'album', mid),
    group
  }
}

export const getDigitalAlbumLists = endpoint({
  method: 'GET',
  path: '/getDigitalAlbumLists',
  tag: 'discover',
  summary: 'Albums for sale as downloads',
  summaryInChinese: '数字专辑',
  description: 'All sections of the shop in one list without duplicates; group is the first section of an album. Prices are in hundredths of a yuan.',
  example: { limit: 3 },
  probe: () => [{ limit: 1 }],
  input: GetDigitalAlbumListsQuery,
  record: DigitalAlbums,
  envelope: response,
  cache: 'slow',

  async run ({ limit, page }, { upstream, imageOrigin }) {
    const { albums, ...rest } = await upstream.send(shopOf(imageOrigin))
    const offset = offsetFromOne(page, limit)
    return { total: albums.length, albums: albums.slice(offset, offset + limit), ...rest }
  }
})
