/** The shops. Albums for sale come in sections, which repeat albums. Shape of 2019; still answered 2026-09. */
import { offsetFromOne } from '../../../schemas/common.ts'
import {
  DigitalAlbums, GetDigitalAlbumListsQuery, GetTicketInfoQuery, TicketInfo, type DigitalAlbum
} from '../../../schemas/discover.ts'
import {
  UpstreamError, addressOf, endpoint, maybe, nameOfKnown, need, pictureOf, pictureUrl, proseOf, response, someRows,
  textOf, uniqueBy, type Answer, type ClassicCall, type MusicuCall, type Settled
} from '../kit.ts'
import { readGroups, readPart } from '../shared/pages.ts'

type Shop = Omit<DigitalAlbums, 'total'>

const shopOf = (imageOrigin: string): ClassicCall<Shop> => ({
  name: 'albums.digital',
  request: { path: '/v8/fcg-bin/musicmall.fcg', query: { cmd: 'pc_index_new', format: 'json', outCharset: 'utf-8' } },
  read (answer) {
    const { rows, skipped } = readGroups<DigitalAlbum>(
      (read) => need.list(answer, 'data.content', read),
      ['albumlist'],
      (album, section) => readAlbum(album, textOf(section, 'name', 'title'), imageOrigin)
    )
    const { rows: banner } = readPart(answer, ['data.banner'], (album) => ({
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
        ({ album_mid, album_id, album_name }) => album_mid || album_id || album_name
      ),
      skipped,
      banner
    }
  }
})

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

// The ticket shop, closed since 2019. Only an outline was published (2019-06). A refusal means: nothing for sale.

type UnknownRow = Record<string, unknown>
type Tickets = Omit<TicketInfo, 'tags'>

const knownIssue = { verdict: 'retired', note: 'the ticket shop is dead; its endpoint answers empty lists', since: '2019' } as const

const tickets: MusicuCall<Tickets> = {
  name: 'tickets',
  request: { module: 'mall.ticket_index_page_svr', method: 'GetTicketIndexPage', param: { city_id: -1 } },
  knownIssue,
  read (answer) {
    const rows = (path: string): UnknownRow[] => maybe.list(answer, path, openRow)
    const localCity = openRow(maybe.at(answer, 'local_city'))
    return {
      cities: rows('citys'),
      hotCities: rows('hot_city'),
      ...(localCity === undefined || Object.keys(localCity).length === 0 ? {} : { localCity }),
      banners: rows('banners'),
      classes: rows('classes'),
      shows: rows('more'),
      timestamp: maybe.int(answer, 'sys_timestamp') ?? 0
    }
  }
}

const showTypes: MusicuCall<UnknownRow> = {
  name: 'tickets.types',
  request: { module: 'mall.ticket_index_page_svr', method: 'GetShowTypeList', param: {} },
  knownIssue,
  read: (answer) => openRow(maybe.at(answer, '')) ?? {}
}

/** Fields that may identify a person or a location are removed at any depth. */
const privateName = /uin$|^encrypt_|^(?:.*_)?ip(?:v6)?$|^guid$|vkey$|^musicid$/i

/** Maximum depth of a row; deeper values are dropped. Real rows are not this deep. */
const deepest = 8

/** Returns a row as the upstream sends it, without private fields; undefined if it is not an object. */
function openRow (row: Answer | undefined): UnknownRow | undefined {
  const value = row?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? publicPart(value, 0) as UnknownRow
    : undefined
}

function publicPart (value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return undefined
  if (Array.isArray(value)) {
    return value.map((inner) => publicPart(inner, depth + 1)).filter((inner) => inner !== undefined)
  }
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) =>
    privateName.test(name) ? [] : [[name, publicPart(inner, depth + 1)]]
  ))
}

/** Returns the value, or `closed` if the upstream refused with a code about the shop. Throws every other error. */
function openOr<T> ({ value, error }: Settled<T>, closed: T): T {
  if (error === undefined) return value
  const isAboutShop = error instanceof UpstreamError && error.upstreamCode !== undefined
    && error.kind !== 'refused.cookie' && error.row.verdict !== 'risk-controlled'
  if (!isAboutShop) throw error
  return closed
}

export const getTicketInfo = endpoint({
  method: 'GET',
  path: '/getTicketInfo',
  tag: 'discover',
  summary: 'The ticket shop (dead since 2019)',
  summaryInChinese: '演出票务（2019 年起已失效）',
  description: 'The provider closed its ticket shop in 2019. All lists are empty, and the answer is a success. If the shop ever returns, the lists contain cities, shows and filters as the upstream sends them.',
  example: {},
  probe: () => [{}],
  input: GetTicketInfoQuery,
  record: TicketInfo,
  envelope: response,
  cache: 'charts',

  async run (_input, { upstream }) {
    const [found, types] = await upstream.sendAll([tickets, showTypes])
    const closed: Tickets = { cities: [], hotCities: [], banners: [], classes: [], shows: [], timestamp: 0 }
    return { ...openOr(found, closed), tags: openOr(types, {}) }
  }
})
