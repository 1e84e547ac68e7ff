/**
 * The ticket shop, closed since 2019. Only the outline of its response was ever published (2019-06). A refusal means
 * that nothing is for sale, which is not an error.
 */
import { GetTicketInfoQuery, TicketInfo } from '../../../schemas/discover.ts'
import {
  UpstreamError, endpoint, maybe, response, type Answer, type MusicuCall, type Settled
} from '../kit.ts'

type UnknownRow = Record<string, unknown>
type Shop = Omit<TicketInfo, 'tags'>

const knownIssue = { verdict: 'retired', note: 'the ticket shop is dead; its endpoint answers empty lists', since: '2019' } as const

const shop: MusicuCall<Shop> = {
  name: 'tickets',
  request: { module: 'mall.ticket_index_page_svr', method: 'GetTicketIndexPage', param: { city_id: -1 } },
  knownIssue,
  read: readShop
}

const showTypes: MusicuCall<UnknownRow> = {
  name: 'tickets.types',
  request: { module: 'mall.ticket_index_page_svr', method: 'GetShowTypeList', param: {} },
  knownIssue,
  read: (answer) => openRow(maybe.at(answer, '')) ?? {}
}

function readShop (answer: Answer): Shop {
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
    const [found, types] = await upstream.sendAll([shop, showTypes])
    const closed: Shop = { cities: [], hotCities: [], banners: [], classes: [], shows: [], timestamp: 0 }
    return { ...openOr(found, closed), tags: openOr(types, {}) }
  }
})
