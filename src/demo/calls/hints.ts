import { pictureUrl } from '../catalogue/index.ts'
import { findAlbums, findSingers, findSongs } from '../catalogue/search.ts'
import type { Catalogue } from '../catalogue/types.ts'
import { escapeHtml, singerText } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, textOf } from './params.ts'

type Item = Record<string, string>

function section (name: string, order: number, type: number, itemlist: Item[]): Record<string, unknown> {
  return { count: itemlist.length, itemlist, name, order, type }
}

/**
 * At most 4 songs and 2 of each other kind. Every value is a string. A section without hits is empty, or absent
 * (singers).
 */
function smartbox ({ key = '' }: Query, { catalogue }: CallContext): unknown {
  const songs = findSongs(catalogue, key)
  const row = (id: number, mid: string, name: string, singer: string): Item => ({
    docid: String(id),
    id: String(id),
    mid,
    name: escapeHtml(name),
    singer: escapeHtml(singer)
  })
  const song = songs.slice(0, 4).map(({ id, mid, title, singers }) => row(id, mid, title, singerText(singers)))
  const mv = songs.filter((each) => each.mv.id).slice(0, 2).map(({ mv: { id, vid }, mid, title, singers }) => ({
    ...row(id, mid, title, singerText(singers)),
    vid
  }))
  const singer = findSingers(catalogue, key).slice(0, 2).map(({ id, mid, name }) => ({
    ...row(id, mid, name, name),
    pic: pictureUrl(catalogue, 'T001', 150, mid)
  }))
  const album = findAlbums(catalogue, key).slice(0, 2).map(({ id, mid, name, singers }) => ({
    ...row(id, mid, name, singerText(singers)),
    pic: pictureUrl(catalogue, 'T002', 180, mid)
  }))
  const data = {
    album: section('专辑', 2, 3, album),
    mv: section('MV', 3, 4, mv),
    ...(singer.length > 0 && { singer: section('歌手', 1, 2, singer) }),
    song: section('单曲', 0, 1, song)
  }
  return { code: 0, data, subcode: 0 }
}

/** Returns singers and free songs. */
function hotWords ({ songs, singers }: Catalogue): Array<{ word: string, score: number }> {
  const open = songs.filter(({ access }) => access === 'free')
  const words = [...singers.slice(0, 6).map(({ name }) => name), ...open.slice(0, 24).map(({ name }) => name)]
  return words.map((word, at) => ({ word, score: 405_528 - at * 12_345 }))
}

/** Search terms end in a blank (seen since 2017). */
function hotkey (_query: Query, { catalogue }: CallContext): unknown {
  const words = hotWords(catalogue).map(({ word, score }) => ({ k: `${escapeHtml(word)} `, n: score }))
  return {
    code: 0,
    data: { hotkey: words, special_key: 'Harbour Lights', special_url: `${catalogue.origin}/` },
    subcode: 0
  }
}

/** `title` is the text to display, `query` the term to search for. */
function hotkeyModule (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { search_id: 'string', uin: 'number' })
  if (wrong) return wrong
  const words = hotWords(catalogue).map(({ word, score }, at) => ({
    query: word,
    title: at % 4 === 0 ? `Listen: ${word}` : word,
    score: String(score),
    need_top: 0
  }))
  return { code: 0, data: { ret_code: 0, vec_hotkey: words } }
}

function suggestions (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { search_id: 'string', query: 'string', num_per_page: 'number', page_idx: 'number' })
  if (wrong) return wrong
  const names = new Set(findSongs(catalogue, textOf(param, 'query')).slice(0, 10).map(({ name }) => name))
  return {
    code: 0,
    data: {
      items: [...names].map((hint) => ({ hint, hint_hilight: hint })),
      vec_related_items: [],
      vec_direct_items: []
    }
  }
}

export const hintCalls: MusicuTable = {
  'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile': hotkeyModule,
  'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC': hotkeyModule,
  'music.smartboxCgi.SmartBoxCgi/GetSmartBoxResult': suggestions
}

export const hintPaths: ClassicTable = {
  '/splcloud/fcgi-bin/smartbox_new.fcg': { answer: smartbox, json: true },
  '/splcloud/fcgi-bin/gethotkey.fcg': { answer: hotkey }
}
