import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Playlist, Song } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { dailyOf, lives } from './folders.ts'
import { mistyped, numberOf } from './params.ts'
import { hasSession, isPhone } from './phone.ts'
import { drawn } from './radio.ts'

const noJump = {
  abt: '',
  button_type: 0,
  extra_info: {},
  id: '',
  jumptype: 0,
  pingpong: '',
  scheme: '',
  title: '',
  tjreport: '',
  trace: ''
}

interface Card {
  id: string
  jumptype: number
  type: number
  title: string
  cover?: string
  plays?: number
  moduleID?: string
}

function cardOf ({ id, jumptype, type, title, cover = '', plays = 0, moduleID }: Card): Record<string, unknown> {
  return {
    abt: '',
    card_extra_info: { PlaylistExt: [], SongList: [], Tracks: [], VipUiShow: [] },
    cnt: plays,
    cover,
    extra_info: { tf: '', ...moduleID === undefined ? {} : { moduleID } },
    group: 0,
    id,
    jumptype,
    miscellany: { dttype: 'hot', rcmdtemplate: '', rcmd_reason: '' },
    overlap_card: [],
    pingpong: '',
    scheme: '',
    smallIcons: [],
    style: 0,
    subid: '',
    subtitle: '',
    subtype: 0,
    tags: [],
    time: 1700000000,
    title,
    tjreport: '',
    trace: '',
    type,
    v_user: []
  }
}

function shelfOf (id: number, title: string, cards: readonly Record<string, unknown>[]): Record<string, unknown> {
  const niche = {
    abt: '',
    bgpic: '',
    extra_info: {},
    id: 203,
    miscellany: {},
    more: noJump,
    pingpong: '',
    style: 4,
    sub_style: 0,
    title_content: '',
    title_template: '',
    tjreport: '',
    trace: '',
    v_card: cards
  }
  return {
    abt: '',
    content_refresh: '',
    expire: 604800,
    extra_info: {},
    group: 0,
    id,
    miscellany: {},
    more: noJump,
    pingpong: '',
    style: 0,
    title_content: '',
    title_template: title,
    tjreport: '',
    trace: '',
    v_niche: [niche]
  }
}

function playlistCard (catalogue: Catalogue, playlist: Playlist): Record<string, unknown> {
  return cardOf({
    id: String(playlist.id),
    jumptype: 10014,
    type: 500,
    title: playlist.title,
    cover: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    plays: playlist.listeners,
    moduleID: 'playlist@135@0'
  })
}

/**
 * The shelf "for you" requires the `comm` block of the Windows client (2024-03: other `ct`, other shelves). Without a
 * login it has neither a station nor a list of the day: that card has the id 0 (2026-09).
 */
function feed (param: Param, { catalogue, identity, comm }: CallContext): CallAnswer {
  const wrong = mistyped(param, { direction: 'number', page: 'number', s_num: 'number' })
  if (wrong) return wrong
  if (identity.state === 'expired') return { code: 1000 }
  const page = numberOf(param, 'page', 1)
  const daily = dailyOf(catalogue, identity)
  const station = cardOf({ id: '99', jumptype: 20001, type: 700, title: '猜你喜欢', moduleID: 'recforyou@0@0' })
  const today = cardOf({
    id: String(daily?.id ?? 0),
    jumptype: 10014,
    type: 500,
    title: '每日30首',
    cover: daily ? pictureUrl(catalogue, 'T003', 300, daily.picture) : '',
    moduleID: 'recforyou@0@0'
  })
  const isWindows = comm['ct'] === 20 && comm['platform'] === 'wk_v17'
  const forYou = isWindows && page === 1
    ? [shelfOf(301, 'Hi {String}  今日为你推荐', daily ? [station, today] : [today])] : []
  const start = (page - 1) * 6 + (lives(identity) ? 40 : 60)
  const cards = catalogue.playlists.filter(({ state }) => state === 'public').slice(start, start + 6).map((playlist) =>
    playlistCard(catalogue, playlist)
  )
  const albumCard = cardOf({
    id: String(catalogue.albums[0]?.id),
    jumptype: 10002,
    type: 300,
    title: catalogue.albums[0]?.name ?? ''
  })
  const v_shelf = [
    ...forYou,
    shelfOf(271, '你的歌单补给站', [...cards.slice(0, 3), albumCard]),
    shelfOf(203, '', cards.slice(3))
  ]
  return {
    code: 0,
    data: { ad_config: { priority: 0 }, d_num: 0, ext: {}, load_mark: -1, msg: '', prompt: '', retcode: 0, v_shelf }
  }
}

