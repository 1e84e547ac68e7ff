import { pictureUrl } from '../catalogue/index.ts'
import { allCategories } from '../catalogue/playlists.ts'
import type { Catalogue, Playlist, Tag } from '../catalogue/types.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, queryNumber } from './params.ts'

const widest = 60

/** Order 2 is newest first. 3 and 4 are accepted, but behave like 5, recommended. */
function listed ({ playlists }: Catalogue, fits: (playlist: Playlist) => boolean, order: number): Playlist[] {
  const found = playlists.filter((playlist) => playlist.state === 'public' && fits(playlist))
  return order === 2 ? found.toSorted((a, b) => b.created.localeCompare(a.created)) : found
}

function inCategory (id: number): (playlist: Playlist) => boolean {
  return (playlist) => id === allCategories || playlist.tags.some((tag) => tag.id === id)
}

function classicRow (catalogue: Catalogue, playlist: Playlist): Record<string, unknown> {
  return {
    dissid: String(playlist.id),
    createtime: playlist.created,
    commit_time: playlist.created,
    dissname: escapeHtml(playlist.title),
    imgurl: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    introduction: '',
    listennum: playlist.listeners,
    score: 0,
    version: 0,
    creator: {
      type: 0,
      qq: playlist.creator.number,
      encrypt_uin: 'demoListener00**',
      name: escapeHtml(playlist.creator.nick),
      isVip: 0,
      avatarUrl: '',
      followflag: 0
    }
  }
}

/**
 * `sin` and `ein` are inclusive indexes, at most 60 rows. With `outCharset` the list is always empty (reported
 * 2026-09). Without it the answer is GBK (2026-11).
 */
function listByTag (query: Query, { catalogue }: CallContext): unknown {
  const [categoryId, sortId] = [queryNumber(query, 'categoryId', allCategories), queryNumber(query, 'sortId', 5)]
  const [sin, ein] = [queryNumber(query, 'sin', 0), queryNumber(query, 'ein', 29)]
  const found = query['outCharset'] === undefined ? listed(catalogue, inCategory(categoryId), sortId) : []
  const list = found.slice(sin, Math.min(ein + 1, sin + widest)).map((playlist) => classicRow(catalogue, playlist))
  return {
    code: 0,
    subcode: 0,
    message: '',
    default: 0,
    data: { uin: 0, categoryId, sortId, sum: found.length, sin, ein, list }
  }
}

const sorts = [{ sortId: 2, sortName: '最新' }, { sortId: 3, sortName: '最热' }, { sortId: 4, sortName: '评分' }, {
  sortId: 5,
  sortName: '推荐'
}]

function grouped (tags: readonly Tag[]): Array<[string, Tag[]]> {
  return [...new Set(tags.map((tag) => tag.group))].map((group) => [group, tags.filter((tag) => tag.group === group)])
}

function categories (_query: Query, { catalogue }: CallContext): unknown {
  const all = {
    categoryGroupName: '热门',
    items: [{ allsorts: sorts, categoryId: allCategories, categoryName: '全部', usable: 0 }],
    usable: 0
  }
  const groups = grouped(catalogue.tags).map(([categoryGroupName, tags]) => ({
    categoryGroupName,
    items: tags.map((tag) => ({
      allsorts: sorts.slice(0, 3),
      categoryId: tag.id,
      categoryName: tag.name.replaceAll('&', '&#38;'),
      usable: 1
    })),
    usable: 1
  }))
  return { code: 0, subcode: 0, message: '', default: 0, data: { categories: [all, ...groups] } }
}

export const playlistPaths: ClassicTable = {
  '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg': { answer: listByTag, callback: 'getPlaylist', gbk: true },
  '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg': { answer: categories, callback: 'getPlaylistTags' }
}

const official = 3317
/** The number that the site's first page sends. It is not a category. */
const firstPage = 8

/**
 * Returns the category number of the musicu calls, which differs: 59 is classics here and sweet in the classic list.
 */
function moduleId (tag: Tag): number {
  return tag.id === 136 ? 59 : 4000 + tag.id
}

