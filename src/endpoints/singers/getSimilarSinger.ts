/** Singers similar to another one. Upstream recorded 2026-08-06; the classic call is known from responses of 2019. */
import {
  codeMsgData, endpoint, httpsPicture, maybe, nameOf, need, pictureUrl, upstreamEmpty, type Answer, type ClassicCall,
  type MusicuCall
} from '../kit.ts'
import { GetSimilarSingerQuery, SimilarSingers, type SimilarSinger } from '../../../schemas/singers.ts'
import { readCounted, type CountedRows } from '../shared/pages.ts'
import { unknownSinger } from './singer.ts'

/** Maximum rows of the old call. */
const count = 10

const similarTo = (singerMid: string, imageOrigin: string): MusicuCall<CountedRows<SimilarSinger>> => ({
  name: 'singer.similar',
  request: { module: 'music.SimilarSingerSvr', method: 'GetSimilarSingerList', param: { singerMid, number: count } },
  codes: unknownSinger,
  read: (answer) => readSimilar(answer, imageOrigin)
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

/** The data contains a second code. The list is null if there are no similar singers. */
function readSimilar (answer: Answer, imageOrigin: string): CountedRows<SimilarSinger> {
  if (need.int(answer, 'code') !== 0) throw upstreamEmpty(answer.call, 'similar singers')
  return readCounted(answer, ['singerlist'], (row) => readSinger(row, imageOrigin))
}

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
