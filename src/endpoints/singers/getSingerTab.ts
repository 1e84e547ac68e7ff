/**
 * Songs that a singer sang, wrote or produced: tabs of the singer's home page, which works for phones only (recorded
 * 2026-08).
 */
import { GetSingerTabQuery, SingerTab } from '../../../schemas/around.ts'
import { codeMsgData, endpoint, maybe, upstreamEmpty, type Answer, type MusicuCall } from '../kit.ts'
import { readCounted } from '../shared/pages.ts'
import { listedSong, readSongRow } from '../shared/song.ts'

type Tab = Pick<SingerTab, 'hasMore' | 'songs' | 'skipped'>

const tabOf = (SingerMid: string, TabID: string, PageNum: number, PageSize: number): MusicuCall<Tab> => ({
  name: 'singer.tab',
  request: {
    module: 'music.UnifiedHomepage.UnifiedHomepageSrv',
    method: 'GetHomepageTabDetail',
    param: { SingerMid, IsQueryTabDetail: 1, TabID, PageNum, PageSize, Order: 0 },
    comm: 'mobile'
  },
  read: readTab
})

/** Every answer contains all tabs; those that were not requested are empty. */
function readTab (answer: Answer): Tab {
  if ((answer.reach('SongTab') ?? null) === null) throw upstreamEmpty(answer.call, 'the songs of the singer')
  const { rows, skipped } = readCounted(answer, ['SongTab.List'], readSongRow)
  return { hasMore: maybe.flag(answer, 'HasMore') ?? false, songs: rows, skipped }
}

export const getSingerTab = endpoint({
  method: 'GET',
  path: '/getSingerTab',
  tag: 'singers',
  summary: 'Songs that a singer sang, wrote or produced',
  summaryInChinese: '歌手演唱、作词、作曲或制作的歌曲',
  description: 'Tabs of the singer\'s page: songs by the role of the singer. /getSingerHotsong sorts by popularity and returns a total. For an unknown singer the list is empty, because the upstream sends the same answer.',
  example: { singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  songs: ({ songs }) => songs.map(listedSong),
  input: GetSingerTabQuery,
  record: SingerTab,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, tab, limit, page }, { upstream }) {
    const found = await upstream.send(tabOf(singermid, tab, Math.max(0, page - 1), limit))
    return { singerMid: singermid, tab, ...found, songs: found.songs.slice(0, limit) }
  }
})