/** Anonymous callers get every third row without picture and creator. */
function square (param: Param, { catalogue, identity }: CallContext): CallAnswer {
  const wrong = mistyped(param, { From: 'number', Size: 'number' })
  if (wrong) return wrong
  const from = numberOf(param, 'From', 0)
  const found = catalogue.playlists.filter(({ state }) => state === 'public').slice(100, 300)
  const rows = found.slice(from, from + numberOf(param, 'Size', 25))
  const List = rows.map((playlist, at) => {
    const bare = !lives(identity) && at % 3 === 2
    const url = pictureUrl(catalogue, 'T003', 300, playlist.picture)
    const basic = {
      creator: bare ? null
        : {
          uin: String(playlist.creator.number),
          encrypt_uin: 'demoListener00**',
          nick: playlist.creator.nick,
          avatar: ''
        },
      tid: playlist.id,
      dirid: 0,
      title: playlist.title,
      desc: playlist.desc,
      cover: bare ? null : { id: 0, mid: '', small_url: url, medium_url: url, big_url: url, default_url: url },
      v_tag: playlist.tags.map(({ id, name }) => ({ id, name })),
      fav_cnt: 0,
      play_cnt: playlist.listeners,
      song_cnt: playlist.songs.length,
      status: 0,
      type: 0
    }
    return { Playlist: { basic, content: { v_item: [] }, bHit: true }, WhereFrom: '', ext: null }
  })
  return { code: 0, data: { Msg: '', List, HasMore: from + rows.length < found.length, FromLimit: 400 } }
}

/** Ten songs per page, with or without a login. */
function radar (param: Param, { catalogue, identity, now }: CallContext): CallAnswer {
  const wrong = mistyped(param, { Page: 'number', ReqType: 'number', FavSongs: 'numbers', EntranceSongs: 'numbers' })
  if (wrong) return wrong
  if (identity.state === 'expired') return { code: 1000 }
  const songs = drawn(catalogue.songs, `radar ${identity.uin} ${numberOf(param, 'Page', 1)}`, 10)
  const VecSongs = songs.map((song) => ({
    Track: newSong(song),
    Tj: '',
    Trace: '',
    Abt: '',
    RadioRecTag: { RecReasons: [], RecReasonTemplate: '', RecType: 1 },
    Ext: { abt: '', comment_num: '12', fav_cnt: '3w+', isfav: '0' }
  }))
  return {
    code: 0,
    data: {
      VecSongs,
      RecommendSongIds: songs.map(({ id }) => id),
      BaseSongIds: [],
      HasMore: true,
      Toast: '',
      TimeStamp: Math.floor(now / 1000),
      Ext: {},
      VideoCards: {}
    }
  }
}

/** Songs 12 and 13 have no similar songs. The older call returns some for song 12. */
function likeNothing (song: Song): boolean {
  return /Song001[23]$/.test(song.mid)
}

/** The web block works for all callers, a phone program only with its device session (2026-11). */
function similar (param: Param, context: CallContext): CallAnswer {
  const { catalogue } = context
  const wrong = mistyped(param, { songid: 'number' })
  if (wrong) return wrong
  if (isPhone(context) && !hasSession(context)) return { code: 2001 }
  const song = catalogue.songById.get(numberOf(param, 'songid', 0))
  if (!song || likeNothing(song)) return { code: 0, data: { retcode: 0, msg: '', songTagInfoList: [] } }
  const rows = drawn(catalogue.songs, `like ${song.mid}`, 26).map((found) => ({ track: newSong(found) }))
  const vecSongNew = [{
    title_template: '听「{String}」的也在听',
    title_content: song.singers[0]?.name ?? '',
    songs: rows.slice(0, 15)
  }]
  return { code: 0, data: { retcode: 0, msg: '', songTagInfoList: [], vecSongNew, vecSong: rows.slice(15) } }
}

/** At most five songs. A number as text is 2001, the code of risk control (2026). */
function olderSimilar (param: Param, { catalogue }: CallContext): CallAnswer {
  if (typeof param['songid'] !== 'number') return { code: 2001 }
  const song = catalogue.songById.get(param['songid'])
  const count = song && !song.mid.endsWith('Song0013') ? 5 : 0
  return {
    code: 0,
    data: { songInfoList: song ? drawn(catalogue.songs, `radio like ${song.mid}`, count).map(newSong) : null }
  }
}

export const recommendCalls: MusicuTable = {
  'music.recommend.RecommendFeed/get_recommend_feed': feed,
  'recommend.RecommendFeedServer/get_recommend_feed': feed,
  'music.playlist.PlaylistSquare/GetRecommendFeed': square,
  'music.recommend.TrackRelationServer/GetRadarSong': radar,
  'music.recommend.TrackRelationServer/GetSimilarSongs': similar,
  'rcmusic.similarSongRadioServer/get_simsongs': olderSimilar
}

/** The Mac client's first page. The block "for you" requires a login. */
function macPage (_query: Query, { catalogue, identity }: CallContext): string {
  const daily = dailyOf(catalogue, identity)
  const item = (id: number, name: string): string =>
    `<li class="playlist__item"><a class="playlist__link" href="javascript:;" data-rid="${id}" data-type="10014"><img class="playlist__pic" alt=""></a><h4 class="playlist__title"><span class="playlist__name">${escapeHtml(name)}</span></h4></li>`
  const forYou = daily ? `<div class="mod_for_u"><ul class="playlist__list">${item(daily.id, '今日私享')}${item(99, '个性电台')}</ul></div>` : ''
  const others = catalogue.playlists.slice(20, 26).map((playlist) => item(playlist.id, playlist.title)).join('')
  return `<!doctype html><html><head><meta charset="utf-8"><title>demo</title></head><body>${forYou}<div class="mod_playlist"><ul class="playlist__list">${others}</ul></div></body></html>\n`
}

export const recommendPaths: ClassicTable = {
  '/node/musicmac/v6/index.html': { answer: macPage }
}
