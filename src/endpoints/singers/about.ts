/**
 * About a singer: description, followers, similar singers. The upstream sends basic fields and text in one call, the
 * text as XML inside the JSON. If that call omits the text, an old XML call has it. The flags must be the numbers 0 and
 * 1 under exactly these names (2026-09).
 */
import { XMLParser } from 'fast-xml-parser'
import {
  GetSimilarSingerQuery, GetSingerDescQuery, GetSingerStarNumQuery, SimilarSingers, SingerDesc, SingerStarNum,
  type SimilarSinger, type SingerFact
} from '../../../schemas/singers.ts'
import {
  Answer, codeMsgData, endpoint, httpsPicture, maybe, nameOf, need, needText, notFound, noteMissing, optional,
  pictureUrl, proseOf, textOf, upstreamEmpty, type ClassicCall, type MusicuCall, type UpstreamCall
} from '../kit.ts'
import { readCounted, readPart, type CountedRows } from '../shared/pages.ts'
import { singerPage, unknownSinger } from './works.ts'

interface Wiki { readonly desc: string, readonly basic: SingerFact[] }

/** What the newer call says. `complete`: everything was requested, so no text means little text anywhere. */
interface Card {
  readonly complete: boolean
  readonly name: string
  readonly picture: string | undefined
  readonly desc: string
  readonly foreignName: string
  readonly birthday: string
}

/** Everything found about a singer. Without a card there is only the text. */
interface Known { readonly card?: Card, readonly wiki: Wiki }

const fullCardOf = (singermid: string): MusicuCall<Known> => ({
  name: 'singer.detail',
  request: {
    module: 'music.musichallSinger.SingerInfoInter',
    method: 'GetSingerDetail',
    param: { singer_mids: [singermid], ex_singer: 1, wiki_singer: 1, group_singer: 1, pic: 1, photos: 0 }
  },
  codes: unknownSinger,
  read: (answer) => readCard(answer, singermid, true)
})

/** Name and picture only. One client got code 10006 whenever it sent the other flags (2026-08). */
const nameCardOf = (singermid: string): MusicuCall<Known> => ({
  name: 'singer.detail.basic',
  request: {
    module: 'music.musichallSinger.SingerInfoInter',
    method: 'GetSingerDetail',
    param: { singer_mids: [singermid], pic: 1 }
  },
  codes: unknownSinger,
  read: (answer) => readCard(answer, singermid, false)
})

const wikiOf = (singermid: string): ClassicCall<Wiki> => ({
  name: 'singer.desc.classic',
  request: {
    path: '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg',
    query: { singermid, utf8: 1, outCharset: 'utf-8', format: 'xml', r: Date.now() },
    as: 'text'
  },
  read: (answer) => readWikiPage(answer, singermid)
})

/** The full card first. A refusal may be about its flags, so the short card follows, then the old text alone. */
const knownOf = (singermid: string): UpstreamCall<Known>[] => [
  fullCardOf(singermid),
  { ...nameCardOf(singermid), after: ({ code }) => code === 'UPSTREAM_REFUSED' },
  {
    ...wikiOf(singermid),
    read (answer) {
      const wiki = readWikiPage(answer, singermid)
      if (!hasText(wiki)) throw upstreamEmpty(answer.call, 'a description')
      return { wiki }
    }
  }
]

function readCard (answer: Answer, singermid: string, complete: boolean): Known {
  const [singer] = need.list(answer, 'singer_list', (row) => row)
  const basic = singer === undefined ? undefined : maybe.at(singer, 'basic_info')
  if (singer === undefined || basic === undefined || maybe.text(basic, 'singer_mid') === undefined) {
    throw notFound(answer.call, `The singer ${singermid}`)
  }
  const xml = maybe.text(singer, 'wiki')
  return {
    card: {
      complete,
      name: needText(basic, 'name'),
      picture: maybe.text(singer, 'pic.pic'),
      desc: proseOf(singer, 'ex_info.desc'),
      foreignName: textOf(singer, 'ex_info.foreign_name'),
      birthday: maybe.text(singer, 'ex_info.birthday') ?? ''
    },
    wiki: xml === undefined ? { desc: '', basic: [] } : readWiki(maybe.at(xmlOf(answer, xml), 'info'))
  }
}

