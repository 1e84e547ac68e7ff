import { pictureUrl } from '../catalogue/index.ts'
import type { Album, Catalogue } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import { escapeHtml, singerText } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf } from './params.ts'

const sections = ['最新上架', '热卖榜', '独家首发']

/** Prices are in hundredths of a yuan. The number of the album is a text here and a number in the banner. */
function soldAlbum (album: Album, at: number): Record<string, unknown> {
  const [singer] = album.singers
  return {
    actid: 300 + at,
    album_id: String(album.id),
    album_mid: album.mid,
    album_name: escapeHtml(album.name),
    buypage: `https://example.invalid/digital/${album.mid}`,
    company_name: escapeHtml(album.company.name),
    dis_end: '0',
    dis_price: at % 4 === 0 ? 1000 : 1500,
    dis_start: '0',
    intro: escapeHtml(`${singerText(album.singers)}《${album.name}》`),
    pre: 0,
    price: 1500,
    publictime: Date.parse(`${album.published}T00:00:00+08:00`) / 1000,
    salecount: album.id * 7 % 200_000,
    singer_id: String(singer?.id ?? 0),
    singer_mid: singer?.mid ?? '',
    singer_name: escapeHtml(singerText(album.singers))
  }
}

/** Every sixth album is for sale. The first two of each section are also in the next section. */
function digitalAlbums (query: Query, { catalogue }: CallContext): unknown {
  if (query['cmd'] !== 'pc_index_new') return { code: -1, subcode: -1, message: 'cmd', default: 0 }
  const sold = catalogue.albums.filter((album) => album.id % 6 === 0).map(soldAlbum)
  const size = Math.ceil(sold.length / sections.length)
  const content = sections.map((name, at) => ({
    albumlist: [...sold.slice(Math.max(0, at * size - 2), at * size), ...sold.slice(at * size, (at + 1) * size)],
    name,
    type: at
  }))
  const banner = catalogue.albums.slice(0, 3).map((album, at) => ({
    actid: 200 + at,
    album_id: album.id,
    album_name: escapeHtml(album.name),
    dis_end: '0',
    dis_price: 300,
    dis_start: '0',
    intro: escapeHtml(`《${album.name}》`),
    jumpurl: `https://example.invalid/digital/${album.mid}`,
    picurl: pictureUrl(catalogue, 'T002', 500, album.mid),
    price: 300,
    type: 10024
  }))
  return { code: 0, subcode: 0, message: '', default: 0, data: { banner, content } }
}

interface Station { id: number, name: string, listeners: number }

/** 99 is the personal station. The last group is empty, like a seasonal group outside its season. */
const stations: ReadonlyArray<readonly [group: string, list: readonly Station[]]> = [
  ['热门', [{ id: 99, name: '猜你喜欢 demo', listeners: 1_280_000 }, { id: 199, name: 'Hot & Loud', listeners: 270_360 }, {
    id: 101,
    name: 'Fresh demo',
    listeners: 90_120
  }]],
  ['心情', [{ id: 307, name: 'Rain on the porch', listeners: 45_000 }, { id: 308, name: '安静 demo', listeners: 0 }]],
  ['主题', [{ id: 400, name: "Ferry driver's night", listeners: 7_700 }]],
  ['节日', []]
]

/** Numbers of all stations. */
export const stationIds: ReadonlySet<number> = new Set(stations.flatMap(([, list]) => list.map(({ id }) => id)))

const stationPicture = (catalogue: Catalogue, { id }: Station): string =>
  pictureUrl(catalogue, 'T003', 150, `00DemoRadio${id}`)

/** Numbers are texts, and `data` is nested in `data`. */
function classicRadios (_query: Query, { catalogue }: CallContext): unknown {
  const groupList = stations.map(([name, list]) => ({
    name,
    radioList: list.map((station) => ({
      Fhot: '0',
      Fnew: '0',
      Fonly: '0',
      listenNum: String(station.listeners),
      radioFphoto1: '1',
      radioFphoto2: '2',
      radioId: String(station.id),
      radioImg: stationPicture(catalogue, station),
      radioName: escapeHtml(station.name)
    }))
  }))
  return { code: 0, subcode: 0, message: '', default: 0, data: { data: { gmgg: null, groupList } } }
}

function radios (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { ct: 'string', uin: 'string' })
  if (wrong) return wrong
  const radio_list = stations.map(([title, list], at) => ({
    id: at + 1,
    title,
    list: list.map((station) => ({
      id: station.id,
      title: station.name,
      pic_url: stationPicture(catalogue, station),
      listener_count: station.listeners
    }))
  }))
  return { code: 0, data: { radio_list } }
}

