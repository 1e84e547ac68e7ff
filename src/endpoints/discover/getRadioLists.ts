/**
 * Radio stations. The gateway's response is known from clients that read it (2019 to 2026-10), the classic one from
 * 2019.
 */
import { GetRadioListsQuery, Radios, type RadioGroup } from '../../../schemas/discover.ts'
import {
  endpoint, maybe, nameOf, need, pictureOf, response, textOf, upstreamEmpty, type Answer, type ClassicCall,
  type MusicuCall
} from '../kit.ts'
import { readCounted } from '../shared/pages.ts'

/** In this response the `id` of a group is the group's own number, not a station's. */
const radios: MusicuCall<Radios> = {
  name: 'radios',
  request: { module: 'pf.radiosvr', method: 'GetRadiolist', param: { ct: '24' } },
  read: (answer) => readGroups(answer, 'radio_list', 'list')
}

/** The response nests `data` twice, and its numbers are strings. */
const classicRadios = (): ClassicCall<Radios> => ({
  name: 'radios.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_radiolist.fcg',
    query: { channel: 'radio', format: 'json', page: 'index', tpl: 'wk', new: 1, p: Math.random(), outCharset: 'utf-8' }
  },
  read: (answer) => readGroups(answer, 'data.data.groupList', 'radioList')
})

function readGroups (answer: Answer, path: string, stations: string): Radios {
  let skipped = 0
  const groups = maybe.list(answer, path, (group): RadioGroup | undefined => {
    const list = readCounted(group, [stations], (station) => ({
      radioId: need.int(station, 'radioId', 'id'),
      radioName: nameOf(station, 'radioName', 'title', 'name'),
      radioImg: pictureOf(station, 'radioImg', 'pic_url'),
      listenNum: maybe.int(station, 'listenNum', 'listener_count') ?? 0
    }))
    skipped += list.skipped
    return list.rows.length === 0 ? undefined : { name: textOf(group, 'name', 'title'), radios: list.rows }
  })
  if (groups.length === 0) throw upstreamEmpty(answer.call, 'radio stations')
  return { groups, skipped }
}

export const getRadioLists = endpoint({
  method: 'GET',
  path: '/getRadioLists',
  tag: 'discover',
  summary: 'Radio stations, by group',
  summaryInChinese: '电台列表，按分组',
  description: 'Groups without a station are omitted.',
  example: {},
  probe: () => [{}],
  input: GetRadioListsQuery,
  record: Radios,
  envelope: response,
  cache: 'slow',

  async run (_input, { upstream }) {
    return await upstream.firstOf([radios, classicRadios()])
  }
})