/** Reads the old call, whose entry may be inside XML comment marks. An unknown singer has a code other than 0. */
function readWikiPage (answer: Answer, singermid: string): Wiki {
  const page = need.at(xmlOf(answer, need.text(answer, '')), 'result')
  if (need.int(page, 'code') !== 0) throw notFound(answer.call, `The singer ${singermid}`)
  return readWiki(maybe.at(page, 'data.info'))
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  isArray: (name) => name === 'item'
})

/** Maximum length of the XML, in characters. The parser would take a second for four megabytes. */
const longestXml = 128 * 1024

/** Parses XML. Malformed or overlong text becomes an empty object, in which the readers miss the fields they need. */
function xmlOf (answer: Answer, xml: string): Answer {
  if (xml.length > longestXml) return new Answer({}, answer.call, answer.observer)
  try {
    return new Answer(parser.parse(xml.replaceAll(/<!--|-->/g, '')), answer.call, answer.observer)
  } catch {
    return new Answer({}, answer.call, answer.observer)
  }
}

function readWiki (info: Answer | undefined): Wiki {
  if (info === undefined) return { desc: '', basic: [] }
  return {
    desc: proseOf(info, 'desc'),
    basic: readPart(info, ['basic.item'], (item) =>
      ({ key: needText(item, 'key'), value: proseOf(item, 'value') })).rows
  }
}

/** Keys of the facts, best first. People are born, groups are founded (those two keys are guesses). */
const keys = {
  birth: ['生日', '出生日期'],
  founded: ['成立日期'],
  place: ['出生地', '出生地点', '成立地点'],
  foreignName: ['外文名'],
  name: ['中文名']
} as const

function composeDesc (singermid: string, card: Card | undefined, wiki: Wiki, imageOrigin: string): SingerDesc {
  const fact = (names: readonly string[]): string =>
    names.map((name) => wiki.basic.find(({ key }) => key === name)?.value ?? '').find((value) => value !== '') ?? ''
  return {
    desc: wiki.desc || card?.desc || '',
    birth: fact(keys.birth) || card?.birthday || fact(keys.founded),
    birthPlace: fact(keys.place),
    singerMID: singermid,
    singerName: card?.name ?? fact(keys.name),
    singerPic: card?.picture === undefined ? pictureUrl(imageOrigin, 'singer', singermid) : httpsPicture(card.picture),
    foreignName: fact(keys.foreignName) || card?.foreignName || '',
    basic: wiki.basic
  }
}

const hasText = ({ desc, basic }: Wiki): boolean => desc !== '' || basic.length > 0

export const getSingerDesc = endpoint({
  method: 'GET',
  path: '/getSingerDesc',
  tag: 'singers',
  summary: 'Description of a singer, with birth and birthplace',
  summaryInChinese: '歌手简介、生日和出生地',
  description: 'Texts are the upstream\'s, in its language and formats; nothing is reformatted. desc, birth and birthPlace are "" if the upstream has nothing, which is common for little-known singers. basic lists all facts.',
  example: { singermid: '00DemoSing0003' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid })),
  input: GetSingerDescQuery,
  record: SingerDesc,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ singermid }, context) {
    const { upstream, imageOrigin } = context
    const { card, wiki } = await upstream.firstOf(knownOf(singermid))
    if (card === undefined || card.desc !== '' || hasText(wiki)) return composeDesc(singermid, card, wiki, imageOrigin)

    // A singer without any text is described by name and picture.
    const old = await optional(upstream.send(wikiOf(singermid)), (error) =>
      error.code === 'NOT_FOUND' || (card.complete && noteMissing(context, error, 'no description of a singer from the old call')))
    return composeDesc(singermid, card, old ?? wiki, imageOrigin)
  }
})

// The followers of a singer: the singer's page (2026), a classic call (2019), the phone program's home page.

type Fans = Pick<SingerStarNum, 'num' | 'status'>

const followersOf = (singermid: string): ClassicCall<Fans> => ({
  name: 'singer.fans.classic',
  request: {
    path: '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg',
    query: { singermid, utf8: 1, format: 'json', inCharset: 'utf8', outCharset: 'utf-8', rnd: Date.now() }
  },
  // Reads the followers. An unknown singer has none either, so another call must confirm a 0.
  read (answer) {
    const num = need.int(answer, 'num')
    if (num === 0) throw upstreamEmpty(answer.call, 'a number of followers')
    return { num, status: maybe.int(answer, 'status') ?? 0 }
  }
})