function hotCategories (_param: Param, { catalogue }: CallContext): CallAnswer {
  const items = catalogue.tags.slice(0, 6).map((tag) => ({
    item_id: tag.id,
    item_name: tag.name,
    item_desc: '',
    item_new: 0,
    item_hot: 0,
    show_type: 0,
    is_parent: 0,
    reimgurl: '',
    item_share_pic: '',
    show_detail: 0,
    group_id: 0
  }))
  return { code: 0, data: { category: [{ group_id: 1, group_name: '热门推荐', items }] } }
}

function hotPlaylists (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { async: 'number', cmd: 'number' })
  if (wrong) return wrong
  const v_hot = catalogue.playlists.filter(({ state }) => state === 'public').slice(20, 32).map((playlist, at) => ({
    album_pic_mid: '',
    content_id: playlist.id,
    cover: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    creator: playlist.creator.number,
    edge_mark: '',
    id: 1000 + at,
    is_dj: false,
    is_vip: false,
    jump_url: '',
    listen_num: playlist.listeners,
    pic_mid: '',
    rcmdcontent: `编辑推荐：${playlist.title}`,
    rcmdtemplate: '编辑推荐',
    rcmdtype: 1,
    singerid: 0,
    title: playlist.title,
    tjreport: '',
    type: 10014,
    username: playlist.creator.nick
  }))
  return { code: 0, data: { v_hot } }
}

const lans: ReadonlyArray<readonly [type: number, lan: string, name: string]> = [
  [5, '最新', 'new_song'],
  [1, '内地', 'neidi'],
  [6, '港台', 'gangtai'],
  [2, '欧美', 'oumei'],
  [4, '韩国', 'hanguo'],
  [3, '日本', 'riben']
]

/** At most sixty songs. An unknown type has none. */
function newSongs (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { type: 'number' })
  if (wrong) return wrong
  const type = numberOf(param, 'type', 5)
  const known = lans.find(([number]) => number === type)
  const newest = catalogue.songs.toSorted((a, b) => b.published.localeCompare(a.published) || a.id - b.id)
  const songs = known ? newest.filter((song) => type === 5 || song.id % 6 === type).slice(0, 60) : []
  const lanlist = lans.map(([number, lan, name]) => ({ name, lan, type: number, tjreport: '' }))
  return {
    code: 0,
    data: { lanlist, lan: known?.[1] ?? '', songlist: songs.map(newSong), ret_msg: '', type, songTagInfoList: [] }
  }
}

/** Editorial pictures. 10002 leads to an album, 3002 to a page. */
function focus (_param: Param, { catalogue }: CallContext): CallAnswer {
  const content = catalogue.albums.slice(0, 4).map((album, at) => ({
    cover: '',
    id: 14_500 + at,
    jump_info: { id: 0, mid: '', url: at === 3 ? 'https://example.invalid/focus' : album.mid },
    listen_num: 0,
    pic_info: { mid: '', url: pictureUrl(catalogue, 'T002', 500, album.mid) },
    report: '',
    sub_title: at === 1 ? singerText(album.singers) : '',
    title: at % 2 ? album.name : '',
    type: at === 3 ? 3002 : 10_002
  }))
  return { code: 0, data: { content, id: 1, sub_cube: [], title: '焦点图' } }
}

/** The ticket shop is closed: all fields exist and are empty (outline of 2019-06, nothing newer was published). */
function ticketIndex (param: Param, { now }: CallContext): CallAnswer {
  const wrong = mistyped(param, { city_id: 'number' })
  if (wrong) return wrong
  const data = {
    status: 1,
    citys: [],
    banners: [],
    classes: [],
    calendar: {},
    more: [],
    local_city: {},
    page_city: {},
    hot_city: [],
    fuli_show: [],
    appoint_show: [],
    sys_timestamp: Math.floor(now / 1000)
  }
  return { code: 0, data }
}

export const discoverCalls: MusicuTable = {
  'pf.radiosvr/GetRadiolist': radios,
  'music.web_category_svr/get_hot_category': hotCategories,
  'playlist.HotRecommendServer/get_hot_recommend': hotPlaylists,
  'newsong.NewSongServer/get_new_song_info': newSongs,
  'QQMusic.MusichallServer/GetFocus': focus,
  'mall.ticket_index_page_svr/GetTicketIndexPage': ticketIndex,
  'mall.ticket_index_page_svr/GetShowTypeList': () => ({ code: 0, data: {} })
}

export const discoverPaths: ClassicTable = {
  '/v8/fcg-bin/musicmall.fcg': { answer: digitalAlbums, gbk: true },
  '/v8/fcg-bin/fcg_v8_radiolist.fcg': { answer: classicRadios, gbk: true }
}