function inModuleCategory (id: number): (playlist: Playlist) => boolean {
  return (playlist) =>
    id === allCategories || id === firstPage
    || (id === official ? playlist.id % 10 === 0 : playlist.tags.some((tag) => moduleId(tag) === id))
}

function plazaRow (catalogue: Catalogue, playlist: Playlist): Record<string, unknown> {
  const cover = pictureUrl(catalogue, 'T003', 300, playlist.picture)
  const seconds = Date.parse(playlist.created) / 1000
  return {
    access_num: playlist.listeners,
    album_pic_mid: '',
    commit_time: seconds,
    cover_mid: '',
    cover_url_big: cover,
    cover_url_medium: cover,
    cover_url_small: cover,
    create_time: seconds,
    creator_info: {
      avatar: '',
      is_dj: 0,
      nick: playlist.creator.nick,
      taoge_avatar: '',
      taoge_nick: '',
      uin: playlist.creator.number,
      vip_type: 0
    },
    creator_uin: playlist.creator.number,
    desc: '',
    dirid: 0,
    fav_num: 0,
    modify_time: seconds,
    score: 0,
    song_ids: playlist.songs.slice(0, 5).map((song) => song.id),
    song_types: playlist.songs.slice(0, 5).map(() => 13),
    tag_ids: playlist.tags.map(moduleId),
    tag_names: [],
    tid: playlist.id,
    title: playlist.title,
    tjreport: ''
  }
}

function plaza (param: Param, { catalogue }: CallContext, begin: number): CallAnswer {
  const wrong = mistyped(param, {
    id: 'number',
    sin: 'number',
    size: 'number',
    order: 'number',
    cur_page: 'number',
    curPage: 'number',
    titleid: 'number'
  })
  if (wrong) return wrong
  const found = listed(catalogue, inModuleCategory(numberOf(param, 'id', allCategories)), numberOf(param, 'order', 5))
  const page = found.slice(begin, begin + Math.min(widest, numberOf(param, 'size', 20)))
  return { code: 0, data: { total: found.length, v_playlist: page.map((playlist) => plazaRow(catalogue, playlist)) } }
}

/** `page` counts from 0. */
function categoryContent (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    titleid: 'number',
    category_id: 'number',
    caller: 'string',
    size: 'number',
    page: 'number',
    use_page: 'flag'
  })
  if (wrong) return wrong
  const size = Math.min(widest, numberOf(param, 'size', 20))
  const begin = numberOf(param, 'page', 0) * size
  const found = listed(catalogue, inModuleCategory(numberOf(param, 'category_id', -1)), 5)
  const items = found.slice(begin, begin + size).map((playlist) => {
    const cover = pictureUrl(catalogue, 'T003', 300, playlist.picture)
    return {
      basic: {
        tid: playlist.id,
        title: playlist.title,
        desc: '',
        play_cnt: playlist.listeners,
        song_cnt: playlist.songs.length,
        cover: { default_url: cover, medium_url: '', big_url: '', small_url: '' },
        creator: { uin: playlist.creator.number, nick: playlist.creator.nick, avatar: '' }
      }
    }
  })
  return { code: 0, data: { content: { total_cnt: found.length, v_item: items } } }
}

function allModuleCategories (_param: Param, { catalogue }: CallContext): CallAnswer {
  const groups = grouped(catalogue.tags).map(([group_name, tags], at) => ({
    group_id: at + 2,
    group_name,
    v_item: tags.map((tag) => ({ id: moduleId(tag), name: tag.name }))
  }))
  return {
    code: 0,
    data: {
      v_group: [{ group_id: 1, group_name: '热门推荐', v_item: [{ id: official, name: '官方歌单' }] }, ...groups]
    }
  }
}

export const playlistCalls: MusicuTable = {
  'playlist.PlayListPlazaServer/get_playlist_by_tag': (param, context) => plaza(param, context, numberOf(param, 'sin', 0)),
  'playlist.PlayListPlazaServer/get_playlist_by_category': (param, context) =>
    plaza(param, context, (numberOf(param, 'curPage', 1) - 1) * numberOf(param, 'size', 20)),
  'playlist.PlayListCategoryServer/get_category_content': categoryContent,
  'playlist.PlaylistAllCategoriesServer/get_all_categories': allModuleCategories
}
