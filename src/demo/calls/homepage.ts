import type { Catalogue, Singer } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, numberOf, textOf } from './params.ts'
import { isPhone } from './phone.ts'
import { albumRow, albumsOf, clipRow, clipsOf, songsOf } from './singerWorks.ts'

const noTab = {
  TabList: null,
  HasMore: 0,
  Order: 0,
  TabID: '',
  NeedShowTab: 0,
  SongTab: { List: null, SongTagInfoList: null, SearchText: '', IsShowQLIcon: 0 },
  AlbumTab: { TypeList: { DefaultID: 0, ItemList: null }, AlbumList: null },
  MomentTab: { List: null, CarouselList: null },
  VideoTab: { VideoList: null, TagList: null },
  DiscTab: { List: null },
  IntroductionTab: { List: null }
}

/** The home page of a singer works with the phone block only. The web block gets empty fields. */
function shownTo (param: Param, context: CallContext): Singer | undefined {
  return isPhone(context) ? context.catalogue.singerByMid.get(textOf(param, 'SingerMid')) : undefined
}

function header (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, { SingerMid: 'string', IsQueryTabDetail: 'flag' })
  if (wrong) return wrong
  const singer = shownTo(param, context)
  const count = (Num: number): Record<string, unknown> => ({ HasEntry: singer ? 1 : 0, Num, Add: '', jumpURL: '' })
  const Info = {
    BaseInfo: {
      IsHost: 0,
      IsSinger: singer ? 1 : 0,
      EncryptedUin: singer ? 'demoSinger0000**' : '',
      Name: singer?.name ?? '',
      Avatar: '',
      UserType: 0
    },
    Singer: {
      SingerID: singer?.id ?? 0,
      SingerMid: singer?.mid ?? '',
      Name: singer?.name ?? '',
      SingerPMid: singer ? `${singer.mid}_1` : '',
      SingerType: singer?.sex ?? 0
    },
    Icons: null,
    FansNum: count(singer?.fans ?? 0),
    FollowNum: count(0),
    IsFollowed: 0,
    IP: { Location: '' }
  }
  return { code: 0, data: { Info, Status: 0, Prompt: { Msg: '', URL: '' }, TabDetail: noTab } }
}

/** An empty list becomes null. */
const listOf = (rows: readonly unknown[]): readonly unknown[] | null => rows.length > 0 ? rows : null

interface Tab { rows: readonly unknown[], node: (rows: readonly unknown[] | null) => Record<string, unknown> }

const songTab = (rows: readonly unknown[] | null): Record<string, unknown> => ({
  SongTab: { ...noTab.SongTab, List: rows }
})

/** The songs that a demo singer also wrote or composed. No demo singer is a producer. */
const crafts: Readonly<Record<string, (song: { id: number }) => boolean>> = {
  song_composing: ({ id }) => id % 2 === 0,
  song_lyric: ({ id }) => id % 3 === 0,
  arranger: ({ id }) => id % 5 === 0,
  musician: ({ id }) => id % 7 === 0
}

/** Returns a tab that has content. */
function tabOf (id: string, singer: Singer, order: number, catalogue: Catalogue): Tab | undefined {
  switch (id) {
    case 'wiki':
      return {
        rows: singer.text === 'none' ? []
          : [{ ItemType: 2, SingerInfoList: singer.facts.map(([Title, Content]) => ({ Title, Content })) }],
        node: (List) => ({ IntroductionTab: { List } })
      }
    case 'album':
      return {
        rows: albumsOf(singer, catalogue, 'new').map(albumRow),
        node: (AlbumList) => ({ AlbumTab: { ...noTab.AlbumTab, AlbumList } })
      }
    case 'video':
      return {
        rows: clipsOf(singer, catalogue, 'time').map((mv) => clipRow(catalogue, mv)),
        node: (VideoList) => ({ VideoTab: { ...noTab.VideoTab, VideoList } })
      }
    case 'song_sing':
      return { rows: songsOf(singer, catalogue, order === 0 ? 1 : 0).map(newSong), node: songTab }
    default: {
      const isOwn = Object.hasOwn(crafts, id) ? crafts[id] : undefined
      return isOwn
        && { rows: songsOf(singer, catalogue, order === 0 ? 1 : 0).filter(isOwn).map(newSong), node: songTab }
    }
  }
}

/** Programs other than the phone get 10000 and a page without content (2026-09). `PageNum` counts from 0. */
function tabDetail (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    SingerMid: 'string',
    IsQueryTabDetail: 'flag',
    TabID: 'string',
    PageNum: 'number',
    PageSize: 'number',
    Order: 'number'
  })
  if (wrong) return wrong
  if (!isPhone(context)) return { code: 10000, data: noTab }
  const singer = shownTo(param, context)
  const TabID = textOf(param, 'TabID')
  const tab = singer && tabOf(TabID, singer, numberOf(param, 'Order', 0), context.catalogue)
  if (!tab) return { code: 0, data: { ...noTab, TabID } }
  const size = numberOf(param, 'PageSize', 10)
  const begin = numberOf(param, 'PageNum', 0) * size
  const rows = tab.rows.slice(begin, begin + size)
  return {
    code: 0,
    data: { ...noTab, TabID, HasMore: begin + rows.length < tab.rows.length ? 1 : 0, ...tab.node(listOf(rows)) }
  }
}

export const homepageCalls: MusicuTable = {
  'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader': header,
  'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail': tabDetail
}