const pageFansOf = (singermid: string): MusicuCall<Fans> =>
  singerPage('singer.fans.page', singermid, 0, 1, (data) => ({ num: need.int(data, 'singer_info.fans'), status: 0 }))

/** With the web's `comm` the response is an empty shell. */
const homepageOf = (SingerMid: string): MusicuCall<Fans> => ({
  name: 'singer.homepage',
  request: { module: 'music.UnifiedHomepage.UnifiedHomepageSrv', method: 'GetHomepageHeader', param: { SingerMid }, comm: 'mobile' },
  read (answer) {
    const info = need.at(answer, 'Info')
    if (maybe.text(info, 'Singer.SingerMid') === undefined) throw upstreamEmpty(answer.call, 'a singer')
    return { num: need.int(info, 'FansNum.Num'), status: maybe.int(info, 'IsFollowed') ?? 0 }
  }
})

/** The page (used in 2026) comes first, but only the older call says whether the account follows the singer. */
function chainOf (singermid: string, loggedIn: boolean): UpstreamCall<Fans>[] {
  const calls = [pageFansOf(singermid), followersOf(singermid)]
  return [...(loggedIn ? calls.reverse() : calls), homepageOf(singermid)]
}

export const getSingerStarNum = endpoint({
  method: 'GET',
  path: '/getSingerStarNum',
  tag: 'singers',
  summary: 'Number of followers of a singer',
  summaryInChinese: '歌手的关注人数',
  description: 'The upstream counts differently in different places, so the number may change by more than the real followers.',
  example: { singermid: '00DemoSing0001' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid })),
  input: GetSingerStarNumQuery,
  record: SingerStarNum,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid }, { upstream }) {
    return { singermid, ...await upstream.firstOf(chainOf(singermid, upstream.loggedIn)) }
  }
})

// Singers similar to another one. Upstream recorded 2026-08-06; the classic call is known from responses of 2019.

const count = 10

const similarTo = (singerMid: string, imageOrigin: string): MusicuCall<CountedRows<SimilarSinger>> => ({
  name: 'singer.similar',
  request: { module: 'music.SimilarSingerSvr', method: 'GetSimilarSingerList', param: { singerMid, number: count } },
  codes: unknownSinger,
  // The data contains a second code. The list is null if there are no similar singers.
  read (answer) {
    if (need.int(answer, 'code') !== 0) throw upstreamEmpty(answer.call, 'similar singers')
    return readCounted(answer, ['singerlist'], (row) => readSinger(row, imageOrigin))
  }
})

const classicSimilarTo = (singer_mid: string, imageOrigin: string): ClassicCall<CountedRows<SimilarSinger>> => ({
  name: 'singer.similar.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_simsinger.fcg',
    query: { singer_mid, start: 0, num: count, utf8: 1, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' }
  },
  optionalFields: ['singers.items[].singerPic'],
  read: (answer) => readCounted(need.at(answer, 'singers'), ['items'], (row) => readSinger(row, imageOrigin))
})

/** The host of the classic call's pictures no longer exists, so their URLs are built from the MID. */
function readSinger (row: Answer, imageOrigin: string): SimilarSinger {
  const singerMID = need.text(row, 'singerMid', 'mid')
  const picture = maybe.text(row, 'singerPic')
  return {
    singerName: nameOf(row, 'singerName', 'name'),
    singerMID,
    singerPic: picture === undefined ? pictureUrl(imageOrigin, 'singer', singerMID) : httpsPicture(picture),
    singerId: maybe.int(row, 'singerId', 'id') ?? 0
  }
}

export const getSimilarSinger = endpoint({
  method: 'GET',
  path: '/getSimilarSinger',
  tag: 'singers',
  summary: 'Similar singers',
  summaryInChinese: '相似歌手',
  description: 'At most ten, without pages.',
  example: { singermid: '00DemoSing0001' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid })),
  input: GetSimilarSingerQuery,
  record: SimilarSingers,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid }, { upstream, imageOrigin }) {
    const { rows, skipped } = await upstream.firstOf([
      similarTo(singermid, imageOrigin),
      classicSimilarTo(singermid, imageOrigin)
    ])
    return { singers: rows, skipped }
  }
})
